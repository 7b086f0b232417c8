#include "pair_file.hpp"
#include "../../core/error.hpp"
#include "../../core/plural.hpp"
#include "../files/json.hpp"
#include "../files/strings.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tapehead {
namespace {

using OnPair = std::function<void(const Pair&)>;

/// Calls f with each line that isn't empty, and its number. Lines end at LF, at CR LF, or at CR if
/// the text has no LF.
template <class F>
void each_line(std::string_view text, const F& f) {
  const char end = text.find('\n') == text.npos ? '\r' : '\n';
  Index number = 1;
  for (std::size_t first = 0; first < text.size(); ++number) {
    const std::size_t last = std::min(text.find(end, first), text.size());
    std::string_view line = text.substr(first, last - first);
    if (end == '\n' && !line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty()) f(line, number);
    first = last + 1;
  }
}

/// Calls f, after checking that neither half is empty.
void take(const Pair& pair, const std::string& path, const OnPair& f) {
  for (const auto& [name, half] : {std::pair("source", pair.source), {"target", pair.target}})
    if (half.empty()) throw FileError("{}: line {}: the {} is empty", path, pair.line, name);
  f(pair);
}

bool is_header(std::string_view source, std::string_view target) {
  return source == "source" && target == "target";
}

// ---- tab-separated

void each_tsv_pair(std::string_view text, const std::string& path, const OnPair& f) {
  bool is_first = true;
  each_line(text, [&](std::string_view line, Index number) {
    const auto tabs = std::count(line.begin(), line.end(), '\t');
    if (tabs == 0)
      throw FileError("{}: line {} has no tab, expected SOURCE<tab>TARGET{}", path, number,
                      ends_with(path, ".json") ? "; name a file of JSON lines .jsonl" : "");
    if (tabs > 1)
      throw FileError(
          "{}: line {} has {} tabs, expected 1 between source and target; for tabs within them, "
          "use a .csv or .jsonl file",
          path, number, tabs);
    const std::size_t tab = line.find('\t');
    const std::string_view source = line.substr(0, tab), target = line.substr(tab + 1);
    if (!std::exchange(is_first, false) || !is_header(source, target))
      take({source, target, number}, path, f);
  });
}

// ---- CSV

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  void each(const OnPair& f) {
    bool is_first = true;
    while (at_ < text_.size()) {
      const Index line = line_;
      const std::vector<std::string>& fields = record();
      if (fields.size() == 1 && fields[0].empty() && !quoted_) continue;  // an empty line
      if (fields.size() != 2)
        throw FileError("{}: line {} has {}, expected 2, SOURCE,TARGET{}", path_, line,
                        plural(fields.size(), "field"),
                        fields.size() > 2 ? "; quote a field that contains commas" : "");
      if (!std::exchange(is_first, false) || !is_header(fields[0], fields[1]))
        take({fields[0], fields[1], line}, path_, f);
    }
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  bool is_at_end() const { return at_ == text_.size() || peek() == '\n' || peek() == '\r'; }

  /// Reads the fields of a record, and the end of its line.
  const std::vector<std::string>& record() {
    fields_.clear();
    quoted_ = false;
    for (bool more = true; more;) {
      fields_.push_back(peek() == '"' ? quoted_field() : plain_field());
      more = at_ < text_.size() && text_[at_] == ',';
      if (more) ++at_;
    }
    if (peek() == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
    return fields_;
  }

  std::string plain_field() {
    const std::size_t first = at_;
    while (!is_at_end() && peek() != ',') {
      if (peek() == '"')
        throw FileError(
            "{}: line {}: a quote within an unquoted field; quote the field, and double the quote",
            path_, line_);
      ++at_;
    }
    return std::string(text_.substr(first, at_ - first));
  }

  std::string quoted_field() {
    const Index line = line_;
    quoted_ = true;
    std::string field;
    for (++at_;; ++at_) {
      if (at_ >= text_.size())
        throw FileError("{}: line {}: a quoted field has no closing quote", path_, line);
      if (text_[at_] == '"') {
        if (++at_ >= text_.size() || text_[at_] != '"') break;  // else two quotes: one in the field
      }
      line_ += text_[at_] == '\n';
      field += text_[at_];
    }
    if (!is_at_end() && peek() != ',')
      throw FileError("{}: line {}: text after a closing quote, expected a comma", path_, line_);
    return field;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  Index line_ = 1;
  bool quoted_ = false;  // whether the record has a quoted field
  std::vector<std::string> fields_;
};

// ---- JSON lines

void each_json_pair(std::string_view text, const std::string& path, const OnPair& f) {
  each_line(text, [&](std::string_view line, Index number) {
    const std::optional<Json> json = parse_json(std::string(line));
    if (!json || !json->is_object())
      throw FileError("{}: line {} isn't a JSON object, expected {{\"source\": …, \"target\": …}}",
                      path, number);
    for (const char* name : {"source", "target"})
      if (!(*json)[name].is_string())
        throw FileError(
            "{}: line {} has no string \"{}\", expected {{\"source\": …, \"target\": …}}", path,
            number, name);
    take({(*json)["source"].string(), (*json)["target"].string(), number}, path, f);
  });
}

}  // namespace

void each_pair(std::string_view text, const std::string& path,
               const std::function<void(const Pair&)>& f) {
  if (starts_with(text, "\xEF\xBB\xBF")) text.remove_prefix(3);
  if (ends_with(path, ".csv")) return CsvReader(text, path).each(f);
  if (ends_with(path, ".jsonl")) return each_json_pair(text, path, f);
  each_tsv_pair(text, path, f);
}

}  // namespace tapehead
