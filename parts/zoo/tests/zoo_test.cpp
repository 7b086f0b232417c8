// Tests the zoo's layers as `--attention NAME`.
#include "../../../tests/shared/build.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/layer_entries.hpp"
#include "../../../tests/shared/memory_need.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/config/options.hpp"
#include "../../../train/config/validate.hpp"
#include "../../../train/model/architecture.hpp"
#include "../../../train/model/parts.hpp"
#include "../../parts.hpp"

#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(zoo)

namespace {

const Registry& registry() {
  static const Registry standard = make_registry();
  return standard;
}

TrainConfig config_of(const std::string& options) {
  const TaskEntry& entry = registry().find_task("copy");
  TrainConfig config = entry.recipe;
  // An LSTM has no heads, and accepts only their default number.
  const std::string heads = has(options, "lstm") ? "--heads 4 " : "--heads 2 ";
  for (const auto& [name, value] : parse_settings("--width 16 --length 6 " + heads + options))
    find_option(all_options(entry, registry()), name, "copy").set(config, value);
  return validated(config, registry());
}

std::unique_ptr<TaskModel> model_of(const std::string& options) {
  TrainConfig config = config_of(options);
  config.dtype = "f64";
  return make_model(config, *make_task(config, registry()), registry());
}

const Tensor& ids() {
  static const Tensor all = tensor({3, 1, 4, 1, 5, 2, 6, 5, 3, 5}, {1, 10}, DType::i32);
  return all;
}

/// Returns the logits of a sequence read in one pass.
Tensor logits_of(const TaskModel& model) {
  Pass pass;
  return (*model.module)(ids(), pass);
}

std::vector<std::string> names() {
  std::vector<std::string> all = registry().attentions().names();
  all.erase(all.begin());
  return all;
}

/// Options that some attention layers read, each with a value other than its default.
const std::map<std::string, std::string> values = {{"heads", "8"},
                                                   {"kv-heads", "1"},
                                                   {"attention-temperature", "head"},
                                                   {"attention-scale", "one"},
                                                   {"window", "2"},
                                                   {"hide-self", "true"},
                                                   {"tied-kv", "true"},
                                                   {"qk-norm", "true"},
                                                   {"position", "rotary"},
                                                   {"lambda", "0.3"},
                                                   {"sinks", "1"},
                                                   {"latent", "3"},
                                                   {"experts", "3"},
                                                   {"active-experts", "1"},
                                                   {"expert-width", "4"},
                                                   {"expand", "3"},
                                                   {"state-width", "5"}};

/// Layers without attention scores, on which positions could act.
const std::set<std::string> without_scores = {"linear", "lstm", "gla", "mamba2", "gated-deltanet"};

}  // namespace

