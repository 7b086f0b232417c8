#include "../../train/data/mixed_lengths.hpp"
#include "../../parts/parts.hpp"
#include "../../train/config/options.hpp"
#include "../../train/model/architecture.hpp"
#include "../../train/plan.hpp"
#include "../../train/step/not_finite.hpp"
#include "../shared/support.hpp"
#include "../shared/tasks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace tapehead;

// Tasks with --lengths, and with --index-hints.
BOOST_AUTO_TEST_SUITE(mixed_lengths)

namespace {

std::unique_ptr<Task> make(const std::string& name, const std::string& options) {
  return standard_task(name, options);
}

std::string text_of(const Task& task, const Example& example) {
  return task.show({example.tokens.begin(), example.tokens.begin() + example.question}) + " -> " +
         task.show({example.tokens.begin() + example.question, example.tokens.end()});
}

/// Lengths that every task with a length option accepts.
std::string lengths_for(const std::string& task) {
  const std::map<std::string, std::string> special = {
      {"majority", "1..9..2"}, {"select", "16..24"}, {"dyck", "16..24..2"},  {"translate", "3..6"},
      {"induction", "3..9"},   {"recall", "2..5"},   {"regression", "2..5"}, {"mqar", "16..20..2"}};
  const auto found = special.find(task);
  return found == special.end() ? "1..6" : found->second;
}

}  // namespace

BOOST_AUTO_TEST_CASE(texts_of_lengths) {
  using All = std::vector<Index>;
  BOOST_TEST((parse_lengths("16") == All{16}));
  BOOST_TEST((parse_lengths("3..6") == All{3, 4, 5, 6}));
  BOOST_TEST((parse_lengths("10..25..5") == All{10, 15, 20, 25}));
  BOOST_TEST((parse_lengths("1..8..3") == All{1, 4, 7}));
  BOOST_TEST((parse_lengths("20,5..6,5") == All{5, 6, 20}));
  for (const std::string wrong : {"", "x", "0", "-1..3", "3..", "..3", "1..3..0", "1..2..3..4",
                                  "5..3", "1,,2", "1-3", "1.5", "65536"})
    EXPECT_ERROR(
        UsageError, parse_lengths(wrong),
        "--lengths must be a length from 1 to 65535, a range such as 1..20 or 10..100..10, "
        "or a list such as 4,8,16; got '" +
            wrong + "'");
  EXPECT_ERROR(UsageError, parse_lengths("1..5000"),
               "--lengths 1..5000 has 5000 lengths, expected at most 4096; use steps, as in "
               "10..1000..10");
}

/// Every length occurs equally often: exactly in validation, at random in training.
BOOST_AUTO_TEST_CASE(lengths_are_uniform) {
  const auto task = make("copy", "lengths=3..7");
  std::map<Index, int> drawn, held_out;
  constexpr int count = 5000;
  for (int i = 0; i < count; ++i) ++drawn[task->training_example(3, i / 50, i % 50).question - 1];
  for (Index i = 0; i < task->held_out_size(); ++i)
    ++held_out[task->held_out_example(i).question - 1];
  BOOST_TEST(task->held_out_size() == 1000);
  BOOST_TEST_REQUIRE(drawn.size() == 5u);
  for (Index length = 3; length <= 7; ++length) {
    BOOST_TEST(held_out[length] == 200);
    BOOST_TEST(std::abs(drawn[length] - count / 5) < 4 * 28, length << ": " << drawn[length]);
  }
}

/// A length has the same examples as the task with this length alone.
BOOST_AUTO_TEST_CASE(examples_are_those_of_each_length) {
  const auto mixed = make("add", "lengths=2..4");
  std::map<Index, std::unique_ptr<Task>> single;
  for (Index digits = 2; digits <= 4; ++digits)
    single[digits] = make("add", fmt::format("digits={}", digits));
  const int end = mixed->end_token();
  BOOST_TEST(mixed->show({end}) == "$");
  for (Index i = 0; i < 60; ++i) {
    const Example example = mixed->training_example(5, 1, i);
    const Index digits = (example.question - 2) / 2;
    Example own = single.at(digits)->training_example(5, 1, i);
    own.tokens.push_back(end);
    BOOST_TEST((example.tokens == own.tokens));
    Example held_out = single.at(2 + i % 3)->held_out_example(i / 3);
    held_out.tokens.push_back(end);
    BOOST_TEST((mixed->held_out_example(i).tokens == held_out.tokens));
  }
}

