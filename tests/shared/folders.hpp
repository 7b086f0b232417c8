#pragma once
// What tests of files share: folders, and a system that refuses for as long as an object lives.
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

/// No file may grow beyond this many bytes, as on a disk that is full.
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

/// Nothing can be made in the folder, not even by root, who is nobody meanwhile.
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

/// A file or folder within `folder` can't be opened, not even by root, who is nobody meanwhile, and
/// owns the folder as such.
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

/// What is in a folder.
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

/// The working folder is an empty one, while it lives: `runs/x` can be written as users do.
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
