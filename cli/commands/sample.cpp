#include "../../core/runtime/parallel.hpp"
#include "../../train/runs/json.hpp"
#include "../terminal/answer.hpp"
#include "../terminal/generated.hpp"
#include "../terminal/illustration.hpp"
#include "../terminal/output.hpp"
#include "../terminal/stream.hpp"
#include "commands.hpp"
#include "load_run.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>

namespace tapehead {
namespace {

using Tokens = std::vector<int>;

constexpr Index alternatives = 5;  // shown beside a token
constexpr Index text_length = 500, line_count = 10;

struct SampleArguments {
  std::string run, prompt, checkpoint, weights;
  bool has_prompt = false, has_temperature = false, has_samples = false;
  bool probabilities = false, json = false;
  Index tokens = 0, examples = 5, seed = 0, samples = 1, threads = 1;
  SampleOptions options;
};

/// The prompt of a text without one: a newline if the alphabet has it, since any text could follow
/// it.
Tokens empty_prompt(const Task& task) {
  try {
    return task.parse("\n");
  } catch (const ValueError&) {
    return {0};
  }
}

/// One call of the command. There are three kinds of task: questions with answers, lines generated
/// from one end token to the next, and texts without end.
class Sampling {
 public:
  Sampling(const SampleArguments& arguments, const Session& session)
      : arguments_(arguments),
        terminal_(session.terminal),
        run_(
            load_run(arguments.run, session.registry, "", arguments.checkpoint, arguments.weights)),
        task_(*run_.task),
        options_(arguments.options),
        samples_(arguments.samples) {
    options_.seed = static_cast<std::uint64_t>(arguments.seed);
    options_.end = task_.end_token();
    options_.tokens = arguments.tokens;
    check(options_);  // before anything is shown
    set_threads(static_cast<int>(arguments.threads));
    // Greedy decoding is the default for answers, but not for several samples, which would all be
    // equal.
    if (task_.has_answers() && !arguments.has_temperature && !arguments.has_samples)
      options_.temperature = 0;
    if (arguments.probabilities || arguments.json) options_.alternatives = alternatives;
    if (generates_lines() && !arguments.has_samples && !arguments.has_prompt) samples_ = line_count;
  }

  void run() {
    if (!arguments_.has_prompt)
      task_.has_answers() ? answer_held_out() : go_on({});
    else if (arguments_.prompt == "-")
      read_prompts();
    else
      take(arguments_.prompt);
    if (arguments_.json) return print_document();
    if (const std::string how = task_.answers_are_written(); !how.empty())
      put("answers are written {}\n", how);
  }

 private:
  bool generates_lines() const { return !task_.has_answers() && task_.end_token() >= 0; }

  /// Takes each line of standard input as a prompt, or all of it as the beginning of a text.
  void read_prompts() {
    const bool lines = task_.has_answers() || generates_lines();
    std::string line;
    if (!lines) {
      line.assign(std::istreambuf_iterator<char>(std::cin), {});
      if (!line.empty()) return take(line);
    }
    for (Index number = 1; std::getline(std::cin, line); ++number) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.empty()) continue;
      try {
        take(line);
      } catch (const UsageError& error) {
        throw UsageError("standard input, line {}: {}", number, error.what());
      } catch (const ValueError& error) {
        throw UsageError("standard input, line {}: {}", number, error.what());
      }
    }
    if (prompts_.items().empty()) throw UsageError("--prompt -: nothing on standard input");
  }

  void take(const std::string& prompt) {
    const Tokens tokens = task_.parse(prompt);
    if (!task_.has_answers()) return go_on(tokens);
    check_question(task_, tokens);
    const Index longest = run_.model->longest_question();
    const auto length = static_cast<Index>(tokens.size());
    if (length == 0 || length > longest)
      throw UsageError("--prompt has {} tokens; the model takes 1 to {}", length, longest);
    if (shows())
      put("{}{}", gap(),
          task_.illustration() ? show_question(task_, tokens, terminal_)
                               : fmt::format("  in   {}\n", visible(task_.show(tokens))));
    generate_all(tokens, tokens, std::min(task_.context() + 1 - length, task_.longest_answer()));
  }

  void go_on(const Tokens& prompt) {
    if (!generates_lines())
      return generate_all(prompt, prompt.empty() ? empty_prompt(task_) : prompt, text_length);
    if (std::count(prompt.begin(), prompt.end(), options_.end) > 0)
      throw UsageError("--prompt must be the beginning of one line");
    Tokens begin = {options_.end};
    begin.insert(begin.end(), prompt.begin(), prompt.end());
    // A model that hasn't learned to end a line stops at the length of the longest one.
    generate_all(prompt, begin,
                 std::max<Index>(1, task_.context() - static_cast<Index>(prompt.size())));
  }

  void answer_held_out() {
    for (const Index number : examples_shown(*run_.model, task_, arguments_.examples)) {
      const Example example = task_.held_out_example(number);
      const auto split = example.tokens.begin() + example.question;
      const Tokens question(example.tokens.begin(), split);
      if (shows()) put("{}{}", gap(), show_question(task_, question, terminal_));
      generate_all(question, question, answer_limit(task_, example),
                   Tokens(split, example.tokens.end()));
    }
  }

