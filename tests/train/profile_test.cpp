#include "../../train/watch/profile.hpp"
#include "../../core/recording.hpp"
#include "../../train/learner.hpp"
#include "../shared/json.hpp"
#include "../shared/toy_training.hpp"

#include <map>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(profile)

namespace {

using Kind = ProfileEvent::Kind;
constexpr double exact = 1e-9;  // tolerance for sums of some thousand doubles

/// Returns the profile recording of a run in memory.
Recording record_steps(TrainConfig config) {
  Learner learner(planned(config), registry(), true);
  Profiler profiler;
  profiler.plan(0, config.steps);
  for (Index step = 0; step < config.steps; ++step) learner.step(step, profiler.at(step));
  Recording recording = profiler.recording();
  set_threads(1);
  return recording;
}

/// Returns the number of calls of each op and backward function.
std::map<std::string, double> calls_of(const Profile& profile, Kind kind) {
  std::map<std::string, double> calls;
  for (const Profile::Op& op : profile.ops)
    if (op.kind == kind) calls[op.name] = op.calls;
  return calls;
}

/// Returns the ops on a tape.
std::map<std::string, double> ops_of(const TapeRecording& recording) {
  std::map<std::string, double> count;
  for (const RecordedStep& step : recording.steps())
    if (step.on_tape && !step.op.empty()) ++count[step.op];
  return count;
}

/// Returns the ops of a shard's loss in step 0.
std::map<std::string, double> ops_of_a_shard(const TrainConfig& config) {
  Learner learner(planned(config), registry(), true);
  std::vector<Example> examples;
  const Index rows = learner.config.batch / learner.shards;
  for (Index i = 0; i < rows; ++i) examples.push_back(learner.task->training_example(0, 0, i));
  const Batch batch = learner.model->batch(examples);
  Tape tape;
  TapeRecording recording;
  Pass pass = Pass::training(0, 0);
  const Tensor loss = cross_entropy((*learner.model->module)(batch.inputs, pass), batch.targets);
  tape.backward(loss * 1.0);
  return ops_of(recording);
}

double sum_of(const std::vector<Profile::Op>& ops) {
  double sum = 0;
  for (const Profile::Op& op : ops) sum += op.seconds;
  return sum;
}

const Profile::Section& part(const Profile& profile, const std::string& name) {
  for (const Profile::Section& each : profile.parts)
    if (each.name == name) return each;
  BOOST_FAIL("there is no " << name);
  throw;
}

void expect_sums(const Profile& profile) {
  const auto close = boost::test_tools::tolerance(exact);
  BOOST_TEST(sum_of(profile.ops) == profile.seconds(), close);
  double outermost = 0, in_shards = 0, made = 0;
  for (const Profile::Section& each : profile.parts)
    outermost += each.depth == 0 ? each.seconds : 0;
  for (const Profile::Op& op : profile.ops) {
    in_shards += op.kind == Kind::phase ? 0 : op.seconds;
    made += op.made;
    BOOST_TEST(op.seconds >= -exact, op.name);
  }
  BOOST_TEST(outermost == profile.seconds(), close);
  BOOST_TEST(in_shards == profile.shard_seconds, close);
  BOOST_TEST(made == profile.made, close);
  // Modules take at least as long as their children.
  std::vector<double> left;
  for (const Profile::Section& each : profile.parts) {
    left.resize(each.depth);
    if (!left.empty()) BOOST_TEST((left.back() -= each.seconds) >= -exact, each.name);
    left.push_back(each.seconds);
    BOOST_TEST(each.forward + each.backward <= each.seconds + exact, each.name);
  }
}

/// Expects that the events of each thread follow each other or are nested.
void expect_nested(const json& trace) {
  std::map<int, std::vector<json>> threads;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == "X") threads[event["tid"].get<int>()].push_back(event);
  BOOST_TEST(!threads.empty());
  for (auto& [thread, events] : threads) {
    std::stable_sort(events.begin(), events.end(), [](const json& a, const json& b) {
      return a["ts"] != b["ts"] ? a["ts"] < b["ts"] : a["dur"] > b["dur"];
    });
    std::vector<double> ends;
    for (const json& event : events) {
      constexpr double rounding = 1e-6;  // in microseconds
      const double begin = event["ts"], end = begin + event["dur"].get<double>();
      while (!ends.empty() && ends.back() <= begin + rounding) ends.pop_back();
      BOOST_TEST_REQUIRE((ends.empty() || end <= ends.back() + rounding), event.dump());
      ends.push_back(end);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(counts_what_the_tape_has) {
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) {
    TrainConfig config = small_config(arch);
    config.shards = 4;
    config.accumulate = 2;
    const Profile found = tapehead::profile(record_steps(config));
    BOOST_TEST_CONTEXT(arch) {
      BOOST_TEST(found.first_step == 5);
      BOOST_TEST(found.steps == 5);
      config.shards = 8;  // with as many rows as 4 shards in one of 2 micro-batches
      config.accumulate = 1;
      const auto forward = calls_of(found, Kind::op), backward = calls_of(found, Kind::backward);
      const auto tape = ops_of_a_shard(config);
      BOOST_TEST(tape.size() > 8u);
      for (const auto& [op, count] : tape) {
        BOOST_TEST_REQUIRE(forward.count(op) == 1u, op);
        BOOST_TEST_REQUIRE(backward.count(op) == 1u, op);
        BOOST_TEST(forward.at(op) >= 8 * count - exact, op);  // further calls are ops on constants
        BOOST_TEST(backward.at(op) == 8 * count, boost::test_tools::tolerance(exact));
      }
      for (const char* name : {"batch", "clip", "optimizer"})
        BOOST_TEST(calls_of(found, Kind::phase).at(name) == 1.0,
                   boost::test_tools::tolerance(exact));
      BOOST_TEST(calls_of(found, Kind::phase).at("gradient sum") == 2.0,
                 boost::test_tools::tolerance(exact));
    }
  }
}

BOOST_AUTO_TEST_CASE(sums_agree_with_totals) {
  for (const Index threads : {1, 2})
    for (const bool again : {false, true}) {
      TrainConfig config = small_config();
      config.threads = threads;
      config.model.recompute = again;
      config.average = 0.9;
      const Profile found = tapehead::profile(record_steps(config));
      BOOST_TEST_CONTEXT(threads << " threads, recompute " << again) {
        BOOST_TEST(found.threads == threads);
        expect_sums(found);
        BOOST_TEST(found.shard_seconds < static_cast<double>(threads) * found.step_seconds);
        BOOST_TEST(calls_of(found, Kind::phase).count("average") == 1u);
        BOOST_TEST(calls_of(found, Kind::op).count("recompute") == (again ? 1u : 0u));
        BOOST_TEST(part(found, "blocks.0").depth == 1);
        BOOST_TEST(part(found, "qkv").depth == 3);
        BOOST_TEST(part(found, "loss").depth == 0);
        BOOST_TEST(part(found, "tokens").backward > 0);
      }
    }
}

BOOST_AUTO_TEST_CASE(what_one_thread_does_costs_all_of_them) {
  Recording given;
  given.threads = 2;
  const auto add = [&](Kind kind, const char* name, int thread, double begin, double end,
                       const char* module = "") {
    const bool is_op = kind == Kind::op || kind == Kind::backward;
    given.events.push_back(
        {kind, name, module, 0, thread, begin, end, is_op ? end - begin : 0, {}});
  };
  add(Kind::step, "step", 0, 0, 10);
  add(Kind::phase, "batch", 0, 0, 1);
  add(Kind::shard, "shard", 1, 1, 5);
  add(Kind::op, "matmul", 1, 1, 2, "blocks.1.mlp");
  add(Kind::backward, "matmul", 1, 2, 5, "blocks.1.mlp");
  add(Kind::shard, "shard", 0, 1, 4);
  add(Kind::op, "add", 0, 1, 4);
  const Profile found = tapehead::profile(given);
  expect_sums(found);
  BOOST_TEST(found.seconds() == 20.0);
  BOOST_TEST(found.shard_seconds == 7.0);
  BOOST_TEST(part(found, "batch").seconds == 2.0);
  BOOST_TEST(part(found, "model").seconds == 7.0);
  BOOST_TEST(part(found, "mlp").forward == 1.0);
  BOOST_TEST(part(found, "blocks.1").backward == 3.0);
  BOOST_TEST(part(found, "waiting and other").seconds == 11.0);
  const json trace = json::parse(to_trace(given));
  const auto event =
      std::find_if(trace["traceEvents"].begin(), trace["traceEvents"].end(),
                   [](const json& each) { return each["name"] == "matmul backward"; });
  BOOST_TEST_REQUIRE((event != trace["traceEvents"].end()));
  BOOST_TEST((*event)["tid"] == 1);
  BOOST_TEST((*event)["ts"] == 2e6);
  BOOST_TEST((*event)["dur"] == 3e6);
  BOOST_TEST((*event)["args"]["module"] == "blocks.1.mlp");
}

BOOST_AUTO_TEST_CASE(bytes_are_those_of_the_results) {
  const Index rows = 2;
  Profiler profiler;
  profiler.plan(0, 1);
  TapeListener* const listener = profiler.listeners(1)[0];
  const Tensor x = ones({rows, 3});
  {
    const Span step(&profiler, Index{0});
    const ShardSpan shard(&profiler, 0);
    const ListenerScope listening(listener);
    Tape tape;
    tape.watch(x);
    const ModuleScope scope("a.0.b");
    tape.backward(sum(reshape(x * x, {3, rows})));
  }
  const Recording recording = profiler.recording();
  const Profile found = tapehead::profile(recording);
  expect_sums(found);
  std::map<std::pair<std::string, Kind>, Profile::Op> ops;
  for (const Profile::Op& op : found.ops) ops.insert({{op.name, op.kind}, op});
  const auto made = [&](const char* op, Kind kind) { return ops.at({op, kind}).made; };
  const auto passed = [&](const char* op, Kind kind) { return ops.at({op, kind}).passed; };
  constexpr double whole = 4 * 3 * rows;
  BOOST_TEST(made("mul", Kind::op) == whole);
  BOOST_TEST(passed("mul", Kind::op) == 3 * whole);
  BOOST_TEST(made("reshape", Kind::op) == 0);  // a reshape shares its input's memory
  BOOST_TEST(made("reshape", Kind::backward) == 0);
  BOOST_TEST(made("sum", Kind::op) == 4);
  BOOST_TEST(made("sum", Kind::backward) == whole);
  BOOST_TEST(made("mul", Kind::backward) == 2 * whole);
  BOOST_TEST(found.peak_bytes >= 3 * whole);
  BOOST_TEST(part(found, "a.0").made == found.made);
  BOOST_TEST(part(found, "b").depth == 2);
  for (const ProfileEvent& event : recording.events)
    if (event.kind == Kind::op && event.name == std::string("sum"))
      BOOST_TEST(to_string(event.shape) == "()");
}

BOOST_AUTO_TEST_CASE(the_tape_works_for_the_module_before) {
  TrainConfig config = small_config();
  config.model.recompute = true;
  const Recording recording = record_steps(config);  // on one thread
  std::vector<ProfileEvent> ended;
  for (const ProfileEvent& event : recording.events)
    if (event.kind == Kind::op || event.kind == Kind::backward) ended.push_back(event);
  std::stable_sort(ended.begin(), ended.end(),
                   [](const ProfileEvent& a, const ProfileEvent& b) { return a.end < b.end; });
  Index between_modules = 0;
  for (std::size_t i = 1; i + 1 < ended.size(); ++i) {
    if (ended[i].name != std::string("tape")) continue;
    BOOST_TEST(ended[i].module == ended[i - 1].module);
    between_modules += ended[i].module != std::string(ended[i + 1].module);
  }
  BOOST_TEST(between_modules > 20);
}

BOOST_AUTO_TEST_CASE(a_short_run_is_profiled_to_its_last_half) {
  const auto profiled = [](Index first, Index end) {
    Profiler profiler;
    profiler.plan(first, end);
    std::string steps;
    for (Index step = first; step < end; ++step)
      if (profiler.at(step)) steps += fmt::format("{} ", step);
    return steps;
  };
  BOOST_TEST(profiled(0, 1) == "0 ");
  BOOST_TEST(profiled(0, 2) == "1 ");
  BOOST_TEST(profiled(0, 5) == "2 3 4 ");
  BOOST_TEST(profiled(0, 10) == "5 6 7 8 9 ");
  BOOST_TEST(profiled(100, 1000) == "105 106 107 108 109 ");
  BOOST_TEST(profiled(7, 7) == "");
}

BOOST_AUTO_TEST_CASE(profiling_is_bitwise_identical) {
  const Scratch scratch;
  for (const Index threads : {1, 2}) {
    TrainConfig config = small_config();
    config.threads = threads;
    Listener plain, other;
    run(config, scratch.file("plain"), plain);
    RunFolder::create(scratch.file("profiled")).write_config("");
    {
      RunFolder folder = RunFolder::resume(scratch.file("profiled"));
      Profiler profiler;
      train(planned(config), registry(), folder, other, other.stop, &profiler);
      const Recording recording = profiler.recording();
      BOOST_TEST(tapehead::profile(recording).steps == 5);
      BOOST_TEST(recording.other_steps.size() == 2u);
    }
    BOOST_TEST(result(scratch.file("profiled")) == result(scratch.file("plain")), per_element());
    std::filesystem::remove_all(scratch.file("plain"));
    std::filesystem::remove_all(scratch.file("profiled"));
  }
  set_threads(1);
}

BOOST_AUTO_TEST_CASE(an_interrupted_run_shows_what_there_is) {
  const Scratch scratch;
  RunFolder folder = RunFolder::create(scratch.file("run"));
  folder.write_config("");
  Listener listener(8);
  Profiler profiler;
  BOOST_TEST(train(planned(small_config()), registry(), folder, listener, listener.stop, &profiler)
                 .interrupted);
  const Profile found = tapehead::profile(profiler.recording());
  BOOST_TEST(found.steps == 3);  // steps 6 to 8
  BOOST_TEST(found.other_step == 0.0);
  expect_sums(found);
}

BOOST_AUTO_TEST_CASE(the_trace_is_one) {
  for (const bool again : {false, true}) {
    TrainConfig config = small_config();
    config.threads = 2;
    config.model.recompute = again;
    const Recording recording = record_steps(config);
    const json trace = json::parse(to_trace(recording));
    expect_nested(trace);
    std::map<std::string, int> names, phases;
    double last = -1;
    for (const json& event : trace["traceEvents"]) {
      ++names[event["name"].get<std::string>()];
      ++phases[event["ph"].get<std::string>()];
      BOOST_TEST(event["pid"] == 1);
      if (event["ph"] == "C") {
        BOOST_TEST(event["args"]["MB"] > 0);
        BOOST_TEST(event["ts"] >= last);
        last = event["ts"];
      }
      if (event["name"] != "linear backward") continue;
      BOOST_TEST(event["cat"] == "backward");
      BOOST_TEST(event["args"]["shape"].get<std::string>().front() == '(');
      BOOST_TEST(event["args"]["bytes"] > 0);
    }
    BOOST_TEST(names["step 6"] == 1);
    BOOST_TEST(names["step 10"] == 1);
    BOOST_TEST(names["shard 3"] == 5);
    BOOST_TEST(names["thread_name"] == 2);
    BOOST_TEST(names["optimizer"] == 5);
    BOOST_TEST(names["linear"] == names["linear backward"]);
    BOOST_TEST(names["live tensors"] == phases["C"]);
    BOOST_TEST(phases["C"] > 5);
    BOOST_TEST(phases["M"] == 3);
  }
}

BOOST_AUTO_TEST_SUITE_END()
