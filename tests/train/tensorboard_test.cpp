#include "../../train/watch/tensorboard.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"
#include "../shared/toy_training.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(tensorboard, InScratch)

namespace {

/// Returns the CRC-32C, computed bit by bit with the reversed polynomial of RFC 3720, appendix B.4.
std::uint32_t crc32c(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc;
}
std::uint32_t masked(const std::string& bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8;
}

/// Bytes that are read from the front.
struct Bytes {
  std::string left;
  std::string take(std::size_t count) {
    if (count > left.size()) throw std::out_of_range("the bytes end early");
    const std::string part = left.substr(0, count);
    left.erase(0, count);
    return part;
  }
  template <class T>
  T number() {
    T result;
    std::memcpy(&result, take(sizeof result).data(), sizeof result);
    return result;
  }
  std::uint64_t varint() {
    std::uint64_t result = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      result |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
  }
};

/// Returns the data of each record of a file; throws if one is damaged or truncated.
std::vector<std::string> records(const std::string& file) {
  Bytes bytes{file};
  std::vector<std::string> result;
  while (!bytes.left.empty()) {
    const std::string length = bytes.take(8);
    if (bytes.number<std::uint32_t>() != masked(length)) throw std::runtime_error("length");
    result.push_back(bytes.take(Bytes{length}.number<std::uint64_t>()));
    if (bytes.number<std::uint32_t>() != masked(result.back())) throw std::runtime_error("data");
  }
  return result;
}

struct Event {
  double time = 0;
  std::int64_t step = 0;
  std::string version;
  std::map<std::string, float> scalars;
};

std::pair<std::string, float> scalar(Bytes value) {
  std::pair<std::string, float> result;
  while (!value.left.empty()) {
    const std::uint64_t key = value.varint();
    if (key == (1 << 3 | 2))
      result.first = value.take(value.varint());
    else if (key == (2 << 3 | 5))
      result.second = value.number<float>();
    else
      throw std::runtime_error("a value has an unknown field");
  }
  return result;
}

Event event(Bytes data) {
  Event result;
  while (!data.left.empty()) {
    const std::uint64_t key = data.varint();
    if (key == (1 << 3 | 1)) {
      result.time = data.number<double>();
    } else if (key == (2 << 3 | 0)) {
      result.step = data.varint();
    } else if (key == (3 << 3 | 2)) {
      result.version = data.take(data.varint());
    } else if (key == (5 << 3 | 2)) {
      for (Bytes summary{data.take(data.varint())}; !summary.left.empty();) {
        BOOST_TEST_REQUIRE(summary.varint() == (1 << 3 | 2));
        const auto [tag, number] = scalar({summary.take(summary.varint())});
        BOOST_TEST(result.scalars.count(tag) == 0u, tag);
        result.scalars[tag] = number;
      }
    } else {
      throw std::runtime_error("an event has an unknown field");
    }
  }
  return result;
}

/// Returns the single TensorBoard file of a run.
std::string file_of(const std::string& run) {
  const Names names = names_in(run + "/tensorboard");
  BOOST_TEST_REQUIRE(names.size() == 1u);
  BOOST_TEST(names.begin()->rfind("events.out.tfevents.", 0) == 0u);
  return run + "/tensorboard/" + *names.begin();
}

/// Returns the events of a run, without the first, which names the format.
std::vector<Event> events(const std::string& run) {
  std::vector<Event> result;
  for (const std::string& data : records(read_file(file_of(run)))) result.push_back(event({data}));
  BOOST_TEST_REQUIRE(result.size() > 0u);
  BOOST_TEST(result[0].version == "brain.Event:2");
  BOOST_TEST(result[0].scalars.size() == 0u);
  result.erase(result.begin());
  return result;
}

bool same(float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); }

