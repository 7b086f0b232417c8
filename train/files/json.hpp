#pragma once
// JSON values for run files, command output and pages. The library nlohmann/json parses and writes
// the text. This header doesn't include it, because that adds four seconds to each compilation.
#include "../../core/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace tapehead {

/// A JSON value: null, a boolean, a number, a string, an array, or an object that keeps the order
/// of its members. Example: `Json{{"step", 7}, {"time", {{"seconds", 1.5}}}}`.
class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;
  using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
                             Array, Object>;

  // Constructors are defined below because Clang in C++20 mode needs a complete Member.
  Json(std::nullptr_t = nullptr);
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Json(T value) : value_(widest(value)) {}
  Json(const char* text);
  Json(std::string text);
  template <class T>
  Json(const std::vector<T>& items);
  Json(const Shape& sizes);
  Json(std::initializer_list<Member> members);
  static Json array();
  static Json array(Array items);
  static Json object();
  static Json object(Object members);

  const Value& value() const { return value_; }
  bool is_null() const { return is<std::monostate>(); }
  bool is_boolean() const { return is<bool>(); }
  bool is_number() const { return is<std::int64_t>() || is<std::uint64_t>() || is<double>(); }
  bool is_string() const { return is<std::string>(); }
  bool is_object() const { return is<Object>(); }
  double number() const;                 ///< NaN if it isn't a number
  std::optional<Index> integer() const;  ///< empty if it isn't an integer
  const std::string& string() const;     ///< empty if it isn't a string
  const Array& items() const;            ///< empty if it isn't an array
  const Object& members() const;         ///< empty if it isn't an object
  /// Returns the member with this name, or null.
  const Json& operator[](const std::string& name) const&;

  /// Returns the member with this name, adding it if needed, which invalidates references to other
  /// members. A null value becomes an object first.
  Json& operator[](const std::string& name) &;
  void push_back(Json item);  ///< appends to an array
  Json& back();               ///< last item of an array

 private:
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(value_);
  }
  template <class T>
  static auto widest(T value) {
    if constexpr (std::is_same_v<T, bool>)
      return value;
    else if constexpr (std::is_floating_point_v<T>)
      return double{value};
    else if constexpr (std::is_signed_v<T>)
      return std::int64_t{value};
    else
      return std::uint64_t{value};
  }

  Value value_;
};

/// A named member of an object.
struct Json::Member {
  std::string name;
  Json value;
};

template <class T>
Json::Json(const std::vector<T>& items) : value_(Array(items.begin(), items.end())) {}

/// Parses JSON. Returns nothing if the text isn't JSON, or is nested more than 100 levels deep. If
/// a name occurs twice, the last member is kept.
std::optional<Json> parse_json(const std::string& text);
/// Writes JSON on one line, or indented by `indent` spaces per level. Non-finite numbers become
/// null; invalid UTF-8 becomes U+FFFD.
std::string to_text(const Json& json, int indent = -1);
/// Writes JSON on one line, with just enough digits to distinguish floats.
std::string to_float_text(const Json& json);

}  // namespace tapehead
