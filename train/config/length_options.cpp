#include "length_options.hpp"
#include "../../core/containers.hpp"
#include "../data/index_hints.hpp"
#include "../data/mixed_lengths.hpp"

namespace tapehead {
namespace {

using MakeTask = std::function<std::unique_ptr<Task>(const TaskOptions& options)>;

constexpr const char *lengths_option = "lengths", *hints_option = "index-hints";

Option option_lengths() {
  Option option{lengths_option,
                "several lengths, equally often: 1..20, 10..100..10 or 4,8,16 (default: one)", "",
                "A..B"};
  option.set = [](TrainConfig&, const std::string& text) {
    if (!text.empty()) parse_lengths(text);
  };
  return option;
}

/// Makes the task with several lengths. `length` is its length option.
MakeTask mixing(const MakeTask& make, const Option& length) {
  return [=](TaskOptions options) -> std::unique_ptr<Task> {
    const std::string lengths = options.at(lengths_option);
    options.erase(lengths_option);
    if (lengths.empty()) return make(options);
    if (const std::string& one = options.at(length.name); one != length.default_value)
      throw UsageError("--{} {} and --lengths {} can't be combined; remove one", length.name, one,
                       lengths);
    const std::vector<Index> all = parse_lengths(lengths);
    try {
      return std::make_unique<MixedLengths>(*make(options), all, [&](Index each) {
        options[length.name] = std::to_string(each);
        return make(options);
      });
    } catch (const UsageError& error) {
      throw UsageError("--lengths {}: {}{}", lengths,
                       options.at(length.name) == length.default_value
                           ? ""
                           : fmt::format("at length {}: ", options.at(length.name)),
                       error.what());
    }
  };
}

/// Makes the task with index hints, which start again after each of `marks`.
MakeTask hinting(const MakeTask& make, const std::string& marks) {
  return [=](TaskOptions options) -> std::unique_ptr<Task> {
    const bool has_hints = !options.at(hints_option).empty();
    const Index hints = has_hints ? whole_option(options, hints_option, 1, 4096) : 0;
    options.erase(hints_option);
    std::unique_ptr<Task> task = make(options);
    if (!has_hints) return task;
    std::set<int> tokens;
    for (const char mark : marks) {
      try {
        tokens.insert(task->parse({mark}).at(0));
      } catch (const ValueError&) {  // only other options of the task use this mark
      }
    }
    return std::make_unique<IndexHints>(std::move(task), hints, tokens);
  };
}

}  // namespace

std::string lengths_in(const TaskOptions& options) {
  const auto found = options.find(lengths_option);
  return found == options.end() ? "" : found->second;
}

TaskEntry with_length_options(TaskEntry entry) {
  const auto end = [&] { return entry.options.end(); };
  const auto length = find_named(entry.options, entry.length_option);
  const bool mixes = length != end() && !has_named(entry.options, "data") &&
                     !has_named(entry.options, lengths_option);
  if (mixes) {
    entry.make = mixing(entry.make, *length);
    entry.options.insert(length + 1, option_lengths());
  }
  if (entry.hint_marks && !has_named(entry.options, hints_option)) {
    entry.make = hinting(entry.make, *entry.hint_marks);
    entry.options.push_back(
        {hints_option, "number of index tokens, one before each symbol (default: none)", "", "N"});
  }
  return entry;
}

}  // namespace tapehead
