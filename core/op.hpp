#pragma once
// The descriptor of an op. `tapehead ops`, `explain`, Python and its stubs, gradient checks and the
// tests read it; an op's arguments are listed nowhere else.
#include "fields.hpp"
#include "op_call.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <tuple>

namespace tapehead {

/// The names of an enum's values, such as `mean` for Reduction::mean. A specialization has a static
/// array `all` of Choice<E>.
template <class E>
struct EnumNames;
template <class E>
const char* enum_name(E value) {
  for (const Choice<E>& each : EnumNames<E>::all)
    if (each.value == value) return each.name;
  return "";
}

/// An argument of an op. The descriptor has its name, and its default if it has one. Its kind
/// follows from the type of the C++ parameter.
struct OpArgument {
  enum class Kind { tensor, tensors, ids, mask, flag, whole, number, list, word };

  OpArgument(const char* name_) : name(name_) {}
  OpArgument(const char* name_, bool value)
      : OpArgument(name_, Attribute::Value(value), value ? "true" : "false") {}
  OpArgument(const char* name_, int value)
      : OpArgument(name_, Attribute::Value(Index{value}), std::to_string(value)) {}
  OpArgument(const char* name_, double value);
  /// A word. If the parameter is a std::optional, it describes the default, such as `all`.
  OpArgument(const char* name_, const char* word)
      : OpArgument(name_, Attribute::Value(std::string(word)), word) {}

  bool is_tensor() const { return kind <= Kind::mask; }
  /// Whether a tensor holds whole numbers, i32: ids, or a mask of 0 and 1.
  bool is_whole() const { return kind == Kind::ids || kind == Kind::mask; }
  bool is_required() const { return !default_value; }

  std::string name;
  Kind kind = Kind::tensor;
  std::optional<Attribute::Value> default_value;  ///< the default
  std::string default_text = {};                  ///< `-1`, `1e-5`, `all`; empty for a tensor
  std::vector<std::string> words = {};            ///< what a word may be

 private:
  friend OpArgument optional(const char* name);
  OpArgument(const char* name_, Attribute::Value value, std::string text)
      : name(name_), default_value(std::move(value)), default_text(std::move(text)) {}
};
OpArgument optional(const char* name);  ///< a tensor that may be missing, and is then null
OpArgument ids(const char* name);       ///< a tensor of whole numbers, i32
OpArgument mask(const char* name);      ///< a tensor of 0 and 1, i32

/// The arguments of one call, for a caller that doesn't know the op's C++ signature.
struct OpArguments {
  std::vector<Tensor> tensors;  ///< in the order of the descriptor; null where one is missing
  std::vector<Attribute> options = {};  ///< in any order; others have their defaults
};

/// The descriptor of an op: its name, formula, gradients, function and arguments.
///
///   Op{"softmax", "y = exp(x) / sum(exp(x))", {"dx = y (dy - sum(dy y))"}, softmax,
///      {"x", {"axis", -1}}}
class Op {
 public:
  /// `gradients` has a line for each differentiable input, "da = dy b"; the last line may define
  /// names after a semicolon. f takes tensors first, then numbers, flags, lists (Axes, Shape,
  /// std::vector<Index>) and enums that have EnumNames. Throws ValueError unless the arguments name
  /// each parameter of f.
  template <class F>
  Op(const char* name_, const char* formula_, std::vector<std::string> gradients_, F f,
     std::initializer_list<OpArgument> arguments_)
      : name(name_), formula(formula_), gradients(std::move(gradients_)), arguments(arguments_) {
    using Types = typename Signature<F>::Types;
    bind(std::move(f), static_cast<Types*>(nullptr),
         std::make_index_sequence<std::tuple_size_v<Types>>());
  }
  // For overloaded functions: one tensor, or two.
  Op(const char* name_, const char* formula_, std::vector<std::string> gradients_,
     Tensor (*f)(const Tensor&), std::initializer_list<OpArgument> arguments_)
      : Op(
            name_, formula_, std::move(gradients_), [f](const Tensor& x) { return f(x); },
            arguments_) {}
  Op(const char* name_, const char* formula_, std::vector<std::string> gradients_,
     Tensor (*f)(const Tensor&, const Tensor&), std::initializer_list<OpArgument> arguments_)
      : Op(
            name_, formula_, std::move(gradients_),
            [f](const Tensor& a, const Tensor& b) { return f(a, b); }, arguments_) {}

  /// Calls the op. Throws ValueError for an option that it doesn't have, or of another kind.
  Tensor operator()(const OpArguments& given) const {
    check_options(given);
    return call_(*this, given);
  }
  /// The same, but a fused op runs its decomposition into primitive ops.
  Tensor decomposed(const OpArguments& given) const;

