// Faults in a program's own tasks, layers and functions. Each must give a clear one-line error.
#include "../../nn/mlp.hpp"
#include "../../parts/parts.hpp"
#include "../../train/model/architecture.hpp"
#include "../../train/tasks/sequences.hpp"
#include "../shared/folders.hpp"
#include "../shared/small_models.hpp"
#include "../shared/support.hpp"

#include <limits>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(own_faults, Elsewhere)

namespace {

/// A task with examples of five tokens below 8. Two of them are the prompt, unless a test changes
/// them.
struct Given : Task {
  Index vocabulary() const override { return vocabulary_; }
  Index context() const override { return context_; }
  Example training_example(std::uint64_t, Index, Index) const override { return training; }
  Index held_out_size() const override { return size; }
  Example held_out_example(Index) const override { return held_out; }
  bool has_answers() const override { return true; }
  std::string show(const std::vector<int>&) const override { return "shown"; }
  std::vector<int> parse(const std::string&) const override { return {1}; }
  Index longest_answer() const override { return longest ? *longest : Task::longest_answer(); }
  std::optional<Loss> loss(const TaskModel&) const override { return custom_loss; }
  bool has_curves() const override { return !curve_sizes.empty(); }
  AnswerCurves curves(const Example&, const Tensor&) const override {
    AnswerCurves found{"x", "y", {{"line", std::vector<double>(curve_sizes[asked % 2])}}};
    ++asked;
    return found;
  }

  Example training{{1, 2, 3, 4, 5}, 2}, held_out = training;
  Index vocabulary_ = 8, context_ = 4, size = 4;
  std::optional<Index> longest;
  std::optional<Loss> custom_loss;
  std::vector<std::size_t> curve_sizes;
  mutable std::size_t asked = 0;
};

const std::string train_line =
    "train given --layers 1 --width 8 --heads 2 --batch 4 --steps 1 "
    "--threads 1 --out r";

Registry with(const std::function<void(Given&)>& change) {
  Registry registry = make_registry();
  registry.task("given", "", recipe("--steps 1"), [=] {
    auto task = std::make_unique<Given>();
    change(*task);
    return task;
  });
  return registry;
}

/// Expects that training fails with this line and leaves no run.
void refused(const Registry& registry, const std::string& options, const std::string& reason,
             int status = 2) {
  const Output output = command(train_line + options, registry);
  BOOST_TEST(output.status == status);
  const std::string begin = "tapehead: " + reason,
                    removed = "; no step was completed, and r is removed";
  BOOST_TEST((output.errors == begin + "\n" || output.errors == begin + removed + "\n"),
             output.errors);
  BOOST_TEST(!std::filesystem::exists("r"));
}

/// Expects that training a task with this change fails with this reason.
void refused(const std::function<void(Given&)>& change, const std::string& reason) {
  refused(with(change), "", reason);
}

}  // namespace

BOOST_AUTO_TEST_CASE(valid_task_trains) {
  done(train_line, with([](Given&) {}));
}

BOOST_AUTO_TEST_CASE(targets_are_unique_positions_in_the_answer) {
  const std::string held_out = "task 'given': validation example 0: ";
  const auto asked = [&](std::vector<Index> positions, const std::string& reason) {
    refused([&](Given& task) { task.held_out.target_positions = positions; }, held_out + reason);
  };
  asked({2, 3, 4, 5}, "target position is 5, expected 1 to 4");
  asked({-1}, "target position is -1, expected 1 to 4");
  asked({0}, "target position is 0, expected 1 to 4");
  asked({2, 3, 4, 3}, "target position 3 occurs twice");
  asked({2, 4, 3, 4}, "target position 4 occurs twice");
  refused([](Given& task) { task.training.target_positions = {5}; },
          "task 'given': training example 0 of step 0: target position is 5, expected 1 to 4");
}

BOOST_AUTO_TEST_CASE(prompts_and_tokens_are_in_range) {
  for (const Index question : {50, -4})
    refused([=](Given& task) { task.held_out.question = question; },
            fmt::format("task 'given': validation example 0: question is {}, expected 0 to 5 (the "
                        "number of tokens)",
                        question));
  refused([](Given& task) { task.training.tokens[3] = 8; },
          "task 'given': training example 0 of step 0: token 8 at position 3 is not below the "
          "vocabulary size 8");
  refused([](Given& task) { task.held_out = {}; },
          "task 'given': validation example 0: no tokens, but has_answers() is true");
}

