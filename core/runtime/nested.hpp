#pragma once

namespace tapehead {

/// A base class for scopes T : Nested<T>. Each thread has a list of its living T objects, innermost
/// first. An object must be destroyed on the thread that made it, but may be destroyed before
/// objects made later.
template <class T>
class Nested {
 public:
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

  /// Returns the newest living object of this thread, or null.
  static T* innermost() { return static_cast<T*>(innermost_); }
  static bool is_alive() { return innermost_ != nullptr; }

 protected:
  Nested() : outer_(innermost_) { innermost_ = this; }
  ~Nested() {
    Nested** link = &innermost_;
    while (*link && *link != this) link = &(*link)->outer_;
    if (*link) *link = outer_;
  }

  T* outer() const { return static_cast<T*>(outer_); }

 private:
  static inline thread_local Nested* innermost_ = nullptr;

  Nested* outer_;
};

}  // namespace tapehead
