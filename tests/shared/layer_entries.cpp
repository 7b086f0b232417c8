#include "layer_entries.hpp"
#include "../../parts/parts.hpp"
#include "../../train/files/files.hpp"
#include "build.hpp"

#include <filesystem>
#include <regex>
#include <set>

namespace tapehead {
namespace {

std::set<std::string> declared_layers(const std::string& folder) {
  const std::regex layer(R"(struct (\w+) : (?:public )?Module\b)");
  std::set<std::string> names;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(source_dir + ("/" + folder))) {
    if (file.path().extension() != ".hpp") continue;
    const std::string text = read_file(file.path().string());
    for (auto at = std::sregex_iterator(text.begin(), text.end(), layer);
         at != std::sregex_iterator(); ++at)
      names.insert((*at)[1]);
  }
  return names;
}

}  // namespace

void expect_layers_have_entries(const std::string& folder, std::size_t least) {
  std::set<std::string> listed;
  const Registry registry = make_registry();
  for (const LayerEntry& entry : registry.layers()) {
    const std::string lines = tree(*entry.make());
    listed.insert(lines.substr(0, lines.find_first_of(" \n")));
  }
  const auto declared = declared_layers(folder);
  BOOST_TEST(declared.size() >= least);
  for (const std::string& name : declared)
    BOOST_TEST(listed.count(name) == 1u, name << " of " << folder << " needs an entry");
}

}  // namespace tapehead
