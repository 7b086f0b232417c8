#pragma once
// Shared by file tests: folders, and objects that make the system refuse operations.
#include "scratch.hpp"
#include "support.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

namespace tapehead {

/// Limits the size of all files to this many bytes, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*signal_)(int);
};

/// Makes a folder read-only even for root, by switching to user nobody.
class ReadOnlyFolder {
 public:
  explicit ReadOnlyFolder(const std::string& path) : path_(path), is_root_(::geteuid() == 0) {
    namespace fs = std::filesystem;
    fs::permissions(path_, fs::perms(0555));
    if (is_root_ && ::seteuid(65534) != 0) std::abort();
  }
  ~ReadOnlyFolder() {
    if (is_root_ && ::seteuid(0) != 0) std::abort();
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
  }
  ReadOnlyFolder(const ReadOnlyFolder&) = delete;
  ReadOnlyFolder& operator=(const ReadOnlyFolder&) = delete;

 private:
  std::string path_;
  bool is_root_;
};

/// Makes a file or folder in `folder` unreadable even for root, by switching to user nobody, who
/// owns the folder.
class Unreadable {
 public:
  Unreadable(const std::string& folder, const std::string& path)
      : path_(path), before_(std::filesystem::status(path).permissions()) {
    namespace fs = std::filesystem;
    is_root_ = ::geteuid() == 0;
    constexpr uid_t nobody = 65534;
    if (is_root_) {
      if (::lchown(folder.c_str(), nobody, nobody) != 0) std::abort();
      for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (::lchown(entry.path().c_str(), nobody, nobody) != 0) std::abort();
    }
    fs::permissions(path_, fs::perms::none);
    if (is_root_ && ::seteuid(nobody) != 0) std::abort();
  }
  ~Unreadable() {
    if (is_root_ && ::seteuid(0) != 0) std::abort();
    std::filesystem::permissions(path_, before_);
  }
  Unreadable(const Unreadable&) = delete;
  Unreadable& operator=(const Unreadable&) = delete;

 private:
  std::string path_;
  std::filesystem::perms before_;
  bool is_root_;
};

using Names = std::set<std::string>;
inline Names with(Names names, const std::string& name) {
  names.insert(name);
  return names;
}

/// Returns the names in a folder.
inline Names names_in(const std::string& folder) {
  Names names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}
inline void expect_names(const std::string& folder, const Names& names) {
  const Names found = names_in(folder);
  BOOST_TEST(found == names, per_element());
}

/// Changes the working folder to an empty one during this object's lifetime, so that paths such as
/// `runs/x` can be used.
class Elsewhere {
 public:
  Elsewhere() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(scratch_.file(""));
  }
  ~Elsewhere() { std::filesystem::current_path(before_); }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

 private:
  Scratch scratch_;
  std::filesystem::path before_;
};

}  // namespace tapehead
