#pragma once
// The ops as an expression calls them: by name, with tensors and options.
#include "../../core/ops.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tapehead {

/// What an option was given as: `axis=0`, `axes=[0, 1]`, `reduction=sum`; a flag is the number 1.
struct OptionValue {
  std::vector<double> numbers;
  std::string word;
};

/// One call of an op: its tensors, of which an optional one may be null, and its options.
class CallArguments {
 public:
  std::vector<Tensor> tensors;
  std::map<std::string, OptionValue> options;

  const Tensor& operator[](std::size_t i) const { return tensors[i]; }
  bool has(const char* option) const { return options.count(option) > 0; }
  /// The option's number, or its default. Throws UsageError for a word.
  double number(const char* option) const;
  Index index(const char* option) const;  ///< the same, a whole number
  std::vector<Index> list(const char* option) const;
  bool flag(const char* option) const { return number(option) != 0; }
  /// Which of the words the option is, the first where it isn't given. Throws UsageError for
  /// another.
  std::size_t choice(const char* option, const std::vector<std::string>& words) const;

  std::string op;
};

/// How an op is called.
struct Callable {
  std::string name;
  std::vector<std::string> tensors;  ///< names; `gain?` may be missing, `parts...` are any number
  std::vector<std::string> options;  ///< in their order
  std::function<Tensor(const CallArguments&)> run;
  std::map<std::string, double> defaults = {};  ///< of the options that may be missing

  std::size_t required() const;  ///< tensors that can't be missing
  bool variadic() const { return !tensors.empty() && tensors[0] == "parts..."; }
  bool takes_whole(std::size_t i) const {  ///< as i32
    return tensors[i] == "mask" || tensors[i] == "ids" || tensors[i] == "targets";
  }
  /// Tensor i as the op takes it: i32 if takes_whole. Throws ValueError for a mask whose elements
  /// aren't 0 and 1, and for ids and targets that aren't whole numbers.
  Tensor converted(std::size_t i, const Tensor& x) const;
  bool requires_option(const std::string& option) const { return defaults.count(option) == 0; }
  std::string usage() const;  ///< `softmax(x, axis)`
};

/// Every op of the table, in its order.
const std::vector<Callable>& callables();
/// Adds an op of a program's own, unless one of that name is there.
void add_callable(const Callable& callable);
/// Throws UsageError with the nearest name.
const Callable& find_callable(const std::string& name);

}  // namespace tapehead