/// Expects each metrics line once, with all of its numbers.
void expect_metrics(const std::string& run) {
  const std::vector<json> lines = metrics(run);
  const std::vector<Event> found = events(run);
  BOOST_TEST_REQUIRE(found.size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    BOOST_TEST(found[i].step == lines[i]["step"].get<Index>());
    BOOST_TEST(found[i].version == "");
    std::size_t count = 0;
    const json numbers = lines[i].flatten();
    for (const auto& [pointer, value] : numbers.items()) {
      if (pointer == "/step" || !value.is_number()) continue;
      ++count;
      const std::string tag = pointer.substr(1);
      BOOST_TEST_REQUIRE(found[i].scalars.count(tag) == 1u, tag);
      BOOST_TEST(found[i].scalars.at(tag) == value.get<float>(), tag);
    }
    BOOST_TEST(found[i].scalars.size() == count);
    if (i > 0) BOOST_TEST(found[i].time >= found[i - 1].time);
  }
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

TrainConfig with_tensorboard() {
  TrainConfig config = small_config();
  config.tensorboard = true;
  return config;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_reader_finds_damage) {
  BOOST_TEST(crc32c("123456789") == 0xe3069283);
  BOOST_TEST(crc32c(std::string(32, '\0')) == 0x8a9136aa);  // RFC 3720, appendix B.4
  EventFile(scratch.file("all"), {R"({"step":1,"loss":2})"});
  const std::string whole = read_file(file_of(scratch.file("all")));
  BOOST_TEST(records(whole).size() == 2u);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 4;
    BOOST_CHECK_THROW(records(damaged), std::exception);
  }
  BOOST_CHECK_THROW(records(whole.substr(0, whole.size() - 1)), std::exception);
}

BOOST_AUTO_TEST_CASE(no_link_out_of_the_run_is_written_through) {
  namespace fs = std::filesystem;
  const std::string mine = scratch.write("events.out.tfevents.tapehead", "mine");
  const std::string run = scratch.file("run"), folder = run + "/tensorboard";
  const std::vector<std::string> lines = {R"({"step":1,"loss":2})"};
  const std::string refusal =
      ": is a symbolic link, which could lead out of this folder; remove it";
  fs::create_directory(run);
  fs::create_symlink("..", folder);
  EXPECT_ERROR(WriteError, EventFile(run, lines), folder + refusal);
  fs::remove(folder);
  fs::create_directory(folder);
  const std::string file = folder + "/events.out.tfevents.tapehead";
  fs::create_symlink(mine, file);
  EXPECT_ERROR(WriteError, EventFile(run, lines), file + refusal);
  BOOST_TEST(read_file(mine) == "mine");
}

BOOST_AUTO_TEST_CASE(every_number_of_a_run_is_a_scalar) {
  const double before = now();
  Listener listener, other;
  run(with_tensorboard(), scratch.file("run"), listener);
  expect_metrics(scratch.file("run"));
  const std::vector<Event> all = events(scratch.file("run"));
  BOOST_TEST(all.front().time >= before);
  BOOST_TEST(all.back().time <= now());
  for (const char* tag : {"loss", "lr", "grad_norm", "val_loss", "exact_match", "time/seconds",
                          "attention_scale/blocks.0.attention/scores/0"})
    BOOST_TEST(all.back().scalars.count(tag) == 1u, tag);

  // The option keeps the run bitwise identical.
  run(small_config(), scratch.file("other"), other);
  BOOST_TEST(result(scratch.file("run")) == result(scratch.file("other")), per_element());
  BOOST_TEST(names_in(scratch.file("other")).count("tensorboard") == 0u);
}

BOOST_AUTO_TEST_CASE(an_interruption_leaves_no_trace) {
  for (Index stop_after : {1, 5, 7}) {
    const Scratch scratch;
    const std::string path = scratch.file("run");
    Listener first(stop_after), second;
    BOOST_TEST(run(with_tensorboard(), path, first).interrupted);
    expect_metrics(path);
    run(with_tensorboard(), path, second);
    expect_metrics(path);
    BOOST_TEST(metrics(path).size() == 12u);
  }
}

