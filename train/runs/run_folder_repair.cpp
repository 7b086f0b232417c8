// Sets aside damaged files of a run folder, and detects lost lines of metrics. Removes nothing.
#include "metrics_file.hpp"
#include "run_folder_shared.hpp"

namespace tapehead {

std::string RunFolder::free_aside(const std::string& name) const {
  std::string aside = name + ".damaged";
  for (Index i = 2; has(aside); ++i) aside = fmt::format("{}.damaged-{}", name, i);
  return aside;
}

std::string RunFolder::set_aside(const std::string& name) const {
  check_locked();
  const std::string aside = free_aside(name);
  write_in(path_, [&] { rename_file(file(name), file(aside)); });
  return aside;
}

Index RunFolder::drop_damaged_lines(const std::string& name) const {
  const std::string aside = free_aside(name);
  const Index dropped = MetricsFile(path_, name).repair(file(aside));
  if (dropped > 0)
    notice_(fmt::format("{}: damaged lines dropped: {}; the whole file is set aside as {}",
                        file(name), dropped, aside));
  return dropped;
}

void RunFolder::repair_metrics() const {
  drop_damaged_lines(samples_name);
  const Index dropped = drop_damaged_lines(metrics_name);
  const std::string loss = MetricsFile(path_).loss(last_step());
  if (!loss.empty()) notice_(fmt::format("{}: {}", file(metrics_name), loss));
  if (exists(file(metrics_name)) && read_file(file(metrics_name)).empty()) set_aside(metrics_name);
  if (dropped == 0 && loss.empty()) return;
  // The files that are written from the lines may have rows that the lines lack.
  for (const std::string& name :
       {std::string(metrics_table_name), std::filesystem::path(events_name).parent_path().string()})
    if (has(name))
      notice_(fmt::format("{}: may have rows that {} lacks, set aside as {}", file(name),
                          metrics_name, set_aside(name)));
}

void RunFolder::check_metrics() const {
  if (!has_checkpoint()) return;
  if (const std::string loss = MetricsFile(path_).loss(last_step()); !loss.empty())
    throw FileError(
        "{}: {}; restore it, or continue without its lines by train --resume {} --repair",
        file(metrics_name), loss, shell_word(path_));
}

}  // namespace tapehead
