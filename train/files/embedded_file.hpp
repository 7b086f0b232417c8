#pragma once
#include <string>

namespace tapehead {

/// A text file that the build embeds in this program, as tapehead_embed_table does. The path of a
/// table's last element is null.
struct EmbeddedFile {
  const char *path, *text;
};

/// Returns the text of a file; null if the table lacks it.
inline const char* find_text(const EmbeddedFile* table, const std::string& path) {
  while (table->path && path != table->path) ++table;
  return table->text;
}

}  // namespace tapehead
