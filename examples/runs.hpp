#pragma once
// What examples share that train with the command line.
#include <tapehead/cli.hpp>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

/// A new folder for runs, which is removed at the end.
struct Folder {
  Folder() : path((std::filesystem::temp_directory_path() / "tapehead-XXXXXX").string()) {
    if (!mkdtemp(path.data())) throw std::runtime_error("no new folder in " + path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path;
};

/// The last line of a run's metrics, JSON with a digest of its weights; but for the times.
inline std::string last_metrics(const std::string& path) {
  const std::string line = tapehead::RunFolder::open(path).read_metrics().back();
  return line.substr(0, line.find(",\"time\""));
}

/// `mine LINE` with this registry: the exit status, 0 if all went well.
inline int command(const std::string& line, const tapehead::Registry& registry) {
  std::istringstream stream("mine " + line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return tapehead::run(static_cast<int>(pointers.size()), pointers.data(), registry);
}
