#include "../../../tests/shared/support.hpp"
#include "../../../tests/shared/tasks.hpp"
#include "../../../train/evaluate.hpp"
#include "../../../train/model/architecture.hpp"
#include "../../parts.hpp"
#include "../strings.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(chomsky)

namespace {

const std::vector<const char*> names = {"even-pairs",
                                        "modular-arithmetic",
                                        "parity-check",
                                        "cycle-navigation",
                                        "stack-manipulation",
                                        "reverse-string",
                                        "modular-brackets",
                                        "solve-equation",
                                        "duplicate-string",
                                        "missing-duplicate",
                                        "odds-first",
                                        "binary-addition",
                                        "binary-multiplication",
                                        "compute-sqrt",
                                        "bucket-sort"};

std::unique_ptr<Task> of_length(const std::string& name, Index length) {
  return standard_task(name, "length=" + std::to_string(length));
}

std::string question_text(const Task& task, const Example& example) {
  std::string text;
  for (const std::string& word : shown_question(task, example)) text += word;
  return text;
}
std::string answer_text(const Task& task, const Example& example) {
  std::string text;
  for (const std::string& word : shown_answer(task, example)) text += word;
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(sizes) {
  const TaskSizes rows[] = {{"even-pairs", "length=20", 3, 21, 1, 21},
                            {"modular-arithmetic", "length=20", 9, 20, 1, 20},
                            {"parity-check", "length=21", 3, 22, 1, 22},
                            {"cycle-navigation", "", 9, 21, 1, 21},
                            {"reverse-string", "length=20", 3, 40, 20, 59},
                            {"modular-brackets", "length=20", 11, 21, 1, 21},
                            {"solve-equation", "length=20", 12, 21, 1, 21},
                            {"duplicate-string", "length=20", 3, 60, 40, 99},
                            {"missing-duplicate", "length=21", 5, 22, 1, 22},
                            {"odds-first", "length=20", 3, 40, 20, 59},
                            {"compute-sqrt", "length=21", 3, 32, 11, 42},
                            {"bucket-sort", "length=20", 6, 40, 20, 59}};
  for (const TaskSizes& row : rows) expect_sizes(row);
  // Outputs of these three end with a token and differ in length.
  for (const auto& [name, longest] : {std::pair("stack-manipulation", 21),
                                      {"binary-addition", 21},
                                      {"binary-multiplication", 20}}) {
    const auto task = of_length(name, 20);
    BOOST_TEST(task->longest_question() == 20 + longest);
    BOOST_TEST(task->longest_answer() == longest);
    BOOST_TEST(task->context() == 20 + 2 * longest - 1);
    BOOST_TEST(task->show({task->end_token()}) == ".");
  }
}

BOOST_AUTO_TEST_CASE(each_length_works) {
  for (const std::string name : names) BOOST_TEST_CONTEXT(name) {
      const auto trained = of_length(name, 20);
      for (const Index length : {1, 2, 3, 4, 5, 9, 10, 40, 1024}) {
        const auto task = of_length(name, length);
        BOOST_TEST(task->vocabulary() == trained->vocabulary());
        BOOST_TEST(task->placeholder() == trained->placeholder());
        BOOST_TEST(task->end_token() == trained->end_token());
        for (Index number = 0; number < (length > 100 ? 2 : 20); ++number)
          for (const Example& example : training_and_held_out(*task, number)) {
            BOOST_TEST(example.question == task->longest_question());
            BOOST_TEST(static_cast<Index>(example.tokens.size()) - example.question <=
                       task->longest_answer());
            const std::vector<int> question(example.tokens.begin(),
                                            example.tokens.begin() + example.question);
            BOOST_TEST(task->prompt_error(question) == "");
            BOOST_TEST(question.back() == task->placeholder());
          }
      }
    }
}

BOOST_AUTO_TEST_CASE(long_inputs_are_split) {
  for (const std::string name : names) BOOST_TEST_CONTEXT(name) {
      const auto task = of_length(name, 10);
      for (Index number = 0; number < 100; ++number) {
        const auto [training, held_out] = training_and_held_out(*task, number);
        BOOST_TEST(!is_held_out(training.tokens.data(), training.question));
        BOOST_TEST(is_held_out(held_out.tokens.data(), held_out.question));
      }
    }
}

// Placeholders show the length of an output, so mixed lengths need no separator and no other end.
BOOST_AUTO_TEST_CASE(mixed_lengths) {
  for (const std::string name : names) BOOST_TEST_CONTEXT(name) {
      const auto mixed = standard_task(name, "lengths=1..12"), longest = of_length(name, 12);
      BOOST_TEST(mixed->vocabulary() == longest->vocabulary());
      BOOST_TEST(mixed->placeholder() == longest->placeholder());
      BOOST_TEST(mixed->end_token() == longest->end_token());
      BOOST_TEST(mixed->longest_question() == longest->longest_question());
      BOOST_TEST(mixed->longest_answer() == longest->longest_answer());
      std::set<Index> seen;
      for (Index number = 0; number < 100; ++number) {
        const Example example = mixed->training_example(0, 0, number);
        seen.insert(example.question);
        BOOST_TEST(mixed->prompt_error(
                       {example.tokens.begin(), example.tokens.begin() + example.question}) == "");
      }
      BOOST_TEST(seen.size() >= 6u);  // expressions have only odd lengths
      BOOST_TEST(!of_length(name, 9)->few_prompts().empty());
      BOOST_TEST(longest->few_prompts().empty());
    }
  const auto reverse = standard_task("reverse-string", "lengths=1..12");
  BOOST_TEST(reverse->show(reverse->parse_prompt("011")) == "0 1 1 _ _ _");
}

BOOST_AUTO_TEST_CASE(an_example_is_input_placeholders_and_output) {
  const auto task = of_length("binary-addition", 9);
  for (Index number = 0; number < 20; ++number) {
    const Example example = task->held_out_example(number);
    const std::string question = question_text(*task, example), input = question.substr(0, 9);
    BOOST_TEST(question.substr(9) == "__________");
    BOOST_TEST(answer_text(*task, example) == *chomsky::binary_tasks()[0].solve(input));
  }
}

BOOST_AUTO_TEST_CASE(prompts) {
  const auto task = of_length("reverse-string", 3);
  BOOST_TEST(task->show(task->parse_prompt("011")) == "0 1 1 _ _ _");
  BOOST_TEST(task->show(task->parse_prompt("011___")) == "0 1 1 _ _ _");
  BOOST_TEST(task->parse_prompt("").empty());
  BOOST_TEST(task->prompt_error(task->parse_prompt("011")) == "");
  for (const char* wrong : {"01", "0110", "0_1___", "___", "011__"})
    BOOST_TEST(task->prompt_error(task->parse_prompt(wrong)) != "", wrong);
  const auto equation = of_length("solve-equation", 7);
  BOOST_TEST(equation->prompt_error(equation->parse_prompt("(x+3)=1")) == "");
  BOOST_TEST(equation->prompt_error(equation->parse_prompt("(x+x)=1")) == "");
}

// An encoder predicts the output at the placeholders, and needn't use them all.
BOOST_AUTO_TEST_CASE(an_encoder_predicts_at_placeholders) {
  const Registry registry = make_registry();
  const auto task = of_length("stack-manipulation", 3);
  TrainConfig config = registry.find_task("stack-manipulation").recipe;
  config.model.width = 8, config.model.heads = 2, config.model.layers = 1;
  const auto model = make_model(config, *task, registry);
  BOOST_TEST(!model->options.pooled);
  BOOST_TEST(!make_model(config, *of_length("parity-check", 5), registry)->options.pooled);
  const std::vector<int> tokens = task->parse("10P____1.");
  const Batch batch = model->batch({{tokens, 7}});
  expect_equal(batch.inputs, tensor({1, 0, 2, 6, 6, 6, 6}, {1, 7}, DType::i32));
  expect_equal(batch.targets, tensor({-1, -1, -1, 1, 5, -1, -1}, {1, 7}, DType::i32));
  EXPECT_ERROR(ValueError, model->batch({{task->parse("10P_0."), 4}}),
               "encoder: completion of 2 tokens for a prompt of 4, expected at most 1; other "
               "completions need --arch gpt or encoder-decoder");
  // Decoding returns the logits of the placeholders, one after the other.
  Pass pass = Pass::evaluation();
  const Tensor logits = (*model->module)(batch.inputs, pass);
  const auto decoding = model->decode({{tokens.begin(), tokens.begin() + 7}});
  for (Index place = 3; place < 7; ++place)
    expect_equal(decoding->next({}), reshape(slice(logits, 1, place, place + 1), {1, 7}));
  BOOST_TEST(!decoding->next({}));
  EXPECT_ERROR(ValueError, model->decode({task->parse("10P_"), task->parse("10__")}),
               "decode: prompts with 1 placeholder and 2, expected the same number for all");
}

// Lengths don't count placeholders or end tokens, and the accuracy counts only outputs.
BOOST_AUTO_TEST_CASE(evaluation_by_length) {
  const Registry registry = make_registry();
  const auto task = of_length("binary-addition", 6);
  TrainConfig config = registry.find_task("binary-addition").recipe;
  config.model.width = 8, config.model.heads = 2, config.model.layers = 1;
  const auto model = make_model(config, *task, registry);
  const Evaluation result = evaluate(*model, *task, 50);
  BOOST_TEST(result.by_source.size() == 1u);
  BOOST_TEST(result.by_source.at(6).examples == 50);
  Index targets = 0;
  for (Index number = 0; number < 50; ++number) {
    const Example example = task->held_out_example(number);
    targets += static_cast<Index>(example.tokens.size()) - example.question;
  }
  BOOST_TEST(result.all_positions().targets == targets);
  BOOST_TEST(result.by_target.rbegin()->first <= 5);
}

BOOST_AUTO_TEST_SUITE_END()