BOOST_AUTO_TEST_CASE(each_option_is_read_or_refused) {
  for (const std::string& name : names()) {
    const PartInfo& part = registry().attentions().find(name);
    std::set<std::string> read(part.reads.begin(), part.reads.end());
    for (const Option& option : part.options) read.insert(option.name);
    for (const auto& [option, value] : values) {
      BOOST_TEST_CONTEXT(name << " --" << option << " " << value) {
        std::string base = "--attention " + name;
        if (name == "sinks" && option != "window") base += " --window 4";
        const std::string changed = base + " --" + option + " " + value;
        if (read.count(option) == 0) {
          BOOST_CHECK_THROW(config_of(changed), UsageError);
          continue;
        }
        const auto before = model_of(base), after = model_of(changed);
        const bool same_shapes =
            count_parameters(*before->module) == count_parameters(*after->module);
        const Tensor difference = abs(logits_of(*before) - logits_of(*after));
        BOOST_TEST(
            (!same_shapes || option == "attention-temperature" || amax(difference).item() > 1e-9));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(position_schemes_are_accepted_or_refused) {
  for (const std::string& name : names())
    for (const std::string& position : registry().positions().names()) {
      BOOST_TEST_CONTEXT(name << " --position " << position) {
        const std::string options = "--attention " + name + " --position " + position;
        const bool acts =
            std::set<std::string>{"rotary", "alibi", "relative", "t5"}.count(position);
        if (acts && (without_scores.count(name) > 0 || (name == "sinks" && position != "rotary"))) {
          BOOST_CHECK_THROW(config_of(options), UsageError);
          continue;
        }
        const auto model = model_of(options);
        Cache cache;
        std::vector<Tensor> parts;
        for (Index at = 0; at < ids().dim(1); ++at) {
          Pass pass;
          pass.cache = &cache;
          parts.push_back((*model->module)(slice(ids(), 1, at, at + 1), pass));
        }
        BOOST_TEST(amax(abs(concat(parts, 1) - logits_of(*model))).item() < 1e-10);
      }
    }
}

BOOST_AUTO_TEST_CASE(invalid_options_are_refused) {
  EXPECT_ERROR(UsageError, config_of("--attention differential --width 18 --heads 6"),
               "--attention differential needs --width divisible by twice --heads, got --width 18 "
               "and --heads 6");
  EXPECT_ERROR(UsageError, config_of("--attention sinks --position alibi"),
               "--attention sinks needs --position rotary, or positions added to the input");
  EXPECT_ERROR(UsageError, config_of("--attention switchhead --experts 2 --active-experts 3"),
               "--active-experts 3 is more than --experts 2");
  EXPECT_ERROR(UsageError, config_of("--attention linear --position rotary"),
               "--position rotary has no effect with --attention linear; remove it, or use "
               "--attention standard, gated-heads, differential, sinks, latent or switchhead");
  // A position encoding that only the task chose is dropped.
  BOOST_TEST(command("train induction --attention linear --dry-run").status == 0);
  // Errors use the name that was typed.
  expect_refused("train copy --mixer gla --window 3",
                 "--window has no effect with --mixer gla; remove it, or use --mixer standard, "
                 "gated-heads, differential, sinks, latent or switchhead");
  expect_refused("train copy --mixer=gl --dry-run", "unknown --mixer 'gl'; did you mean 'gla'?");
  expect_refused("train copy --ema 2 --mixer gla", "--ema must be at least 0 and below 1, not 2");
  EXPECT_ERROR(
      UsageError, config_of("--sinks 2"),
      "--sinks has no effect with --attention standard; remove it, or use --attention sinks");
}

BOOST_AUTO_TEST_CASE(dry_run_of_an_encoder_and_of_no_heads) {
  const auto text = [](const std::string& line) {
    return done("train " + line + " --dry-run").text;
  };
  const std::string reverse = text("reverse --mixer lstm");
  BOOST_TEST(missing(reverse, {"encoder 1 layer, width 32",
                               "lstm is causal: this encoder predicts each target from the tokens "
                               "up to it, not\nfrom later ones; use --mixer standard, or --arch "
                               "gpt\n"}) == "",
             reverse);
  BOOST_TEST(has(text("reverse --mixer linear"), "linear is causal: "));
  for (const char* line : {"reverse", "reverse --arch gpt --mixer gla", "even-pairs --mixer gla",
                           "majority --arch encoder --mixer gla"}) {
    const std::string other = text(line);
    BOOST_TEST(has(other, "head"), other);
    BOOST_TEST(!has(other, "is causal"), other);
  }
}

BOOST_AUTO_TEST_CASE(memory_of_a_step_is_estimated) {
  if (under_sanitizers) return;  // sanitizers change memory use
  const std::string deep =
      "--threads 1 --width 64 --layers 4 --heads 4 --length 64 --batch 32 --arch gpt --attention ";
  for (const std::string& name : names()) BOOST_TEST_CONTEXT(name) {
      const std::string more = name == "sinks" ? " --window 8" : "";
      expect_memory_within_10_percent(tapehead::config_of("reverse", deep + name + more));
    }
}

BOOST_AUTO_TEST_CASE(each_layer_has_an_entry) { expect_layers_have_entries("parts/zoo", 11); }

BOOST_AUTO_TEST_SUITE_END()
