#pragma once
// A database of SQLite, as far as this part writes one.
#include "../../core/error.hpp"

#include <memory>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;

namespace tapehead {

/// Open for as long as it lives. All that is written counts once `commit` is called, or nothing
/// does. Every function throws FileError that names the file and the reason.
class Database {
 public:
  using Value = std::variant<std::int64_t, std::string>;

  /// Opens a database, which is made if there is none.
  explicit Database(const std::string& path);
  void run(const std::string& statement, const std::vector<Value>& values = {});
  void commit();

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::shared_ptr<sqlite3> database_;
};

}  // namespace tapehead
