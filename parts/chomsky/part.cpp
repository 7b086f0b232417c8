#include "../../core/plural.hpp"
#include "../../train/tasks/sequences.hpp"
#include "strings.hpp"

namespace tapehead {
namespace chomsky {
namespace {

constexpr char output_position = '_';
/// For some tasks, there are fewer than fewest_prompts shorter inputs.
constexpr Index shortest_split = 10;

/// The examples of a StringTask: a prompt is an input and a `_` for each output, as in the paper.
class StringExamples : public Sequences {
 public:
  StringExamples(const StringTask& task, Index length)
      : Sequences(rules_of(task, length)), outputs_(task.outputs) {}

  int placeholder() const override { return static_cast<int>(vocabulary()) - 1; }
  std::vector<int> parse_prompt(const std::string& text) const override {
    std::vector<int> tokens = parse(text);
    if (!tokens.empty() && tokens.back() != placeholder())
      tokens.insert(tokens.end(), outputs_(static_cast<Index>(tokens.size())), placeholder());
    return tokens;
  }

 private:
  static SequenceRules rules_of(const StringTask& task, Index length) {
    const std::string alphabet = std::string(task.alphabet) + output_position;
    const auto tokens_of = [=](const std::string& text) {
      std::vector<int> tokens;
      for (const char c : text) tokens.push_back(static_cast<int>(alphabet.find(c)));
      return tokens;
    };
    const auto outputs = static_cast<std::size_t>(task.outputs(length));
    const auto draw = [=](Random& random) {
      const std::string input = task.draw(random, length);
      Example example{tokens_of(input + std::string(outputs, output_position))};
      example.question = static_cast<Index>(example.tokens.size());
      const std::vector<int> output = tokens_of(*task.solve(input));
      append(example.tokens, output);
      return example;
    };
    SequenceRules rules{task.name, characters(alphabet), draw};
    Random any = example_random(0);
    rules.longest_question = draw(any).question;
    rules.longest_answer = task.outputs(length);
    if (const std::size_t end = alphabet.find('.'); end != std::string::npos)
      rules.end = static_cast<int>(end);
    if (length < shortest_split)
      rules.few_prompts = fmt::format("--length {} gives few different inputs", length);
    const Index inputs = rules.longest_question - task.outputs(length);
    rules.question =
        fmt::format("{}: {}, and {} {}", plural(inputs, "token"), task.input, output_position,
                    outputs == 1 ? "at the end" : fmt::format("{} times at the end", outputs));
    rules.is_question = [=, question = rules.longest_question](const std::vector<int>& tokens) {
      std::string text;
      for (const int token : tokens) text += alphabet[static_cast<std::size_t>(token)];
      const std::size_t place = text.size() - std::min(text.size(), outputs);
      return static_cast<Index>(tokens.size()) == question &&
             text.substr(place) == std::string(outputs, output_position) &&
             task.solve(text.substr(0, place)).has_value();
    };
    return rules;
  }

  Index (*const outputs_)(Index length);
};

const char* automaton(Level level) {
  switch (level) {
    case Level::regular:
      return "regular: a finite automaton can do it";
    case Level::context_free:
      return "context-free: needs a stack";
    case Level::context_sensitive:
      return "context-sensitive: needs a tape as long as the input";
  }
  return "";
}

TaskEntry entry_of(const StringTask& task) {
  return {task.name,
          task.summary,
          automaton(task.level),
          "tapehead study chomsky shows the accuracy at longer lengths",
          recipe("--arch encoder --layers 2 --heads 4 --width 64 --position rotary --lr 0.003 "
                 "--steps 1000 --eval-every 250"),
          {},
          {{"length", "tokens in an input, 1 to 1024", "20"}},
          "length",
          {"encoder", "gpt", "encoder-decoder"},
          [=](const TaskOptions& options) {
            return std::make_unique<StringExamples>(task, whole_option(options, "length", 1, 1024));
          }};
}

}  // namespace
}  // namespace chomsky

/// Registers the fifteen tasks of the paper.
void add_chomsky(Registry& registry) {
  for (const auto& tasks : {chomsky::regular_tasks(), chomsky::context_free_tasks(),
                            chomsky::context_sensitive_tasks()})
    for (const chomsky::StringTask& task : tasks) registry.task(chomsky::entry_of(task));
}

}  // namespace tapehead
