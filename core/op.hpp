#pragma once
// The descriptor of an op, the only place that lists the op's arguments. `tapehead ops`, `explain`,
// the Python package and its stubs, gradient checks and tests read the descriptor.
#include "fields.hpp"
#include "op_call.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <tuple>

namespace tapehead {

/// The names of an enum's values, such as `mean` for Reduction::mean. Each specialization has a
/// static array `all` of Choice<E>.
template <class E>
struct EnumNames;
template <class E>
const char* enum_name(E value) {
  for (const Choice<E>& each : EnumNames<E>::all)
    if (each.value == value) return each.name;
  return "";
}

/// An argument of an op. The descriptor gives the argument's name and default, if any. Its kind
/// follows from the type of the C++ parameter.
struct OpArgument {
  enum class Kind { tensor, tensors, ids, mask, flag, whole, number, list, word };

  OpArgument(const char* name_) : name(name_) {}
  OpArgument(const char* name_, bool value)
      : OpArgument(name_, Attribute::Value(value), value ? "true" : "false") {}
  OpArgument(const char* name_, int value)
      : OpArgument(name_, Attribute::Value(Index{value}), std::to_string(value)) {}
  OpArgument(const char* name_, double value);
  /// `word` is the name of the default value of an enum. For a std::optional parameter, it
  /// describes the default in words, such as `all`.
  OpArgument(const char* name_, const char* word)
      : OpArgument(name_, Attribute::Value(std::string(word)), word) {}

  bool is_tensor() const { return kind <= Kind::mask; }
  /// Returns whether the argument is an i32 tensor: ids, or a mask of 0 and 1.
  bool is_whole() const { return kind == Kind::ids || kind == Kind::mask; }
  bool is_required() const { return !default_value; }

  std::string name;
  Kind kind = Kind::tensor;
  std::optional<Attribute::Value> default_value;  ///< empty: the argument is required
  std::string default_text = {};                  ///< such as `1e-5` or `all`; empty for a tensor
  std::vector<std::string> words = {};            ///< allowed values of a word

 private:
  friend OpArgument optional(const char* name);
  OpArgument(const char* name_, Attribute::Value value, std::string text)
      : name(name_), default_value(std::move(value)), default_text(std::move(text)) {}
};
OpArgument optional(const char* name);  ///< an optional tensor, null if missing
OpArgument ids(const char* name);       ///< an i32 tensor of ids
OpArgument mask(const char* name);      ///< an i32 tensor of 0 and 1

/// The arguments of one call, for callers that don't know the op's C++ signature.
struct OpArguments {
  std::vector<Tensor> tensors;          ///< in the order of the descriptor; null if missing
  std::vector<Attribute> options = {};  ///< in any order; missing ones have their defaults
};

/// The descriptor of an op: its name, formula, gradients, function and arguments.
///
///   Op{"softmax", "y = exp(x) / sum(exp(x))", {"dx = y (dy - sum(dy y))"}, softmax,
///      {"x", {"axis", -1}}}
class Op {
 public:
  /// `gradients` has one line for each differentiable input, such as "da = dy b". The last line may
  /// end with a semicolon and definitions of names. f takes tensors first, then numbers, flags,
  /// lists (Axes, Shape, std::vector<Index>) and enums with an EnumNames specialization. Throws
  /// ValueError unless there is one argument for each parameter of f.
  template <class F>
  Op(const char* name_, const char* formula_, std::vector<std::string> gradients_, F f,
     std::initializer_list<OpArgument> arguments_)
      : name(name_), formula(formula_), gradients(std::move(gradients_)), arguments(arguments_) {
    using Types = typename Signature<F>::Types;
    bind(std::move(f), static_cast<Types*>(nullptr),
         std::make_index_sequence<std::tuple_size_v<Types>>());
  }
  // Constructors for functions of one or two tensors that have overloads.
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

  /// Calls the op. Throws ValueError for an unknown option or a value of the wrong kind.
  Tensor operator()(const OpArguments& given) const {
    check_options(given);
    return call_(*this, given);
  }
  /// Calls the op, but runs the decomposition of a fused op instead of its kernel.
  Tensor decomposed(const OpArguments& given) const;

  bool is_variadic() const { return arguments[0].kind == OpArgument::Kind::tensors; }
  std::size_t tensors() const;           ///< the number of tensor arguments; they come first
  std::size_t required_tensors() const;  ///< the number of required tensor arguments
  std::string gradient() const;          ///< all gradients in one line: "da = dy b, db = dy a"
  std::string signature() const;         ///< `layer_norm(x, gain?, bias?, epsilon=1e-5)`
  /// Makes an option from numbers or a word: `axis=0`, `axes=[0, 1]`, `reduction=sum`. Throws
  /// ValueError if the value doesn't match the argument's kind.
  Attribute option(const OpArgument& argument, const std::vector<double>& numbers) const;
  Attribute option(const OpArgument& argument, const std::string& word) const;

  std::string name, formula;
  std::vector<std::string> gradients;  ///< one for each differentiable input: "da = dy b"
  std::string family = "custom";       ///< the group in core/ops.hpp
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
  const Attribute::Value* find(const OpArguments& given, std::size_t i) const;  ///< null if missing
  /// Returns the given value or the default. Throws ValueError if there is neither.
  const Attribute::Value& value_of(const OpArguments& given, std::size_t i) const;
  double number(const OpArguments& given, std::size_t i) const;
  Index whole(const OpArguments& given, std::size_t i) const;
  Attribute::List list(const OpArguments& given, std::size_t i) const;
  std::size_t choice(const OpArguments& given, std::size_t i) const;

  std::function<Tensor(const Op&, const OpArguments&)> call_;
};

/// Returns all ops: first the ops in core/ops.hpp, in the order of that file, then the ops from
/// add_op.
const std::deque<Op>& ops();
/// Adds an op to the list of ops. Call it before other threads read the list. Throws ValueError if
/// an op with this name has another formula or other gradients.
void add_op(Op op);
/// Returns the op with this name, or null.
const Op* find_op(const std::string& name);

// ---- kinds of arguments from C++ types; values of arguments

template <class T>
void Op::declare(OpArgument& argument) {
  using Kind = OpArgument::Kind;
  if constexpr (std::is_same_v<T, Tensor>) {
    return;  // tensor, ids or mask, as the descriptor says
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
