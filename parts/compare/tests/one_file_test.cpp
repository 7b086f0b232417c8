// Checks that examples/one_file.cpp, an independent program, computes the same bits as the engine.
#include "../../../core/op_call.hpp"
#include "../../../core/trace.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/memory_need.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../tests/shared/toy_training.hpp"
#include "../../../train/learner.hpp"
#include "../tensors.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(one_file)

namespace {

/// Copies elements, but replaces -0 by 0: the program adds all gradients to zeros, which loses the
/// sign of a zero. No weight depends on the sign.
Tensor copy(const float* from, const Shape& shape) {
  Tensor x = Tensor::empty(shape, DType::f32);
  std::transform(from, from + x.size(), x.mutable_data<float>(), [](float v) { return v + 0.0f; });
  return x;
}

/// A tensor and its gradient; for a parameter, its value after the step.
struct Traced {
  std::string name;
  Tensor value, gradient;
};

/// Records the results of all ops that the program has as well, and their gradients.
struct Recorder : TapeListener {
  std::vector<Traced> ops;
  std::map<std::uint64_t, std::size_t> numbers;  // by tensor id

  void computed(const OpCall& call, const Tensor& y, const std::vector<Tensor>&) override {
    const std::string name = call.name;
    // The program adds positions without slicing them, and its cross_entropy is scaled like `mul`.
    if (name == "slice" || name == "cross_entropy") return;
    numbers[y.id()] = ops.size();
    ops.push_back({name == "mul" ? "cross_entropy" : name, copy(y.data<float>(), y.shape()), {}});
  }
  void gradient_ready(std::uint64_t x, const Tensor& dx) override {
    if (const auto found = numbers.find(x); found != numbers.end())
      ops[found->second].gradient = copy(dx.data<float>(), dx.shape());
  }
};

/// Reads the tensors that the program writes, one after the other.
struct TraceFile {
  std::ifstream in;

  /// Returns "" if the next tensor equals the expected one, bit for bit. Otherwise names the first
  /// element that differs.
  std::string difference(const Traced& expected) {
    std::string name;
    Index rows = 0, columns = 0;
    in >> name >> rows >> columns;
    in.get();
    if (name != expected.name || rows * columns != expected.value.size())
      return fmt::format("{} {} x {}, expected {} {}", name, rows, columns, expected.name,
                         expected.value.shape());
    for (const bool of_value : {true, false}) {
      const Tensor& x = of_value ? expected.value : expected.gradient;
      std::vector<float> elements(static_cast<std::size_t>(rows * columns));
      in.read(reinterpret_cast<char*>(elements.data()),
              static_cast<std::streamsize>(elements.size() * sizeof(float)));
      const TensorDifference found = difference_of(x, copy(elements.data(), x.shape()));
      if (!in) return "the trace ends early";
      if (!found.same())
        return fmt::format("{} {} is {}, the engine's is {}", of_value ? "value" : "gradient",
                           element_text(name, x.shape(), found.first.element),
                           exact(found.first.b, DType::f32), exact(found.first.a, DType::f32));
    }
    return "";
  }
};

/// Trains three steps with both programs. Returns "" if all bits are equal, or else the first op or
/// parameter and the first of its elements that differ.
std::string first_difference(const std::string& task, const std::string& options) {
  const Scratch scratch;
  const std::string path = scratch.file("trace");
  const Output made =
      shell(fmt::format("{} {} {} --trace {}", built_one_file, task, options, path));
  if (made.status != 0) return made.errors;
  TraceFile file{std::ifstream(path, std::ios::binary)};
  Learner learner(make_plan(config_of(task, options), registry()), registry(), true);
  const Module& model = *learner.model->module;
  for (Index step = 0; step < 3; ++step) {
    const Batch batch = learner.model->batch(
        training_examples(*learner.task, learner.config.seed, step, learner.config.batch));
    std::vector<Recorder> recorders(static_cast<std::size_t>(learner.shards));
    StepOptions watched;
    for (Recorder& recorder : recorders) watched.listeners.push_back(&recorder);
    StepResult result;
    const Gradients gradients =
        sharded_gradients(model, batch, learner.config.seed, step, learner.shards, result, watched);
    std::vector<Traced> expected;
    for (const Parameter* p : parameters(model))
      expected.push_back({p->path, {}, gradients[p->value()]});
    learner.step(step);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i].value = parameters(model)[i]->value();
    for (std::size_t shard = 0; shard < recorders.size(); ++shard)
      for (const Traced& op : recorders[shard].ops)
        if (const std::string found = file.difference(op); !found.empty())
          return fmt::format("step {}, shard {}: {}", step, shard, found);
    for (const Traced& parameter : expected)
      if (const std::string found = file.difference(parameter); !found.empty())
        return fmt::format("step {}: {}", step, found);
  }
  return file.in.get() == EOF ? "" : "the trace has more tensors";
}

}  // namespace

BOOST_AUTO_TEST_CASE(three_steps_have_equal_bits) {
  const std::pair<const char*, const char*> runs[] = {
      {"reverse", ""},
      {"copy", "--batch 16"},
      {"reverse", "--seed 7 --length 33 --batch 8 --width 48 --heads 3 --layers 2"},
      {"copy", "--seed 8 --length 33 --batch 6 --heads 4"},
      {"reverse", "--seed 9 --length 600 --batch 1 --width 112 --heads 2"},  // a single large shard
      {"copy", "--seed 10 --length 300 --batch 1 --width 32"},
      {"copy", "--length 257 --batch 2 --width 32"},  // the last tile has a single key
      {"reverse", "--seed 11 --length 16 --batch 4 --width 272 --heads 1"},
      {"copy", "--seed 12 --length 3 --batch 4 --width 320 --heads 10"},
      {"reverse", "--seed 13 --length 3 --batch 4 --width 600 --heads 2"},  // a single shard
  };
  for (const auto& [task, options] : runs) {
    const std::string found = first_difference(task, options);
    BOOST_TEST(found.empty(), task << ' ' << options << ": " << found);
  }
}

BOOST_AUTO_TEST_CASE(a_short_run_has_the_same_hash) {
  const Scratch scratch;
  done("train reverse --steps 30 --out " + scratch.file("run"));
  const std::string digest = json_of("digest --json " + scratch.file("run"))["digest"];
  const std::string text = shell(std::string(built_one_file) + " --steps 30").text;
  BOOST_TEST(has(text, "weight hash: " + digest + "\n"), text);
}

BOOST_AUTO_TEST_CASE(whole_runs_have_the_published_hashes) {
  if (!whole_tests) return;  // they take minutes
  const std::string page = contents(std::string(source_dir) + "/docs/results.md");
  for (const std::string task : {"reverse", "copy"}) {
    const std::string text = shell(std::string(built_one_file) + " " + task).text;
    const std::string hash = text.substr(text.find("weight hash: ") + 13, 16);
    BOOST_TEST(has(page, "| `" + task + "` | `" + hash + "` |"), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
