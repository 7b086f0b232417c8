#include "tensorboard.hpp"
#include "../../core/system/file.hpp"
#include "../files/crc32.hpp"
#include "../files/files.hpp"
#include "../files/json.hpp"
#include "../files/protobuf.hpp"
#include "../runs/metrics_file.hpp"
#include "../runs/run_folder.hpp"

#include <chrono>
#include <filesystem>
#include <limits>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// Returns the checksum, rotated and offset so that data with checksums isn't mistaken for a
/// record.
std::uint32_t masked_crc(const std::string& bytes) {
  Crc32 crc(Crc32::castagnoli);
  crc.add(bytes);
  const std::uint32_t sum = crc.value();
  return (sum >> 15 | sum << 17) + 0xa282ead8;
}

std::string record(const std::string& data) {
  const std::string length = fixed(std::uint64_t{data.size()});
  return length + fixed(masked_crc(length)) + data + fixed(masked_crc(data));
}

/// Returns the numbers in a metrics line as the values of a Summary message.
std::string values_in(const Json& line) {
  std::string values;
  each_leaf(line, [&](const std::string& tag, const Json& leaf) {
    if (tag != "step" && !leaf.is_string())
      values += bytes_field(
          1, bytes_field(1, tag) + field(2, 5, fixed(static_cast<float>(leaf.number()))));
  });
  return values;
}

/// Returns a metrics line as an Event message; `time` is in seconds since 1970.
std::string event(const Json& line, double time) {
  return field(1, 1, fixed(time)) + int_field(2, line["step"].integer().value()) +
         bytes_field(5, values_in(line));
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Returns the seconds of training up to each line. In metrics.jsonl, seconds restart from 0 when a
/// run is resumed.
std::vector<double> trained_until(const std::vector<Json>& lines) {
  std::vector<double> result;
  double all = 0, before = 0;
  for (const Json& line : lines) {
    const Json& seconds = line["time"]["seconds"];
    const double until = seconds.is_number() ? seconds.number() : before;
    all += until < before ? until : until - before;
    before = until;
    result.push_back(all);
  }
  return result;
}

}  // namespace

EventFile::EventFile(const std::string& run, const std::vector<std::string>& lines)
    : run_(run), path_(run + "/" + events_name) {
  std::vector<Json> parsed;
  for (const std::string& line : lines) parsed.push_back(parse_json(line).value());
  const std::vector<double> trained = trained_until(parsed);
  const double start = now() - (trained.empty() ? 0 : trained.back());
  std::string bytes = record(field(1, 1, fixed(start)) + bytes_field(3, "brain.Event:2"));
  for (std::size_t i = 0; i < parsed.size(); ++i)
    bytes += record(event(parsed[i], start + trained[i]));

  std::error_code reason;
  const std::string folder = fs::path(path_).parent_path().string();
  fs::create_directories(folder, reason);
  if (reason) throw WriteError(run, fmt::format("{}: {}", path_, system::error_message(reason)));
  if (fs::is_symlink(folder))
    throw WriteError(
        run, fmt::format("{}: is a symbolic link, which could lead out of this folder; remove it",
                         folder));
  write_in(run, [&] { overwrite_file(path_, bytes); });
}

void EventFile::append(const Json& line) const {
  write_in(run_, [&] { append_file(path_, record(event(line, now()))); });
}

}  // namespace tapehead