BOOST_AUTO_TEST_CASE(batches_of_invalid_examples_read_no_foreign_memory) {
  for (const Example& example : {Example{{1, 2, 3}, 1, {3}}, Example{{1, 2, 3}, 1, {-1}},
                                 Example{{1, 2, 3}, 4}, Example{{1, 2, 3}, -1}})
    for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) {
      ModelOptions options;
      options.vocabulary = 4, options.context = 8, options.layers = 1, options.width = 8;
      options.heads = 2, options.source = 8;
      BOOST_CHECK_THROW(make_model(arch, options)->batch({example}), ValueError);
    }
  ModelOptions options = small_options(4, 8);
  const Example early{{1, 2, 3, 0}, 2, {1, 2, 3}};  // also has a target within the prompt
  BOOST_CHECK_NO_THROW(make_model("gpt", options)->batch({early}));
  EXPECT_ERROR(ValueError, make_model("encoder", options)->batch({early}),
               "target position 1 is in the prompt, which only --arch gpt supports");
}

BOOST_AUTO_TEST_CASE(sizes_are_in_range) {
  refused([](Given& task) { task.size = Index{1} << 62; },
          "task 'given': held_out_size() returns 4611686018427387904, expected 0 to 2147483647");
  refused([](Given& task) { task.size = -1; },
          "task 'given': held_out_size() returns -1, expected 0 to 2147483647");
  refused(
      [](Given& task) { task.size = 1 << 25; },
      "evaluate: 33554432 validation examples, expected at most 16777216; pass --eval-examples");
  refused([](Given& task) { task.vocabulary_ = -8; },
          "task 'given': vocabulary() returns -8, expected 0 to 2147483647");
  refused([](Given& task) { task.context_ = 0; },
          "task 'given': context() returns 0, expected 1 to 2147483647");
  for (const Index length : {-1, 6})
    refused([=](Given& task) { task.longest = length; },
            fmt::format("task 'given': longest_answer() returns {}, expected 0 to 5, "
                        "context() + 1",
                        length));
}

BOOST_AUTO_TEST_CASE(losses_and_curves_are_checked) {
  const auto one = [](const Batch&, Pass&) { return full({}, 1); };
  refused(
      [](Given& task) {
        task.custom_loss = Loss{"mine", "", {}};
      },
      "loss 'mine' has no function `of`");
  for (const double count : {-1.0, std::numeric_limits<double>::quiet_NaN()})
    refused(
        [=](Given& task) {
          task.custom_loss = Loss{"mine", "", one, [=](auto&) { return count; }};
        },
        fmt::format("loss 'mine': count returned {}, expected a number of at least 0", count));
  refused(
      [](Given& task) {
        task.curve_sizes = {3, 2};
      },
      "curves: examples have lines of different sizes, expected the same for all");
}

BOOST_AUTO_TEST_CASE(batch_has_a_row_for_each_example) {
  const auto registry = [](const std::function<void(Batch&)>& change) {
    struct Model : TaskModel {
      Model(const ModelOptions& o, std::function<void(Batch&)> change_)
          : TaskModel("own", o, std::make_unique<GPT>(o)), change(std::move(change_)) {}
      Batch batch(const std::vector<Example>& examples) const override {
        Batch all = make_batch(examples);
        change(all);
        return all;
      }
      std::function<void(Batch&)> change;
    };
    Registry own = with([](Given&) {});
    MakeArchitecture arch;
    arch.make = [=](const ModelOptions& o, const OwnValues&, const Task*) {
      return std::make_unique<Model>(o, change);
    };
    arch.set_lengths = [](ModelOptions& o, const Task& task) { o.context = task.context(); };
    arch.like = "gpt", arch.blocks = true;
    own.model({"own", "", arch});
    return own;
  };
  const std::string options = " --arch own --eval-examples 4";
  refused(registry([](Batch& b) { b.inputs = {}; }), options, "batch: no inputs");
  refused(registry([](Batch& b) { b.inputs = slice(b.inputs, 0, 0, 1); }), options,
          "batch: inputs: shape (1, 4), expected 4 examples along axis 0");
  refused(registry([](Batch& b) { b.targets = slice(b.targets, 0, 0, 1); }), options,
          "batch: targets: shape (1, 4), expected 4 examples along axis 0");
  refused(registry([](Batch& b) { b.named["extra"] = zeros({2}); }), options,
          "batch: named tensor extra: shape (2), expected 1 example along axis 0");
  refused(registry([](Batch& b) { b.lengths.pop_back(); }), options,
          "batch: 3 lengths, expected 4 (one per example)");
  refused(registry([](Batch& b) { b.lengths[2] = 5; }), options,
          "batch: a length is 5, expected 1 to 4");
}

BOOST_AUTO_TEST_CASE(decoding_has_a_row_for_each_prompt) {
  struct One : Decoding {
    Tensor next(const std::vector<int>&) override { return zeros({1, 8}); }
  };
  One one;
  BOOST_TEST(next_logits(one, {}, 1).dim(0) == 1);
  EXPECT_ERROR(
      ShapeError, next_logits(one, {}, 4),
      "decode: `next` returned shape (1, 8) for 4 prompts, expected (prompts, vocabulary)");
}