/// The format doesn't depend on the lengths, so that a model can be evaluated at any length.
BOOST_AUTO_TEST_CASE(the_format_is_that_of_the_task) {
  const std::tuple<const char*, const char*, const char*> rows[] = {
      {"copy", "1", "3 | -> 3 $"},
      {"copy", "3", "2 6 5 | -> 2 6 5 $"},
      {"reverse", "3", "2 3 3 | -> 3 3 2 $"},
      {"parity", "3", "0 0 0 -> 0"},
      {"add", "1", "2 + 3 = -> 5 0 $"},
      {"translate", "3", ""},
      {"select", "16", ""}};
  for (const auto& [name, length, text] : rows) {
    const auto one = make(name, std::string("lengths=") + length);
    const auto more = make(name, "lengths=" + lengths_for(name));
    BOOST_TEST(one->vocabulary() == more->vocabulary());
    BOOST_TEST(one->separator() == more->separator());
    BOOST_TEST(one->end_token() == more->end_token());
    BOOST_TEST(one->shows_prompt_end());
    if (*text) BOOST_TEST(text_of(*one, one->held_out_example(0)) == text);
  }
}

BOOST_AUTO_TEST_CASE(every_task_with_a_length) {
  const Registry registry = make_registry();
  for (const TaskEntry& entry : registry.tasks()) {
    const auto has = [&](const char* name) {
      return std::any_of(entry.options.begin(), entry.options.end(),
                         [=](const Option& option) { return option.name == name; });
    };
    const bool has_length = has(entry.length_option.c_str());
    BOOST_TEST(has("lengths") == (has_length && !has("data")), entry.name);
    if (!has("lengths")) continue;
    for (const std::string& arch : entry.architectures)
      BOOST_TEST_CONTEXT(entry.name << ' ' << arch) {
        TrainConfig config = default_config(entry);
        config.task_options["lengths"] = lengths_for(entry.name);
        config.arch = arch;
        config.position = arch == "gpt" ? config.position : "sinusoidal";
        config.model.width = 8, config.model.heads = 1, config.model.layers = 1;
        config.batch = 16;
        const Plan plan = make_plan(config, registry);
        const Task& task = *plan.task;
        const auto model = make_model(config, task, registry);
        std::vector<Example> examples;
        Index longest = 0;
        for (Index i = 0; i < 40; ++i) {
          examples.push_back(training_example(task, 1, 2, i));
          const Example held_out = held_out_example(task, i);
          BOOST_TEST(held_out.question <= task.longest_question());
          BOOST_TEST(static_cast<Index>(held_out.tokens.size()) - held_out.question <=
                     task.longest_answer());
          longest = std::max(longest, static_cast<Index>(examples.back().tokens.size()));
          const std::vector<int> prompt(held_out.tokens.begin(),
                                        held_out.tokens.begin() + held_out.question);
          BOOST_TEST(task.prompt_error(prompt) == "");
          BOOST_TEST((task.parse_prompt(task.show(prompt)) == prompt));
          BOOST_TEST((task.parse(task.show(held_out.tokens)) == held_out.tokens));
        }
        BOOST_TEST(longest <= task.context() + 1);
        Pass pass = Pass::evaluation();
        const Batch batch = model->batch(examples);
        BOOST_TEST(is_finite(logits_of(*model->module, batch, pass)));
      }
  }
}

/// Padding has no target and doesn't change the predictions of shorter examples.
BOOST_AUTO_TEST_CASE(padding_is_masked) {
  const Registry registry = make_registry();
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) BOOST_TEST_CONTEXT(arch) {
      TrainConfig config = default_config(registry.find_task("reverse"));
      config.task_options["lengths"] = "2,9";
      config.arch = arch;
      const auto task = make_task(config, registry);
      const auto model = make_model(config, *task, registry);
      const Example shorter = task->held_out_example(0), longer = task->held_out_example(1);
      const auto logits = [&](const std::vector<Example>& examples) {
        Pass pass = Pass::evaluation();
        return logits_of(*model->module, model->batch(examples), pass);
      };
      const Batch both = model->batch({shorter, longer});
      Index targets = 0;
      for (Index i = 0; i < both.targets.dim(1); ++i)
        targets += both.targets.data<std::int32_t>()[i] >= 0 ? 1 : 0;
      BOOST_TEST(targets == 3);  // two tokens and the end
      const Tensor alone = logits({shorter}), padded = logits({shorter, longer});
      const auto* a = alone.data<float>();
      const auto* b = padded.data<float>();
      for (Index i = 0; i < alone.dim(1) * alone.dim(2); ++i)
        BOOST_TEST(std::abs(a[i] - b[i]) < 1e-5);
    }
}

