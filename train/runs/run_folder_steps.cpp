// The checkpoints of a run by their steps.
#include "run_folder.hpp"
#include "step_folders.hpp"

#include <fmt/ranges.h>

namespace tapehead {

std::map<Index, std::string> RunFolder::complete_steps() const {
  std::map<Index, std::string> all;
  for (const StepFolder& folder : step_folders(path_))
    if (is_complete(folder.name())) all.emplace(folder.step, folder.name());
  // A copy may have folders in place of its links.
  for (const Kept which : {Kept::last, Kept::best})
    if (const std::string name = linked(which);
        !name.empty() && !step_folder(name) && is_complete(name))
      all.emplace(read_record(file(name)).steps, name);
  return all;
}

std::vector<Index> RunFolder::steps() const {
  std::vector<Index> all;
  for (const auto& [step, name] : complete_steps()) all.push_back(step);
  return all;
}

void RunFolder::load_step(Module& model, Index step) const {
  const std::map<Index, std::string> all = complete_steps();
  const auto found = all.find(step);
  if (found == all.end())
    throw FileError("{}: no checkpoint of step {}; it has {}", path_, step,
                    all.empty() ? "none" : fmt::format("{}", fmt::join(steps(), ", ")));
  read_checkpoint(file(found->second), model, nullptr);
}

}  // namespace tapehead