BOOST_AUTO_TEST_CASE(factories_that_return_null_are_named) {
  Registry registry = with([](Given&) {});
  registry.attention("nothing", [](const AttentionLayerOptions&) { return nullptr; });
  registry.norm({"no-norm", "", [](ModelOptions& model, const OwnValues&) {
                   model.norm = [](const ModelOptions&) { return nullptr; };
                 }});
  registry.mlp({"no-mlp", "", [](ModelOptions& model, const OwnValues&) {
                  model.mlp = [](const ModelOptions&, const Init&, const Init&) { return nullptr; };
                }});
  registry.schedule(
      {"no-schedule", "", [](const TrainConfig&) { return std::function<double(Index)>(); }});
  registry.schedule({"nan", "", [](const TrainConfig&) { return [](Index) { return -1.0; }; }});
  refused(registry, " --attention nothing", "attention: its factory function returned null");
  refused(registry, " --norm no-norm", "norm: its factory function returned null");
  refused(registry, " --mlp no-mlp", "mlp: its factory function returned null");
  refused(registry, " --schedule no-schedule",
          "--schedule no-schedule: its function returned no schedule");
  refused(registry, " --schedule nan",
          "--schedule nan: learning rate -1 at step 0, expected a number of at least 0");
  const Output check = command("check nothing", registry);
  BOOST_TEST(check.status == 1);
  BOOST_TEST(has(check.text, "nothing: its factory function"), check.text);
  expect_refused(command("gradcheck nothing", registry),
                 "nothing: its factory function returned null");
}

BOOST_AUTO_TEST_CASE(thrown_non_exception_is_one_line) {
  struct Throwing : Module {
    Tensor forward(const Tensor&, Pass&) const override { throw 42; }
    void visit(Visitor&) override {}
  };
  Registry registry = with([](Given&) {});
  registry.attention("throwing",
                     [](const AttentionLayerOptions&) { return std::make_unique<Throwing>(); });
  refused(registry, " --attention throwing",
          "a function of this program threw a value that isn't a std::exception; throw "
          "tapehead::Error with the reason",
          1);
}

BOOST_AUTO_TEST_CASE(names_must_be_command_line_words) {
  const auto make = [] { return std::make_unique<Given>(); };
  const auto wrong = [](const std::string& what, const std::string& name) {
    return fmt::format(
        "registry: {} '{}': a name may contain only letters, digits, '-', '_', '.' and non-ASCII "
        "characters, and must not begin with '-'",
        what, name);
  };
  for (const char* name : {"", "two words", "-dash", "a=b", "a/b", "tab\t"}) {
    Registry registry;
    EXPECT_ERROR(ValueError, registry.task(name, "", {}, make), wrong("task", name));
    EXPECT_ERROR(ValueError,
                 registry.attention(name, [](const AttentionLayerOptions&) { return nullptr; }),
                 wrong("attention", name));
    EXPECT_ERROR(ValueError, registry.option({name, "", ""}), wrong("option: option", name));
    TaskEntry entry;
    entry.name = "mine", entry.make = [=](const TaskOptions&) { return make(); };
    entry.options = {{name, "", ""}};
    EXPECT_ERROR(ValueError, registry.task(entry), wrong("task 'mine': option", name));
    BOOST_TEST(registry.tasks().empty());
  }
  Registry registry;
  registry.task("größe_2.b-c", "", {}, make);
}

BOOST_AUTO_TEST_CASE(registered_entries_need_their_functions) {
  Registry registry;
  TaskEntry entry;
  entry.name = "mine";
  EXPECT_ERROR(ValueError, registry.task(entry), "registry: task 'mine' has no function make");
  EXPECT_ERROR(ValueError, registry.attention("mine", AttentionFactory()),
               "registry: attention 'mine' has no function make");
  EXPECT_ERROR(ValueError, registry.metric({"mine", "", {}}),
               "registry: metric 'mine' has no function compute");
  EXPECT_ERROR(ValueError, registry.optimizer({"mine", "", MakeOptimizer{}}),
               "registry: optimizer 'mine' has no function make");
  EXPECT_ERROR(ValueError, registry.schedule({"mine", "", {}}),
               "registry: schedule 'mine' has no function make");
  EXPECT_ERROR(ValueError, registry.model({"mine", "", MakeArchitecture{}}),
               "registry: arch 'mine' has no function make");
  EXPECT_ERROR(ValueError, registry.layer({"mine", "", {}, {}}),
               "registry: layer 'mine' has no function make");
}

BOOST_AUTO_TEST_CASE(split_without_examples_is_an_error) {
  const SequenceRules rules{"same", characters(first_symbols(8)), [](Random&) {
                              return Example{{1, 2, 3, 4}, 2};
                            }};
  EXPECT_ERROR(Error, Sequences(rules).training_example(0, 0, 0),
               "same: none of 10000000 random prompts is for validation; use more different "
               "prompts, or another held-out fraction than 0.0625");
}

BOOST_AUTO_TEST_SUITE_END()
