#include "../shelf/export.hpp"
#include "write.hpp"

namespace tapehead {

/// Adds `runs --trackio FOLDER`, which writes runs for Trackio to show.
void add_trackio(Registry& registry) {
  registry.extend(RunsExport{
      "trackio", "write the runs to a folder of Trackio, whose database of that project is kept",
      write_trackio});
}

}  // namespace tapehead
