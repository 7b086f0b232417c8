#include "digest.hpp"
#include "../../core/system/file.hpp"
#include "../files/files.hpp"
#include "../files/sha256.hpp"
#include "checkpoint.hpp"

#include <filesystem>
#include <set>
#include <sstream>

namespace tapehead {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are hashed as they are");

constexpr const char* init_name = "init";

/// Returns the first sixteen digits: enough to distinguish files and weights, and short enough to
/// read aloud.
std::string beginning(Sha256 sum) { return sum.hex().substr(0, 16); }

std::string line_of(const char* option, const std::string& path) {
  return fmt::format("{} {}\n", option, digest_of_data(path));
}

/// Returns the hashes of a task's files.
std::string digests_of(const TaskOptions& options) {
  std::string all;
  if (options.count("data") == 0) return all;
  for (const char* name : {"data", "held-out", "merges"})
    if (const auto found = options.find(name);
        found != options.end() && !found->second.empty() && exists(found->second))
      all += line_of(name, found->second);
  return all;
}

}  // namespace

std::string digest(const std::map<std::string, Tensor>& weights) {
  Sha256 sum;
  for (const auto& [name, x] : weights) {
    const DType dtype = x.dtype();
    std::string head = name + '\0';
    head += dtype == DType::f32 ? "F32" : dtype == DType::f64 ? "F64" : "I32";
    for (const Index size : x.shape()) head += fmt::format(" {}", size);
    head += '\n';
    sum.add(head);
    sum.add(x.bytes());
  }
  return beginning(sum);
}

std::string digest(Module& model) {
  std::map<std::string, Tensor> weights;
  walk(model, [&](const std::string& path, Parameter& p) { weights.emplace(path, p.value()); });
  return digest(weights);
}

std::string digest_of_file(const std::string& path) {
  const InputFile file(path);
  std::string part(1 << 20, '\0');
  Sha256 sum;
  std::uint64_t begin = 0;
  while (const std::size_t count = file.read(begin, part.data(), part.size())) {
    sum.add(std::string_view(part).substr(0, count));
    begin += count;
  }
  return beginning(sum);
}

std::string digest_of_data(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code reason;
  if (!fs::is_directory(path, reason)) return digest_of_file(path);
  std::set<std::string> names;
  for (fs::directory_iterator at(path, reason); !reason && at != fs::directory_iterator();
       at.increment(reason))
    if (at->is_regular_file(reason)) names.insert(at->path().filename().string());
  if (reason) throw FileError("{}: {}", path, system::error_message(reason));
  Sha256 sum;
  for (const std::string& name : names)
    sum.add(fmt::format("{} {}\n", name, digest_of_file(path + "/" + name)));
  return beginning(sum);
}

std::string data_digests(const TrainConfig& config) {
  std::string all = digests_of(config.task_options);
  if (config.init.empty()) return all;
  std::error_code ignored;
  const std::string init = std::filesystem::is_directory(config.init, ignored)
                               ? config.init + "/" + model_file
                               : config.init;
  return exists(init) ? all + line_of(init_name, init) : all;
}

std::string recorded_digest(const std::string& recorded, const std::string& option) {
  std::istringstream lines(recorded);
  for (std::string name, digest; lines >> name >> digest;)
    if (name == option) return digest;
  return "";
}

std::vector<std::string> changed_data(const TaskOptions& options, const std::string& recorded) {
  if (recorded.empty()) return {};  // written by a version that recorded none
  return changed_data(digests_of(options), recorded);
}

std::vector<std::string> changed_data(const std::string& now, const std::string& recorded) {
  std::vector<std::string> changed;
  std::istringstream lines(now);
  for (std::string name, digest; lines >> name >> digest;)
    if (const std::string before = recorded_digest(recorded, name);
        name != init_name && !before.empty() && before != digest)
      changed.push_back(name);
  return changed;
}

std::string with_note(const std::string& digest, const std::string& note) {
  return note.empty() ? digest : fmt::format("{} ({})", digest, note);
}

}  // namespace tapehead
