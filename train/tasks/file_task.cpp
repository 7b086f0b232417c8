#include "file_task.hpp"
#include "../files/files.hpp"
#include "../files/memory_limit.hpp"

namespace tapehead {

FileTask::FileTask(const TaskOptions& options, bool trained)
    : path_(options.at("data")), trained_(trained) {
  if (const auto apart = options.find("held-out"); apart != options.end())
    held_out_path_ = apart->second;
  if (path_.empty() && !trained) throw UsageError("--data is required: the text file to train on");
}

void FileTask::read(int memory, const std::function<void()>& take) {
  try {
    if (path_.empty()) throw FileError("--data is required: a text file to take examples from");
    auto size = static_cast<double>(InputFile(path_).size());
    if (!held_out_path_.empty()) size += static_cast<double>(InputFile(held_out_path_).size());
    constexpr double little = 1 << 20;  // bytes that are always available
    if (memory * size <= little) return take();
    if (const MemoryLimit limit = memory_limit(); memory * size > limit.bytes)
      throw FileError("{}: {:.3g} GB of text take up to {:.3g} GB of memory, but {} {:.3g} GB",
                      path_, 1e-9 * size, 1e-9 * memory * size, limit.by, 1e-9 * limit.bytes);
    take();
  } catch (const FileError& error) {
    if (!trained_) throw;
    why_no_data_ = error.what();
  }
}

void FileTask::require_data() const {
  if (why_no_data_.empty()) return;
  const bool is_gone = !path_.empty() && !exists(path_);
  throw FileError("{}{}", why_no_data_,
                  is_gone ? "; if it has moved, pass its new path with --data FILE" : "");
}

}  // namespace tapehead
