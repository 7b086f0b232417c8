// Checks which choice reads which option: an option that is read changes the result, and other
// options are rejected.
#include "../../train/config/validate.hpp"
#include "../../parts/parts.hpp"
#include "../../train/learner.hpp"
#include "../shared/option_rows.hpp"
#include "../shared/support.hpp"
#include "../shared/tasks.hpp"

#include <map>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(validate)

namespace {

/// A value other than the default, for each option that only some built-in choices read. For
/// options of custom parts, see other_values().
const std::map<std::string, std::string> others = {{"tied-head", "false"},
                                                   {"reach", "1"},
                                                   {"heads", "1"},
                                                   {"kv-heads", "1"},
                                                   {"head-width", "6"},
                                                   {"rotary-base", "3"},
                                                   {"random-positions", "64"},
                                                   {"mlp-width", "3"},
                                                   {"attention-temperature", "head"},
                                                   {"attention-scale", "one"},
                                                   {"window", "3"},
                                                   {"hide-self", "true"},
                                                   {"tied-kv", "true"},
                                                   {"qk-norm", "true"},
                                                   {"norm-epsilon", "0.1"},
                                                   {"beta1", "0.5"},
                                                   {"beta2", "0.5"},
                                                   {"weight-decay", "0.7"},
                                                   {"momentum", "0.5"},
                                                   {"adam-lr", "0.02"},
                                                   {"adam-eps", "0.1"},
                                                   {"eps", "0.1"},
                                                   {"min-lr", "0"},
                                                   {"decay", "0.6"},
                                                   {"strength", "2"},
                                                   {"floor", "0.5"},
                                                   {"slope", "2"}};

struct Slope {
  double slope = 1;
  void options(Fields& f) { f("slope", slope, Range::positive(), "by how much"); }
};
struct Strength {
  double strength = 1;
  void options(Fields& f) { f("strength", strength, Range::positive(), "how much is added"); }
};
struct Floor {
  double floor = 0.1;
  void options(Fields& f) { f("floor", floor, Range::fraction(), "what is left of the rate"); }
};

/// A layer that adds its input to itself several times.
struct Adding : Module {
  explicit Adding(double factor_) : factor(factor_) {}
  Tensor forward(const Tensor& x, Pass&) const override { return factor * x; }
  void visit(Visitor&) override {}
  double factor;
};

/// A position scheme whose scores decrease with distance, equally in all heads.
struct Falling : PositionScheme {
  explicit Falling(double slope_) : slope(slope_) {}
  void score(AttentionOptions& how, Index queries, Index keys, DType dtype,
             const Pass&) const override {
    const Tensor place = cast(arange(queries + keys - 1), dtype);
    how.bias = reshape(abs(place - static_cast<double>(keys - 1)) * -slope, Shape{1, place.dim(0)});
  }
  double slope;
};

Registry with_own_parts() {
  Registry registry = make_registry();
  registry.position({"falling",
                     "as alibi, and steep",
                     [](ModelOptions& model, const OwnValues& own) {
                       const double slope = own.as<Slope>().slope;
                       model.position = [=](const AttentionLayerOptions&) {
                         return std::make_unique<Falling>(slope);
                       };
                     },
                     {},
                     options_of<Slope>()});
  registry.attention({"adding",
                      "what no attention is",
                      [](ModelOptions& model, const OwnValues& own) {
                        const double strength = own.as<Strength>().strength;
                        model.attention = [=](const AttentionLayerOptions&) {
                          return std::make_unique<Adding>(strength);
                        };
                      },
                      {},
                      options_of<Strength>()});
  registry.schedule({"stairs",
                     "half of the rate after half of the steps",
                     [](const TrainConfig& config) {
                       const double floor = config.own.as<Floor>().floor;
                       return [=](Index step) {
                         return config.lr * (2 * step < config.steps ? 1 : floor);
                       };
                     },
                     {},
                     options_of<Floor>()});
  return registry;
}

TrainConfig small_config(const Registry& registry) {
  TrainConfig config = default_config(registry.find_task("reverse"));
  config.arch = "gpt";
  config.task_options = {{"length", "4"}, {"symbols", "4"}};
  config.model.layers = 1, config.model.heads = 2, config.model.width = 8;
  config.batch = 4, config.steps = 12, config.warmup = 1, config.lr = 0.01, config.clip = 0;
  return config;
}

std::vector<double> trained(const TrainConfig& config, const Registry& registry) {
  Learner learner(make_plan(validated(config, registry), registry), registry, true);
  for (Index step = 0; step < config.steps; ++step) learner.step(step);
  std::vector<double> all;
  walk(*learner.model->module, [&](const std::string&, const Parameter& p) {
    for (const double x : p.value().values()) all.push_back(x);
  });
  return all;
}

bool reads(const PartInfo& part, const std::string& option) {
  return std::count(part.reads.begin(), part.reads.end(), option) > 0 ||
         std::any_of(part.options.begin(), part.options.end(),
                     [&](const Option& own) { return own.name == option; }) ||
         std::any_of(part.renamed.begin(), part.renamed.end(),
                     [&](const auto& names) { return names.first == option; });
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_option_is_read_or_refused) {
  const Registry registry = with_own_parts();
  Index read = 0, refused = 0;
  for (const PartList* kind : registry.kinds()) {
    std::set<std::string> options;
    for (const auto& part : kind->all()) {
      options.insert(part->reads.begin(), part->reads.end());
      for (const Option& own : part->options) options.insert(own.name);
    }
    options.erase("position");  // tested below
    for (const auto& part : kind->all()) {
      const std::vector<std::string> kinds =
          architectures_for(registry.find_task("reverse"), registry);
      if (std::string(kind->option()) == "arch" &&
          std::count(kinds.begin(), kinds.end(), part->name) == 0)
        continue;
      TrainConfig config = small_config(registry);
      config.*kind->field() = part->name;
      config.model.window = 2;  // so that other visible positions matter
      config = without_unused(config, {}, registry);
      const std::vector<double> usual = trained(config, registry);
      for (const std::string& option : options) BOOST_TEST_CONTEXT(part->name << ' ' << option) {
          TrainConfig changed = config;
          const auto own = others.find(option);
          BOOST_TEST_REQUIRE((own != others.end() || other_values().count(option) > 0),
                             "other_values of this file has no value for --" << option);
          const std::string& other = own == others.end() ? other_values().at(option) : own->second;
          apply({{option, other}}, all_options(registry.find_task("reverse"), registry), changed);
          if (reads(*part, option)) {
            ++read;
            BOOST_TEST(trained(changed, registry) != usual);
          } else {
            ++refused;
            const std::string text =
                error_text(typeid(UsageError), [&] { validated(changed, registry); });
            BOOST_TEST(
                text.rfind(fmt::format("--{} has no effect with --{} {}; remove it, or use --",
                                       option, kind->option(), part->name),
                           0) == 0,
                text);
          }
        }
    }
  }
  BOOST_TEST(read > 25);
  BOOST_TEST(refused > 20);
}

BOOST_AUTO_TEST_CASE(a_position_that_is_chosen_acts) {
  const Registry registry = with_own_parts();
  TrainConfig config = small_config(registry);
  std::set<std::vector<double>> results;
  for (const std::string& name : registry.positions().names()) {
    config.position = name;
    results.insert(trained(config, registry));
  }
  BOOST_TEST(results.size() == registry.positions().names().size());
  config = without_unused(config, {}, registry);
  config.attention = "adding";
  config = without_unused(config, {}, registry);
  for (const char* name : {"none", "learned", "sinusoidal"}) {
    config.position = name;
    validated(config, registry);
  }
  const auto without_positions = [](const char* position) {
    return fmt::format(
        "--position {} has no effect with --attention adding; remove it, or use "
        "--attention standard, gated-heads, differential, sinks, latent or "
        "switchhead",
        position);
  };
  config.position = "falling";
  EXPECT_ERROR(UsageError, validated(config, registry), without_positions("falling"));
  config.position = "rotary";
  EXPECT_ERROR(UsageError, validated(config, registry), without_positions("rotary"));
}

BOOST_AUTO_TEST_CASE(defaults_for_other_values_are_dropped) {
  const Registry registry = make_registry();
  TrainConfig config = default_config(registry.find_task("sort"));  // muon, with its adam-lr
  config.optimizer = "adamw";
  EXPECT_ERROR(
      UsageError, validated(config, registry),
      "--adam-lr has no effect with --optimizer adamw; remove it, or use --optimizer muon");
  const TrainConfig valid = resolved(config, {}, registry);
  BOOST_TEST(valid.own.texts.count("adam-lr") == 0);
  const Settings given = {{"adam-lr", "0.005"}};
  EXPECT_ERROR(
      UsageError, resolved(config, given, registry),
      "--adam-lr has no effect with --optimizer adamw; remove it, or use --optimizer muon");
}

BOOST_AUTO_TEST_CASE(an_option_that_was_given_is_refused_at_its_default_too) {
  const Registry registry = make_registry();
  TrainConfig config = small_config(registry);
  config.optimizer = "adamw";
  const Settings given = {{"adam-lr", "0.001"}};
  EXPECT_ERROR(
      UsageError, without_unused(config, given, registry),
      "--adam-lr has no effect with --optimizer adamw; remove it, or use --optimizer muon");
}

// A model without transformer blocks.
BOOST_AUTO_TEST_CASE(
    an_architecture_refuses_the_options_of_blocks_unless_it_has_them_or_lists_them) {
  for (const bool blocks : {false, true}) {
    Registry registry = make_registry();
    MakeArchitecture plain = registry.architectures().make("gpt");
    plain.blocks = blocks;
    plain.like = "gpt";
    registry.model({"plain", "a gpt by another name", plain, {"mlp-width"}});
    TrainConfig config = small_config(registry);
    config.arch = "plain";
    config = without_unused(config, {}, registry);
    config.model.width = 9;  // not divisible by the default 4 heads
    if (!blocks) validated(config, registry);
    config.model.width = 8;
    for (const char* given : {"norm rms", "mlp relu", "heads 1", "position rotary", "biases false",
                              "residual false", "mlp-width 9"}) {
      const std::string words = given, name = words.substr(0, words.find(' '));
      const Settings settings = {{name, words.substr(words.find(' ') + 1)}};
      TrainConfig changed = config;
      apply(settings, all_options(registry.find_task("reverse"), registry), changed);
      const auto check = [&] { resolved(changed, settings, registry); };
      if (blocks || name == "mlp-width")
        check();
      else
        BOOST_TEST(error_text(typeid(UsageError), check)
                       .rfind("--" + name +
                                  " has no effect with --arch plain; remove it, or use --arch gpt, "
                                  "encoder",
                              0) == 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(own_options_are_checked_and_completed) {
  const Registry registry = with_own_parts();
  TrainConfig config = small_config(registry);
  config.schedule = "stairs";
  config = without_unused(config, {}, registry);
  BOOST_TEST(validated(config, registry).own.as<Floor>().floor == 0.1);
  const auto set = [&](const char* value) {
    apply({{"floor", value}}, common_options(registry), config);
  };
  EXPECT_ERROR(UsageError, set("x"), "--floor: expected a number, got 'x'");
  set("1");
  EXPECT_ERROR(UsageError, validated(config, registry),
               "--floor must be at least 0 and below 1, not 1");
  set("0.250");
  BOOST_TEST(find_option(common_options(registry), "floor", "").get(config) == "0.25");
  BOOST_TEST(validated(config, registry).own.as<Floor>().floor == 0.25);
  EXPECT_ERROR(ValueError, OwnValues().as<Floor>(),
               "option 'floor' belongs to no chosen part; read it only in the part (--attention, "
               "--optimizer, ...) that declares it");
}

namespace {

struct Stairs {
  double floor = 0.25;
  Index stairs = 3;
  void options(Fields& f) {
    f("floor", floor, Range::not_negative(), "the lowest stair");
    f("stairs", stairs, 1, 9, "number of stairs");
  }
};

SchedulePart constant_with(const char* name, std::vector<Option> options) {
  const auto make = [](const TrainConfig&) { return [](Index) { return 0.1; }; };
  return {name, "", make, {}, std::move(options)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(parts_of_one_kind_share_an_option) {
  Registry registry = with_own_parts();
  registry.schedule(constant_with("more-stairs", options_of<Stairs>()));
  const Option& floor = find_option(common_options(registry), "floor", "");
  BOOST_TEST(floor.help ==
             "with stairs: what is left of the rate; with more-stairs: the lowest stair, 0.25 by "
             "default");
  TrainConfig config = without_unused(small_config(registry), {}, registry);
  // Each choice of --schedule has its own default and range of the option.
  config.schedule = "stairs";
  BOOST_TEST(validated(config, registry).own.as<Floor>().floor == 0.1);
  config.schedule = "more-stairs";
  BOOST_TEST(validated(config, registry).own.as<Stairs>().floor == 0.25);
  BOOST_TEST(validated(config, registry).own.as<Stairs>().stairs == 3);
  floor.set(config, "2");
  BOOST_TEST(validated(config, registry).own.as<Stairs>().floor == 2);
  config.schedule = "stairs";
  EXPECT_ERROR(UsageError, validated(config, registry),
               "--floor must be at least 0 and below 1, not 2");
  config.schedule = "constant";
  EXPECT_ERROR(UsageError, validated(config, registry),
               "--floor has no effect with --schedule constant; remove it, or use --schedule "
               "stairs or more-stairs");
  floor.set(config, "0.1");  // defaults are omitted
  BOOST_TEST(validated(config, registry).own.texts.count("floor") == 0);

  // An option that only one of the configurations has isn't a difference if it has its default.
  TrainConfig other = config;
  config.schedule = "stairs", other.schedule = "more-stairs";
  config.own = other.own = {};
  const std::vector<Option> differing =
      differences(validated(config, registry), validated(other, registry), registry);
  BOOST_TEST_REQUIRE(differing.size() == 2);
  BOOST_TEST(differing[0].name == "schedule");
  BOOST_TEST(differing[1].name == "floor");

  EXPECT_ERROR(ValueError, registry.schedule(constant_with("odd", a_flag("floor"))),
               "registry: schedule 'odd': --floor takes true|false, but --floor of schedule "
               "'stairs' takes P");
}

BOOST_AUTO_TEST_CASE(an_older_name_means_the_new_option_of_its_part) {
  const Registry registry = make_registry();
  const std::vector<Option>& options = common_options(registry);
  // The order of the two options doesn't matter.
  const Settings given = {{"beta1", "0.50"}, {"optimizer", "sgd"}};
  TrainConfig config = small_config(registry);
  apply(given, options, config);
  config = resolved(config, given, registry);
  BOOST_TEST(config.own.texts.at("momentum") == "0.5");
  BOOST_TEST(config.own.texts.count("beta1") == 0);
  for (const Option& option : read_options(config, registry)) BOOST_TEST(option.name != "beta1");
}

BOOST_AUTO_TEST_CASE(names_of_options_are_taken_once) {
  Registry registry = with_own_parts();
  const auto add = [&](const char* option) {
    registry.norm({"twice", "", [](ModelOptions&, const OwnValues&) {}, {}, a_flag(option)});
  };
  for (const auto& [taken, whose] :
       {std::pair("lr", "every run"), {"floor", "schedule 'stairs'"}, {"length", "task 'copy'"}})
    EXPECT_ERROR(ValueError, add(taken),
                 fmt::format("registry: norm 'twice': option names already in use: --{} "
                             "({}); use a prefix, as in --my-{}",
                             taken, whose, taken));
}

BOOST_AUTO_TEST_SUITE_END()
