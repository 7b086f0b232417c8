#include "parts.hpp"

namespace tapehead {

std::vector<std::string> PartInfo::all_read() const {
  std::vector<std::string> names = reads;
  for (const Option& option : options) names.push_back(option.name);
  return names;
}

bool PartInfo::has(const std::string& option) const {
  return contains(reads, option) || has_named(options, option);
}

std::vector<std::string> PartList::names() const {
  std::vector<std::string> names;
  for (const auto& part : all_) names.push_back(part->name);
  return names;
}

const PartInfo& PartList::find(const std::string& name) const {
  for (const auto& part : all_)
    if (part->name == name) return *part;
  refuse_unknown(fmt::format("--{}", option_), name, names());
}

void PartList::add_info(std::shared_ptr<const PartInfo> part) {
  for (const auto& known : all_)
    if (known->name == part->name)
      throw ValueError("registry: {} '{}' is already registered", option_, part->name);
  all_.push_back(std::move(part));
}

}  // namespace tapehead
