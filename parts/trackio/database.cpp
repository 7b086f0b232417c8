#include "database.hpp"

#include <sqlite3.h>

namespace tapehead {

Database::Database(const std::string& path) : path_(path) {
  sqlite3* opened = nullptr;
  const int state = sqlite3_open(path.c_str(), &opened);
  database_ = std::shared_ptr<sqlite3>(opened, sqlite3_close);
  if (state != SQLITE_OK) fail();
  sqlite3_busy_timeout(opened, 10000);  // another program may be writing it
  run("BEGIN IMMEDIATE");
}

void Database::run(const std::string& statement, const std::vector<Value>& values) {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(database_.get(), statement.c_str(), -1, &prepared, nullptr) != SQLITE_OK)
    fail();
  const std::shared_ptr<sqlite3_stmt> owned(prepared, sqlite3_finalize);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int at = static_cast<int>(i) + 1;
    if (const auto* number = std::get_if<std::int64_t>(&values[i])) {
      sqlite3_bind_int64(prepared, at, *number);
    } else {
      const std::string& text = std::get<std::string>(values[i]);
      sqlite3_bind_text(prepared, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
  }
  if (sqlite3_step(prepared) != SQLITE_DONE) fail();
}

void Database::commit() { run("COMMIT"); }

void Database::fail() const { throw FileError("{}: {}", path_, sqlite3_errmsg(database_.get())); }

}  // namespace tapehead
