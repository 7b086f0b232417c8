// Tasks that a program registers with a few words, with a struct as options.
#include "../../parts/parts.hpp"
#include "../../train/data/numbers.hpp"
#include "../../train/tasks/sequences.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(own_task, Elsewhere)

namespace {

enum class Direction { left, right };
constexpr Choice<Direction> directions[] = {{"left", Direction::left}, {"right", Direction::right}};

struct TurnOptions {
  Index by = 1;
  double noise = 0;
  bool twice = false;
  Direction direction = Direction::right;
  void options(Fields& f) {
    f("turn-by", by, 0, 5, "places to turn by");
    f("turn-noise", noise, Range::fraction(), "how many tokens are others");
    f("turn-twice", twice, "turn again");
    f("turn-to", direction, directions, "where the first goes:");
  }
};

TurnOptions made;  // options that the last task was made with

std::unique_ptr<Task> make_turn(const TurnOptions& options) {
  made = options;
  return std::make_unique<Sequences>(
      SequenceRules{"turn", characters(first_symbols(8)), [=](Random& random) {
                      Example example{random_tokens(random, 6, 8), 6};
                      for (Index i = 0; i < 6; ++i)
                        example.tokens.push_back(example.tokens[(i + options.by) % 6]);
                      return example;
                    }});
}

struct Times : NumberTask {
  Example training_example(std::uint64_t, Index, Index) const override { return {{}, 0, {}, {1}}; }
  Index held_out_size() const override { return 1; }
  Example held_out_example(Index) const override { return {{}, 0, {}, {1}}; }
};

struct OneOfOptions {
  Index top = 1, count = 4;
  void options(Fields& f) {
    f("mine-top", top, 1, 9, "experts a token");
    f("mine-count", count, 1, 9, "experts");
  }
};

struct OneOf : Module {
  OneOf(const ModelOptions&, const OneOfOptions& own, const Init&, const Init&) {
    if (own.top > own.count)
      throw ValueError("--mine-top is {}, but there are only {} experts", own.top, own.count);
  }
  Tensor forward(const Tensor& x, Pass&) const override { return x; }
  void visit(Visitor&) override {}
};

Registry with_turn() {
  Registry registry = make_registry();
  registry.task<TurnOptions>("turn", "turn a sequence", recipe("--steps 2 --width 8"), make_turn,
                             {"gpt", "encoder"});
  registry.task("times", "numbers", recipe("--steps 2"), [] { return std::make_unique<Times>(); });
  return registry;
}

}  // namespace

BOOST_AUTO_TEST_CASE(options_reach_the_struct) {
  const Registry registry = with_turn();
  done("train turn --turn-by 2 --turn-noise 0.5 --turn-twice true --turn-to left --out r",
       registry);
  BOOST_TEST(made.by == 2);
  BOOST_TEST(made.noise == 0.5);
  BOOST_TEST(made.twice);
  BOOST_TEST((made.direction == Direction::left));
  made = {};
  done("eval r", registry);  // recorded in the run
  BOOST_TEST(made.by == 2);
  BOOST_TEST((made.direction == Direction::left));
  registry.find_task("turn").make({});
  BOOST_TEST(made.by == 1);
  BOOST_TEST(!made.twice);
}

BOOST_AUTO_TEST_CASE(invalid_values_are_refused_as_for_parts) {
  const Registry registry = with_turn();
  const auto refused = [&](const std::string& option, const std::string& reason) {
    expect_refused(command("train turn --out r " + option, registry), reason);
  };
  refused("--turn-by 6", "--turn-by must be at most 5, not 6");
  refused("--turn-by two", "--turn-by: expected a whole number, got 'two'");
  refused("--turn-noise 1", "--turn-noise must be at least 0 and below 1, not 1");
  refused("--turn-noise nan", "--turn-noise must be at least 0 and below 1, not nan");
  refused("--turn-twice yes", "--turn-twice: expected true or false, got 'yes'");
  refused("--turn-to lef", "unknown --turn-to 'lef'; did you mean 'left'?");
  EXPECT_ERROR(UsageError, registry.find_task("turn").make({{"turn-by", "9"}}),
               "--turn-by must be at most 5, not 9");
  BOOST_TEST(!std::filesystem::exists("r"));
}

BOOST_AUTO_TEST_CASE(layer_refuses_incompatible_options) {
  Registry registry = make_registry();
  registry.mlp<OneOf, OneOfOptions>("one-of", "");
  expect_refused(command("train copy --mlp one-of --mine-top 5 --out r", registry),
                 "--mine-top is 5, but there are only 4 experts");
  BOOST_TEST(!std::filesystem::exists("r"));
  done("train copy --mlp one-of --mine-top 4 --width 8 --steps 1 --out r", registry);
}

BOOST_AUTO_TEST_CASE(lists_and_help_have_no_empty_lines) {
  const Registry registry = with_turn();
  BOOST_TEST(done("tasks turn", registry).text ==
             "turn: turn a sequence\n"
             "  models  gpt, encoder\n"
             "  option  --turn-by 1: places to turn by\n"
             "  option  --turn-noise 0: how many tokens are others\n"
             "  option  --turn-twice false: turn again\n"
             "  option  --turn-to right: where the first goes: left, right\n"
             "  recipe  --width 8 --steps 2\n");
  BOOST_TEST(done("tasks times", registry).text ==
             "times: numbers\n"
             "  models  gpt\n"
             "  recipe  --steps 2\n");
  const std::string help = done("train turn --help", registry).text;
  BOOST_TEST(missing(help, {"--turn-by N", "--turn-noise P", "--[no-]turn-twice",
                            "--turn-to KIND"}) == "");
  BOOST_TEST(count(help, "Teaches") + count(help, "Expect") == 0);
  BOOST_TEST(count(done("train copy --help", registry).text, "\nTeaches: ") == 1);
}

BOOST_AUTO_TEST_CASE(architecture_comes_from_the_recipe) {
  Registry registry = make_registry();
  registry.task("a", "", recipe("--arch encoder"), [] { return make_turn({}); });
  BOOST_TEST((registry.find_task("a").architectures == std::vector<std::string>{"encoder"}));
  expect_refused(command("train a --arch gpt", registry),
                 "a supports only --arch encoder, got --arch gpt");
}

BOOST_AUTO_TEST_SUITE_END()