BOOST_AUTO_TEST_CASE(a_crash_leaves_no_trace) {
  const std::string path = scratch.file("run");
  Listener first(7), second;
  run(with_tensorboard(), path, first);
  // Steps after the last checkpoint; the last line is incomplete.
  EventFile more(scratch.file("more"), {});
  more.append({{"step", 8}, {"loss", 1}});
  const std::string record = read_file(file_of(scratch.file("more")));
  append_file(file_of(path), record + record.substr(0, record.size() - 3));
  append_file(path + "/metrics.jsonl", "{\"step\":8,\"loss\":1}\n{\"st");
  BOOST_CHECK_THROW(events(path), std::exception);
  run(with_tensorboard(), path, second);
  expect_metrics(path);
  BOOST_TEST(metrics(path).size() == 12u);
}

BOOST_AUTO_TEST_CASE(a_resumed_run_may_begin_with_it) {
  const std::string path = scratch.file("run");
  Listener first(7), second;
  run(small_config(), path, first);
  run(with_tensorboard(), path, second);
  expect_metrics(path);
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_written) {
  EventFile file(scratch.file("all"), {R"({"step":3,"loss":null,"why":"text"})"});
  file.append({{"step", 300000},
               {"loss", std::nan("")},
               {"norm", INFINITY},
               {"all", std::vector<Json>{-INFINITY, 0.5, {{"deep", true}, {"x", 7}}}},
               {"none", Json::array()}});
  const std::vector<Event> all = events(scratch.file("all"));
  BOOST_TEST_REQUIRE(all.size() == 2u);
  BOOST_TEST(all[0].step == 3);
  BOOST_TEST(all[0].scalars.size() == 1u);
  BOOST_TEST(same(all[0].scalars.at("loss"), NAN));
  BOOST_TEST(all[1].step == 300000);
  const std::map<std::string, float> expected = {
      {"loss", NAN}, {"norm", INFINITY}, {"all/0", -INFINITY}, {"all/1", 0.5F}, {"all/2/x", 7}};
  BOOST_TEST(all[1].scalars.size() == expected.size());
  for (const auto& [tag, value] : expected) BOOST_TEST(same(all[1].scalars.at(tag), value), tag);
}

BOOST_AUTO_TEST_CASE(pauses_between_are_left_out) {
  const double before = now();
  const EventFile file(scratch.file("all"), {R"({"step":1,"time":{"seconds":100}})",
                                             R"({"step":2,"time":{"seconds":300}})",
                                             R"({"step":3,"time":{"seconds":50}})",  // resumed
                                             R"({"step":4})"});
  const std::vector<Event> all = events(scratch.file("all"));
  const double ages[] = {250, 50, 0, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    BOOST_TEST(all[i].time >= before - ages[i]);
    BOOST_TEST(all[i].time <= now() - ages[i]);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written) {
  scratch.write("tensorboard", "");
  EXPECT_ERROR(WriteError, EventFile(scratch.file(""), {}),
               scratch.file("") + "/tensorboard/events.out.tfevents.tapehead: Not a directory");
  const EventFile file(scratch.file("all"), {});
  const std::string path = file_of(scratch.file("all")), before = read_file(path);
  const FullDisk full(before.size() + 10);
  EXPECT_ERROR(WriteError, file.append({{"step", 1}, {"loss", 1}}), path + ": File too large");
  BOOST_TEST(read_file(path) == before);
}

BOOST_AUTO_TEST_CASE(on_the_command_line) {
  const Elsewhere elsewhere;
  const std::string tiny = "train copy --length 4 --symbols 4 --width 8 --steps 4 --out run";
  expect_refused(tiny + " --tensorboard maybe",
                 "--tensorboard: expected true or false, got 'maybe'");
  done(tiny + " --tensorboard false");
  BOOST_TEST(!std::filesystem::exists("run/tensorboard"));
  // --tensorboard may be enabled when a run is resumed, even a complete one.
  done("train --resume run --tensorboard true");
  expect_metrics("run");
  BOOST_TEST(has(contents("run/config.toml"), "tensorboard = false"));
}

BOOST_AUTO_TEST_SUITE_END()