BOOST_AUTO_TEST_CASE(few_prompts_are_noted) {
  BOOST_TEST(make("copy", "lengths=2..9")->data_note() == "");
  const auto task = make("copy", "lengths=1..9 symbols=2");
  BOOST_TEST(task->few_prompts() == "");
  BOOST_TEST(task->data_note() ==
             "too few different prompts of length 1, 2, 3, 4, 5, 6, 7 for a validation split, so "
             "training sees them all");
  // From length 8 on, validation prompts are never trained on.
  std::set<std::vector<int>> trained;
  for (Index i = 0; i < 3000; ++i) {
    const Example example = task->training_example(0, 0, i);
    trained.insert({example.tokens.begin(), example.tokens.begin() + example.question});
  }
  for (Index i = 0; i < 300; ++i) {
    const Example example = task->held_out_example(i);
    if (example.question > 8)
      BOOST_TEST(
          trained.count({example.tokens.begin(), example.tokens.begin() + example.question}) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(wrong_lengths) {
  const std::tuple<const char*, const char*, const char*> all[] = {
      {"copy", "length=8 lengths=1..3",
       "--length 8 and --lengths 1..3 can't be combined; remove one"},
      {"majority", "lengths=1..3",
       "--lengths 1..3: at length 2: --length must be odd, so that one token is more frequent, not "
       "2"},
      {"select", "lengths=8..20",
       "--lengths 8..20: at length 8: --chosen must be a whole number from 1 to 8 (--length), not "
       "'16'"},
      {"modular", "lengths=1..3",
       "unknown option '--lengths'; expected --operation, --prime or --share"},
      {"copy", "index-hints=4", "--index-hints 4: the examples need at least 16, one per symbol"},
      {"copy", "lengths=1..9 index-hints=8",
       "--index-hints 8: the examples need at least 9, one per symbol"},
      {"copy", "index-hints=x", "--index-hints must be a whole number from 1 to 4096, not 'x'"}};
  for (const auto& [name, options, message] : all)
    expect_error<UsageError>([name = name, options = options] { make(name, options); }, message);
}

BOOST_AUTO_TEST_CASE(prompts) {
  const auto task = make("copy", "lengths=2..4");
  BOOST_TEST(task->show(task->parse_prompt("a1")) == "a 1 |");
  BOOST_TEST(task->show(task->parse_prompt("a1|")) == "a 1 |");
  BOOST_TEST(task->show(task->parse("a1|a1$")) == "a 1 | a 1 $");
  BOOST_TEST(task->prompt_error(task->parse_prompt("a12")) == "");
  BOOST_TEST(task->prompt_error(task->parse_prompt("12345")) ==
             "lengths are from 2 to 4; at length 4, copy expects 4 tokens, as in 66f7; got 5 "
             "tokens");
  const auto add = make("add", "lengths=1..3");
  BOOST_TEST(add->prompt_error(add->parse_prompt("1+2")) ==
             "lengths are from 1 to 3; at length 1, add expects 1 digit + 1 digit =, as in 2+3=; "
             "got 3 tokens");
  BOOST_TEST(task->prompt_error(task->parse("12")) == "the prompt must end with |, got '1 2'");
  EXPECT_ERROR(ValueError, task->parse("x"), "copy: 'x' isn't one of the tokens 0 to f");
}

BOOST_AUTO_TEST_CASE(index_hints) {
  const auto copy = make("copy", "lengths=3 index-hints=9");
  BOOST_TEST(text_of(*copy, copy->held_out_example(0)) == "@4 2 @5 6 @6 5 | -> @4 2 @5 6 @6 5 $");
  const auto add = make("add", "digits=2 reversed=all index-hints=5");
  BOOST_TEST(text_of(*add, add->held_out_example(1)) ==
             "@1 4 @2 9 + @1 5 @2 8 = -> @1 9 @2 7 @3 1");
  const auto plain = make("add", "digits=2 reversed=all");
  std::set<std::string> first;
  for (Index i = 0; i < 100; ++i) {
    const Example example = add->training_example(1, 2, i);
    std::vector<int> own;
    for (const int token : example.tokens)
      if (token < plain->vocabulary()) own.push_back(token);
    BOOST_TEST((own == plain->training_example(1, 2, i).tokens));
    BOOST_TEST((add->training_example(1, 2, i).tokens == example.tokens));
    first.insert(add->show({example.tokens[0]}));
  }
  BOOST_TEST((first == std::set<std::string>{"@0", "@1", "@2"}));  // sums have three digits
  BOOST_TEST(add->show(add->parse_prompt("12+34=")) == "@0 1 @1 2 + @0 3 @1 4 =");
  BOOST_TEST(add->prompt_error(add->parse_prompt("12+34=")) == "");
  BOOST_TEST(
      add->prompt_error(add->parse("@1 1 @3 2 + @1 3 @2 4 =")) ==
      "index hints must count up by one before each symbol, as in '@1 1 @2 2 + @1 3 @2 4 ='");
  EXPECT_ERROR(ValueError, add->parse("@5 1"), "'@5' isn't one of the index hints @0 to @4");
  const auto parity = make("parity", "lengths=3 scratchpad=true index-hints=9");
  BOOST_TEST(text_of(*parity, parity->held_out_example(3)) ==
             "@3 1 @4 1 @5 1 | -> @3 1 @4 0 @5 1 $");
}

BOOST_AUTO_TEST_SUITE_END()
