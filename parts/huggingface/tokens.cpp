#include "tokens.hpp"
#include "../../core/plural.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/json.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/safetensors/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace tapehead {
namespace {

constexpr const char *vocabulary_name = "vocab.json", *merges_name = "merges.txt",
                     *tokenizer_name = "tokenizer.json";

/// Converts the merges in a tokenizer.json, "a b" or ["a", "b"], to the format of merges.txt.
std::string merges_text(const Json& merges, const std::string& path) {
  std::string text = "#version: 0.2\n";
  for (const Json& merge : merges.items()) {
    const auto& pair = merge.items();
    const std::string line =
        pair.size() == 2 ? pair[0].string() + ' ' + pair[1].string() : merge.string();
    if (line.empty() || line.find('\n') != std::string::npos)
      throw FileError("{}: a merge must have two tokens, got {}", path, quote(to_text(merge)));
    text += line + '\n';
  }
  return text;
}

/// Returns whether the name belongs to a padding token: <|pad|>, [PAD], <pad> or <PAD>.
bool is_padding(const std::string& name) {
  return name == "<|pad|>" || name == "[PAD]" || name == "<pad>" || name == "<PAD>";
}

/// Returns why a tokenizer.json doesn't describe a GPT-2 tokenizer; empty if it does.
std::string unsupported_reason(const Json& json) {
  const Json &model = json["model"], &cut = json["pre_tokenizer"];
  const auto is = [](const Json& value, bool wanted) {
    const bool* flag = std::get_if<bool>(&value.value());
    return flag && *flag == wanted;
  };
  if (model["type"].string() != "BPE") return "its model isn't BPE";
  if (cut["type"].string() != "ByteLevel") return "its pre_tokenizer isn't ByteLevel";
  if (is(cut["add_prefix_space"], true)) return "its pre_tokenizer adds a space";
  if (is(cut["use_regex"], false)) return "its pre_tokenizer doesn't split text into words";
  if (!json["normalizer"].is_null()) return "it has a normalizer";
  if (is(model["byte_fallback"], true)) return "it has a byte_fallback";
  for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!model[affix].string().empty()) return fmt::format("it has a {}", affix);
  for (const Json& added : json["added_tokens"].items())
    if (const std::string& name = added["content"].string();
        name != BytePairs::end_of_text_name && !is_padding(name))
      return fmt::format("it has the added token {}", quote(name));
  return "";
}

bool has_end_of_text(const Json& vocabulary) {
  return !vocabulary[BytePairs::end_of_text_name].is_null();
}

HubTokens with_default_ids(BytePairs tokens) {
  std::vector<int> ids(static_cast<std::size_t>(tokens.size()));
  std::iota(ids.begin(), ids.end(), 0);
  return {std::move(tokens), std::move(ids)};
}

/// Builds the tokens from the texts of merges and vocabulary. Throws FileError, which names the
/// file, if they don't match.
HubTokens make_checked_tokens(const std::string& merges, const std::string& merges_path,
                              const Json& with_padding, const std::string& path) {
  Json::Object members;
  for (const Json::Member& member : with_padding.members())
    if (!is_padding(member.name)) members.push_back(member);
  const Json vocabulary = Json::object(std::move(members));
  constexpr std::size_t bytes = 256;
  BytePairs tokens = vocabulary.members().size() == bytes
                         ? BytePairs()
                         : BytePairs::from_text(merges, merges_path, has_end_of_text(vocabulary));
  std::vector<int> ids = tokens.ids_in(to_text(vocabulary), path);
  return {std::move(tokens), std::move(ids)};
}

HubTokens from_tokenizer(const std::string& path) {
  const Json json = parse_json(read_file(path)).value_or(Json());
  if (!json.is_object()) throw FileError("{}: not a JSON object", path);
  if (const std::string why = unsupported_reason(json); !why.empty())
    throw FileError("{}: not a GPT-2 tokenizer: {}", path, why);
  Json vocabulary = json["model"]["vocab"];
  for (const Json& added : json["added_tokens"].items())
    vocabulary[added["content"].string()] = added["id"];
  return make_checked_tokens(merges_text(json["model"]["merges"], path), path, vocabulary, path);
}

HubTokens from_merges(const std::string& path, int vocabulary) {
  const std::string text = read_file(path);
  BytePairs tokens = BytePairs::from_text(text, path);
  return with_default_ids(tokens.size() == vocabulary + 1 ? BytePairs::from_text(text, path, false)
                                                          : tokens);
}

HubTokens from_folder(const std::string& folder, const std::string& given, int vocabulary) {
  if (!given.empty()) return from_merges(given, vocabulary);
  const std::string merges = folder + "/" + merges_name, names = folder + "/" + vocabulary_name,
                    whole = folder + "/" + tokenizer_name;
  if (exists(merges) && exists(names)) {
    const Json json = parse_json(read_file(names)).value_or(Json());
    if (!json.is_object()) throw FileError("{}: not a JSON object", names);
    return make_checked_tokens(read_file(merges), merges, json, names);
  }
  if (exists(whole)) return from_tokenizer(whole);
  if (exists(merges)) return from_merges(merges, vocabulary);
  throw FileError("{}: found neither {} and {} nor {}; pass the merges file with --merges", folder,
                  vocabulary_name, merges_name, tokenizer_name);
}