  bool is_variadic() const { return arguments[0].kind == OpArgument::Kind::tensors; }
  std::size_t tensors() const;           ///< how many arguments are tensors; they come first
  std::size_t required_tensors() const;  ///< how many of these are required
  std::string gradient() const;          ///< all in one line: "da = dy b, db = dy a"
  std::string signature() const;         ///< `layer_norm(x, gain?, bias?, epsilon=1e-5)`
  /// Returns an option from numbers or a word: `axis=0`, `axes=[0, 1]`, `reduction=sum`. Throws
  /// ValueError unless it fits the argument's kind.
  Attribute option(const OpArgument& argument, const std::vector<double>& numbers) const;
  Attribute option(const OpArgument& argument, const std::string& word) const;

  std::string name, formula;
  std::vector<std::string> gradients;      ///< one for each input that has one: "da = dy b"
  std::string family = "a program's own";  ///< as core/ops.hpp groups its ops
  std::vector<OpArgument> arguments;

 private:
  template <class F>
  struct Signature : Signature<decltype(&F::operator())> {};
  template <class R, class... T>
  struct Signature<R (*)(T...)> {
    using Types = std::tuple<std::decay_t<T>...>;
  };
  template <class F, class R, class... T>
  struct Signature<R (F::*)(T...) const> : Signature<R (*)(T...)> {};
  template <class T>
  struct Optional : std::false_type {
    using Type = T;
  };
  template <class T>
  struct Optional<std::optional<T>> : std::true_type {
    using Type = T;
  };

  template <class F, class... T, std::size_t... I>
  void bind(F f, std::tuple<T...>*, std::index_sequence<I...>) {
    check_count(sizeof...(T));
    (declare<typename Optional<T>::Type>(arguments[I]), ...);
    call_ = [f = std::move(f)](const Op& op, const OpArguments& given) {
      return f(op.read<T>(given, I)...);
    };
  }
  template <class T>
  static void declare(OpArgument& argument);
  template <class T>
  T read(const OpArguments& given, std::size_t i) const;

  void check_count(std::size_t parameters) const;
  void check_options(const OpArguments& given) const;
  const Attribute::Value* find(const OpArguments& given, std::size_t i) const;  ///< or null
  /// The value given, or the default. Throws ValueError where there is neither.
  const Attribute::Value& value_of(const OpArguments& given, std::size_t i) const;
  double number(const OpArguments& given, std::size_t i) const;
  Index whole(const OpArguments& given, std::size_t i) const;
  Attribute::List list(const OpArguments& given, std::size_t i) const;
  std::size_t choice(const OpArguments& given, std::size_t i) const;

  std::function<Tensor(const Op&, const OpArguments&)> call_;
};

/// Returns all ops: those of core/ops.hpp in its order, then those that were added.
const std::deque<Op>& ops();
/// Adds an op; call it before other threads read the list. Throws ValueError if another op has its
/// name; an op with the same formula and gradient counts as the same one.
void add_op(Op op);
/// Returns the op of that name, or null.
const Op* find_op(const std::string& name);

// ---- from a parameter's type to an argument's kind, and from an argument to its value

template <class T>
void Op::declare(OpArgument& argument) {
  using Kind = OpArgument::Kind;
  if constexpr (std::is_same_v<T, Tensor>) {
    return;  // the declaration says which kind of tensor
  } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
    argument.kind = Kind::tensors;
  } else if constexpr (std::is_same_v<T, bool>) {
    argument.kind = Kind::flag;
  } else if constexpr (std::is_integral_v<T>) {
    argument.kind = Kind::whole;
  } else if constexpr (std::is_floating_point_v<T>) {
    argument.kind = Kind::number;
  } else if constexpr (std::is_enum_v<T>) {
    argument.kind = Kind::word;
    for (const auto& word : EnumNames<T>::all) argument.words.emplace_back(word.name);
  } else {
    argument.kind = Kind::list;
  }
}

template <class T>
T Op::read(const OpArguments& given, std::size_t i) const {
  if constexpr (Optional<T>::value) {
    using Some = typename Optional<T>::Type;
    return find(given, i) ? T(read<Some>(given, i)) : T();
  } else if constexpr (std::is_same_v<T, Tensor>) {
    return i < given.tensors.size() ? given.tensors[i] : Tensor();
  } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
    return given.tensors;
  } else if constexpr (std::is_same_v<T, bool>) {
    return number(given, i) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(whole(given, i));
  } else if constexpr (std::is_floating_point_v<T>) {
    return number(given, i);
  } else if constexpr (std::is_enum_v<T>) {
    return EnumNames<T>::all[choice(given, i)].value;
  } else if constexpr (std::is_same_v<T, Shape>) {
    return Shape(list(given, i));
  } else {
    const Attribute::List all = list(given, i);
    return T(all.begin(), all.end());
  }
}

}  // namespace tapehead