  /// Generates all samples that follow `begin`, of at most `limit` tokens unless the user gave a
  /// number.
  void generate_all(const Tokens& prompt, const Tokens& begin, Index limit,
                    const std::optional<Tokens>& wanted = {}) {
    options_.tokens = arguments_.tokens > 0 && !wanted ? arguments_.tokens : limit;
    Json samples = Json::array();
    for (Index first = 0; first < samples_; first += samples_at_once) {
      options_.stream = first;
      const Index count = std::min(samples_at_once, samples_ - first);
      const bool streams = shows() && samples_ == 1 && !wanted;
      const auto generated =
          streams ? stream(prompt, begin) : generate_samples(*run_.model, begin, count, options_);
      for (std::size_t i = 0; i < generated.size(); ++i) {
        if (arguments_.json)
          samples.push_back(sample_json(generated[i], wanted));
        else
          print_sample(first + static_cast<Index>(i), prompt, generated[i], wanted, streams);
      }
    }
    Json entry = {{"prompt", task_.show(prompt)}};
    if (wanted) entry["wanted"] = task_.show(*wanted);
    entry["samples"] = samples;
    prompts_.push_back(entry);
  }

  std::vector<std::vector<GeneratedToken>> stream(const Tokens& prompt, const Tokens& begin) {
    Stream stream(task_, terminal_);
    if (task_.has_answers())
      put("  out  ");
    else
      for (int token : prompt) stream.add(token);
    auto generated =
        generate_samples(*run_.model, begin, 1, options_, [&](Index, const GeneratedToken& next) {
          if (!ends_line(next.token)) stream.add(next.token);
        });
    stream.end();
    put("\n");
    return generated;
  }

  void print_sample(Index number, const Tokens& prompt, const std::vector<GeneratedToken>& tokens,
                    const std::optional<Tokens>& wanted, bool streamed) {
    if (wanted) {
      put("{}", show_marked(task_, tokens_of(tokens), *wanted, terminal_));
    } else if (!streamed && task_.has_answers()) {
      put("  out  {}\n", visible(task_.show(tokens_of(tokens))));
    } else if (!streamed) {
      if (!generates_lines())
        put("{}{}\n", number > 0 ? "\n" : "",
            paint(terminal_, Style::dim, fmt::format("sample {} of {}", number + 1, samples_)));
      Tokens whole = prompt;
      for (int token : without_end(tokens)) whole.push_back(token);
      put("{}\n", shown(task_, whole, terminal_));
    }
    if (arguments_.probabilities) put("{}", probabilities_text(task_, tokens, terminal_));
  }

  Json sample_json(const std::vector<GeneratedToken>& tokens,
                   const std::optional<Tokens>& wanted) const {
    Json sample = {{"text", task_.show(without_end(tokens))}};
    if (wanted) sample["right"] = tokens_of(tokens) == *wanted;
    sample["tokens"] = to_json(task_, tokens);
    return sample;
  }

  void print_document() const {
    print_json({{"run", arguments_.run},
                {"task", run_.config.task},
                {"step", run_.steps},
                {"temperature", options_.temperature},
                {"top_k", options_.top_k},
                {"top_p", options_.top_p},
                {"seed", options_.seed},
                {"weights", arguments_.weights},
                {"threads", arguments_.threads},
                {"prompts", prompts_}});
  }

  /// The token that ends a line is not part of it.
  bool ends_line(int token) const { return generates_lines() && token == options_.end; }
  Tokens without_end(const std::vector<GeneratedToken>& tokens) const {
    Tokens all = tokens_of(tokens);
    if (!all.empty() && ends_line(all.back())) all.pop_back();
    return all;
  }
  bool shows() const { return !arguments_.json; }
  /// An empty line between one prompt and the next.
  const char* gap() const { return prompts_.items().empty() ? "" : "\n"; }

  const SampleArguments& arguments_;
  const Terminal terminal_;
  const LoadedRun run_;
  const Task& task_;
  SampleOptions options_;
  Index samples_;
  Json prompts_ = Json::array();
};

}  // namespace

void add_sample_command(const Command& app, Session& session) {
  const Command command = app.add("sample", "sample from a run: continue a prompt, or answer it");
  const auto a = std::make_shared<SampleArguments>();
  command.positional("RUN", a->run, "folder of the run");
  const Option prompt =
      command.option("--prompt", "TEXT", a->prompt,
                     "what to continue, or to answer; -: standard input, one prompt "
                     "per line, or all of it for a text");
  const Option samples = command.option(
      "--samples", a->samples, "number of samples [1; 10 for a task of lines without a prompt]");
  const Option temperature =
      command.option("--temperature", a->options.temperature,
                     "divides the logits; 0: greedy decoding [1; for answers without --samples 0]");
  command.option("--top-k", a->options.top_k, "sample from the N likeliest tokens; 0: from all");
  command
      .option("--top-p", a->options.top_p,
              "sample from the likeliest tokens that make up this probability")
      .shown_default("1");
  command.option("--tokens", a->tokens,
                 "tokens to generate [500, or as the answer or the line needs]");
  command.option("--examples", a->examples, "held-out examples to answer without a prompt")
      .shown_default("5");
  command.option("--seed", a->seed, "seed of the random draws").shown_default("0");
  command.flag("--probs", a->probabilities,
               "show the likeliest tokens at each position, with their probabilities");
  command
      .option("--threads", a->threads,
              "that share large products; they help where one reads less than memory delivers")
      .shown_default("1");
  add_checkpoint(command, a->checkpoint);
  add_weights(command, a->weights);
  add_json(command, a->json);
  command.on_run([=, &session] {
    a->has_prompt = prompt.given();
    a->has_samples = samples.given();
    a->has_temperature = temperature.given();
    for (const auto& [name, value] :
         {std::pair("--samples", a->samples), {"--examples", a->examples}})
      if (value < 1) throw UsageError("{} must be at least 1, not {}", name, value);
    if (a->threads < 1 || a->threads > 1024)
      throw UsageError("--threads must be from 1 to 1024, not {}", a->threads);
    if (a->seed < 0) throw UsageError("--seed must be at least 0, not {}", a->seed);
    Sampling(*a, session).run();
  });
}

}  // namespace tapehead
