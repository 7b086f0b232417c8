// An encoder that predicts masked tokens in place, and the commands recommended for such a run.
#include "../../cli/terminal/answer.hpp"
#include "../../train/tasks/sequences.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(filled, Elsewhere)

namespace {

struct Masked : Sequences {
  using Sequences::Sequences;
  bool has_answers() const override { return false; }
};

/// Returns an example of six random tokens from three symbols. The last equals the first and is
/// masked.
Example hidden_last(Random& random) {
  std::vector<int> all = random_tokens(random, 6, 3);
  all[5] = all[0];
  Example example{all, 6};
  example.tokens[5] = 3;
  example.tokens.insert(example.tokens.end(), all.begin(), all.end());
  example.target_positions = {11};
  return example;
}

std::unique_ptr<Task> masked() {
  return std::make_unique<Masked>(SequenceRules{"masked", characters("abc?"), hidden_last});
}

Registry with_masked() {
  Registry registry = make_registry();
  registry.task("masked", "",
                recipe("--arch encoder --layers 1 --heads 2 --width 16 --lr 0.01 --steps 200"),
                masked, {"encoder", "gpt"});
  return registry;
}

struct Hidden : Module {
  Hidden(const HeadOptions& o, const NoOptions&) : out(o.width, o.width) {}
  Tensor forward(const Tensor& x, Pass& pass) const override { return out(x, pass); }
  void visit(Visitor& v) override { v("out", out); }
  Linear out;
};

bool recommends(const std::string& line, const std::string& command, const Registry& registry) {
  return done(line, registry).text.find(" " + command + " ") != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(sample_fills_in_masked_tokens) {
  const Registry registry = with_masked();
  const std::string trained = done("train masked --out r", registry).text;
  const Example first = masked()->held_out_example(0);
  std::vector<int> right(first.tokens.begin() + 6, first.tokens.end());
  const std::string question = masked()->show({first.tokens.begin(), first.tokens.begin() + 6});
  const std::string line = fmt::format("  sample  {} → {}\n", question, masked()->show(right));
  BOOST_TEST(trained.find(line) != std::string::npos, trained);
  BOOST_TEST(done("sample r --examples 1", registry).text ==
             fmt::format("  in   {}\n  out  {}   ✓\n", question, masked()->show(right)));
  BOOST_TEST(count(done("sample r --examples 3", registry).text, "  in   ") == 3);

  const json document = json_of("sample r --examples 2 --json", registry);
  BOOST_TEST(document["prompts"].size() == 2);
  BOOST_TEST(document["prompts"][0]["prompt"] == question);
  BOOST_TEST(document["prompts"][0]["samples"][0]["text"] == masked()->show(right));
  BOOST_TEST(document["prompts"][0]["samples"][0]["right"] == true);
}

BOOST_AUTO_TEST_CASE(only_masked_tokens_are_filled_in) {
  TrainConfig config = recipe("--arch encoder --layers 1 --heads 2 --width 8");
  const auto task = masked();
  const auto model = make_model(config, *task, make_registry());
  BOOST_TEST(fills_in(*model, *task));
  const Example example = task->held_out_example(3);
  const Filled result = fill_in(*model, example);
  for (std::size_t i = 0; i < 5; ++i) BOOST_TEST(result.predicted[i] == example.tokens[i]);
  BOOST_TEST(result.right[5] == example.tokens[11]);
  config.arch = "gpt";
  BOOST_TEST(!fills_in(*make_model(config, *task, make_registry()), *task));
}

BOOST_AUTO_TEST_CASE(gpt_without_answers_starts_with_the_first_token) {
  const Registry registry = with_masked();
  done("train masked --arch gpt --steps 2 --out r", registry);
  BOOST_TEST(done("sample r --tokens 5", registry).text.substr(0, 1) == "a");
}

BOOST_AUTO_TEST_CASE(attention_is_recommended_only_if_available) {
  Registry registry = with_masked();
  registry.attention<Hidden, NoOptions>("hidden", "");
  const std::string few = " --layers 1 --width 8 --heads 2 --steps 2 ";
  BOOST_TEST(recommends("train copy --out a" + few, "attention", registry));
  BOOST_TEST(recommends("train reverse --out b" + few, "attention", registry));
  BOOST_TEST(
      recommends("train reverse --arch encoder-decoder --out c" + few, "attention", registry));
  BOOST_TEST(!recommends("train copy --attention hidden --out d" + few, "attention", registry));
}

BOOST_AUTO_TEST_SUITE_END()
