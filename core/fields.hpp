#pragma once
// A way to declare the options of a struct once. Command lines, help, configuration files and range
// checks use this declaration to read and set options by name.
#include "shape.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace tapehead {

/// A condition on a number, and its description for error messages.
struct Range {
  bool (*holds)(double);
  const char* words;

  static Range positive();      ///< above 0
  static Range above_one();     ///< above 1
  static Range not_negative();  ///< at least 0
  static Range fraction();      ///< at least 0 and below 1
};

/// A value of an option, and its name on the command line.
template <class T>
struct Choice {
  const char* name;
  T value;
};

/// An option, as passed to the `visit` function of Fields.
struct Field {
  const char *name, *help;
  std::variant<Index*, double*, bool*, std::uint64_t*, std::string*> value;
  Index least = 0, most = 0;              ///< range of an Index
  Range range = {};                       ///< range of a double
  const char* text = "";                  ///< placeholder of a string in the help, such as FOLDER
  std::vector<const char*> choices = {};  ///< allowed strings; empty: any
  const char* alias = "";  ///< second name of the option on the command line, such as ema
};

/// A visitor of the options of a struct. The struct lists the name, range and help of each:
///
///   struct WindowOptions {
///     Index reach = 8;
///     void options(Fields& f) { f("my-reach", reach, 1, 64, "how far back a query sees"); }
///   };
///
/// Command lines, help, configuration files and range checks are derived from these calls.
class Fields {
 public:
  explicit Fields(std::function<void(const Field&)> visit) : visit_(std::move(visit)) {}

  // `alias` is a second name of the option on the command line, such as --ema for --average.
  void operator()(const char* name, Index& value, Index least, Index most, const char* help,
                  const char* alias = "") {
    visit_({name, help, &value, least, most, {}, "", {}, alias});
  }
  void operator()(const char* name, double& value, Range range, const char* help,
                  const char* alias = "") {
    visit_({name, help, &value, 0, 0, range, "", {}, alias});
  }
  void operator()(const char* name, bool& value, const char* help, const char* alias = "") {
    visit_({name, help, &value, 0, 0, {}, "", {}, alias});
  }
  void operator()(const char* name, std::uint64_t& value, const char* help) {
    visit_({name, help, &value});
  }
  /// Declares a string; `text` is its placeholder in the help, such as FOLDER.
  void operator()(const char* name, std::string& value, const char* text, const char* help) {
    visit_({name, help, &value, 0, 0, {}, text});
  }
  /// Declares a string that must be the name of a choice. The help lists the names: after the
  /// `help` text if the text ends in a colon, otherwise next to the option's name.
  template <class T, std::size_t n>
  void operator()(const char* name, std::string& value, const Choice<T> (&choices)[n],
                  const char* help) {
    Field field{name, help, &value};
    for (const Choice<T>& choice : choices) field.choices.push_back(choice.name);
    visit_(field);
  }
  /// Declares a value that the user selects by the name of a choice.
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
