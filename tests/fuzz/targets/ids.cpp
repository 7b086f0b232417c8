#include "../../../train/text/id_file.hpp"
#include "../folder.hpp"
#include "../memory_file.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

namespace tapehead::fuzz {
namespace {

void read(const std::string& path, const std::string& again) {
  constexpr Index limit = 1 << 20;
  try {
    const IdFile file(path);
    const int largest = file.largest(limit);
    promise(largest < limit, "no id is above the limit");
    const std::vector<int> ids = file.read(0, file.size(), limit);
    save_ids(again, ids);
    promise(IdFile(again).read(0, file.size(), limit) == ids, "ids read back");
  } catch (const FileError&) {
  }
}

void ids(const std::string& input) {
  static const Folder folder;
  static const MemoryFile array(folder.path() + "/x.npy"), plain(folder.path() + "/x.bin");
  const MemoryFile& file = input.substr(0, 1) == "\x93" ? array : plain;
  file.write(input);
  read(file.path(), folder.path() + "/again.npy");
}
const Target ids_target("ids", ids);

}  // namespace

}  // namespace tapehead::fuzz
