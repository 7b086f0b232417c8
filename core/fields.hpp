#pragma once
// How a struct lists those of its fields that are options: once, for all that read and set them by
// name.
#include "shape.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace tapehead {

/// A condition on a number, and its words in the error for any other.
struct Range {
  bool (*holds)(double);
  const char* words;

  static Range positive();      ///< above 0
  static Range above_one();     ///< above 1
  static Range not_negative();  ///< at least 0
  static Range fraction();      ///< at least 0 and below 1
};

/// A value, and what an option calls it.
template <class T>
struct Choice {
  const char* name;
  T value;
};

/// An option, as Fields shows it.
struct Field {
  const char *name, *help;
  std::variant<Index*, double*, bool*, std::uint64_t*, std::string*> value;
  Index least = 0, most = 0;              ///< of an Index
  Range range = {};                       ///< of a double
  const char* text = "";                  ///< what stands for a string in the help: FOLDER
  std::vector<const char*> choices = {};  ///< that a string may be; none: anything
};

/// Visits the options of a struct, which lists each with its name, its range, and what it is for:
///
///   struct WindowOptions {
///     Index reach = 8;
///     void options(Fields& f) { f("my-reach", reach, 1, 64, "how far back a query sees"); }
///   };
///
/// A command line, its help, files of settings, and ranges follow from the calls.
class Fields {
 public:
  explicit Fields(std::function<void(const Field&)> visit) : visit_(std::move(visit)) {}

  void operator()(const char* name, Index& value, Index least, Index most, const char* help) {
    visit_({name, help, &value, least, most});
  }
  void operator()(const char* name, double& value, Range range, const char* help) {
    visit_({name, help, &value, 0, 0, range});
  }
  void operator()(const char* name, bool& value, const char* help) { visit_({name, help, &value}); }
  void operator()(const char* name, std::uint64_t& value, const char* help) {
    visit_({name, help, &value});
  }
  /// `text` stands for it in the help: FOLDER.
  void operator()(const char* name, std::string& value, const char* text, const char* help) {
    visit_({name, help, &value, 0, 0, {}, text});
  }
  /// One of the names. They follow a help that ends in a colon, and else stand beside the option's.
  template <class T, std::size_t n>
  void operator()(const char* name, std::string& value, const Choice<T> (&choices)[n],
                  const char* help) {
    Field field{name, help, &value};
    for (const Choice<T>& choice : choices) field.choices.push_back(choice.name);
    visit_(field);
  }
  /// The value of one of the names.
  template <class T, std::size_t n>
  void operator()(const char* name, T& value, const Choice<T> (&choices)[n], const char* help) {
    std::string chosen;
    for (const Choice<T>& choice : choices)
      if (choice.value == value) chosen = choice.name;
    (*this)(name, chosen, choices, help);
    for (const Choice<T>& choice : choices)
      if (choice.name == chosen) value = choice.value;
  }

 private:
  std::function<void(const Field&)> visit_;
};

}  // namespace tapehead