/// Returns true if a task shows its tokens as adjacent characters, false if as words with spaces
/// between them, and nullopt for other formats.
std::optional<bool> are_characters(const Task& task, const std::vector<std::string>& names) {
  const auto is_character = [](const std::string& name) { return characters(name).size() == 1; };
  const auto is_word = [](const std::string& name) {
    return !name.empty() && name.find_first_of(" \t\r\n") == std::string::npos;
  };
  const std::string two = task.show({0, 0});
  if (two == names[0] + names[0] && all_of(names, is_character)) return true;
  if (two == names[0] + ' ' + names[0] && all_of(names, is_word)) return false;
  return {};
}

Json byte_level(bool trim) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", trim},
          {"use_regex", true}};
}

}  // namespace

HubTokens read_hub_tokens(const std::string& folder, const std::string& given, int vocabulary) {
  HubTokens hub = from_folder(folder, given, vocabulary);
  constexpr int most_unused = 127;
  hub.unused = vocabulary - hub.tokens.size();
  if (hub.unused < 0 || hub.unused > most_unused)
    throw FileError("{}: vocab_size in config.json is {}, but the tokenizer defines {}", folder,
                    vocabulary, plural(hub.tokens.size(), "token"));
  if (const int last = *std::max_element(hub.ids.begin(), hub.ids.end()); last >= vocabulary)
    throw FileError("{}: vocab_size in config.json is {}, but a token has the id {}", folder,
                    vocabulary, last);
  return hub;
}

std::map<std::string, std::string> hub_token_files(const BytePairs& tokens, int context) {
  const int end = tokens.end_of_text();
  Json vocabulary = Json::object(), merges = Json::array(), added = Json::array();
  Json::Object ids;
  for (int token = 0; token < tokens.size(); ++token)
    ids.push_back({tokens.printable(token), token});
  vocabulary = Json::object(std::move(ids));
  for (const auto& [left, right] : tokens.merges())
    merges.push_back(Json::array({tokens.printable(left), tokens.printable(right)}));
  Json settings = {{"tokenizer_class", "GPT2Tokenizer"},
                   {"add_prefix_space", false},
                   {"model_max_length", context}};
  if (end >= 0) {
    added.push_back({{"id", end},
                     {"content", BytePairs::end_of_text_name},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
    for (const char* name : {"bos_token", "eos_token", "unk_token"})
      settings[name] = BytePairs::end_of_text_name;
  }
  const Json tokenizer = {{"version", "1.0"},
                          {"truncation", nullptr},
                          {"padding", nullptr},
                          {"added_tokens", added},
                          {"normalizer", nullptr},
                          {"pre_tokenizer", byte_level(true)},
                          {"post_processor", byte_level(false)},
                          {"decoder", byte_level(true)},
                          {"model",
                           {{"type", "BPE"},
                            {"dropout", nullptr},
                            {"unk_token", nullptr},
                            {"continuing_subword_prefix", ""},
                            {"end_of_word_suffix", ""},
                            {"fuse_unk", false},
                            {"byte_fallback", false},
                            {"vocab", vocabulary},
                            {"merges", merges}}}};
  return {{vocabulary_name, to_text(vocabulary)},
          {merges_name, tokens.to_text()},
          {tokenizer_name, to_text(tokenizer)},
          {"tokenizer_config.json", to_text(settings, 2)}};
}

std::map<std::string, std::string> hub_token_files(const Task& task, int context) {
  std::vector<std::string> names;
  for (int token = 0; token < task.vocabulary(); ++token) names.push_back(task.show({token}));
  if (names.empty()) return {};
  const std::optional<bool> spelled = are_characters(task, names);
  if (!spelled || std::set<std::string>(names.begin(), names.end()).size() < names.size())
    return {};
  Json::Object ids;
  for (std::size_t id = 0; id < names.size(); ++id) ids.push_back({names[id], id});
  const Json each_character = {{"type", "Split"},
                               {"pattern", {{"Regex", "[\\s\\S]"}}},
                               {"behavior", "Isolated"},
                               {"invert", false}};
  // The name of the unknown token is empty, so transformers reports an error for an unknown word.
  const Json words = {
      {"type", "WordLevel"}, {"vocab", Json::object(std::move(ids))}, {"unk_token", ""}};
  const Json between_spaces = {{"type", "WhitespaceSplit"}}, fuse = {{"type", "Fuse"}};
  const Json tokenizer = {{"version", "1.0"},
                          {"truncation", nullptr},
                          {"padding", nullptr},
                          {"added_tokens", Json::array()},
                          {"normalizer", nullptr},
                          {"pre_tokenizer", *spelled ? each_character : between_spaces},
                          {"post_processor", nullptr},
                          {"decoder", *spelled ? fuse : Json()},
                          {"model", words}};
  const Json settings = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                         {"clean_up_tokenization_spaces", false},
                         {"model_max_length", context}};
  return {{tokenizer_name, to_text(tokenizer)}, {"tokenizer_config.json", to_text(settings, 2)}};
}

TaskOptions text_options(const BytePairs& tokens) {
  if (tokens.merges().empty()) return {{"tokens", "bytes"}, {"pairs", "none"}};
  return {{"tokens", tokens.end_of_text() >= 0 ? "gpt2" : "bpe"},
          {"pairs", tokens.to_pairs()},
          {"vocabulary", std::to_string(tokens.size())}};
}

std::optional<BytePairs> tokens_of_text(const TaskOptions& options) {
  const auto kind = options.find("tokens");
  if (kind == options.end() || kind->second == "characters" || kind->second == "ids") return {};
  if (kind->second == "bytes") return BytePairs();
  return BytePairs::from_pairs(options.at("pairs"), kind->second == "gpt2");
}

}  // namespace tapehead
