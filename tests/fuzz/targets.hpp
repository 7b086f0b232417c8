#pragma once
// What is fuzzed. Each target hands its input to a reader, as the library does, and catches the
// errors that the reader promises; anything else that is thrown is a finding. Where a reader has a
// writer, or makes a promise, the target holds it to that. targets/foo.cpp is the function `foo`.
#include <string>

namespace tapehead::fuzz {

void cifar(const std::string& input);         ///< a file of records, perhaps packed
void command_line(const std::string& input);  ///< a word a line
void config(const std::string& input);
void digits(const std::string& input);
void expression(const std::string& input);
void hub_config(const std::string& input);      ///< a config.json
void hub_tokens(const std::string& input);      ///< a tokenizer.json of one merge
void hub_vocabulary(const std::string& input);  ///< a vocab.json of one merge
void hub_weights(const std::string& input);     ///< an index of files with weights
void ids(const std::string& input);             ///< a .npy, if it begins as one does, or a .bin
void idx(const std::string& input);             ///< the images of MNIST for training
void merges(const std::string& input);          ///< a list of merges, an empty line and a text
void metrics(const std::string& input);
void npy(const std::string& input);
void npz(const std::string& input);
void prompt(const std::string& input);       ///< a task's name, and after a line's end its prompt
void run_folder(const std::string& input);   ///< the target of a link, and a model's file
void safetensors(const std::string& input);  ///< a file, or a header, a line's end and the data
void sweep(const std::string& input);        ///< a --grid a line
void text(const std::string& input);

}  // namespace tapehead::fuzz
