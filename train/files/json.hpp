#pragma once
// JSON as a value: what runs record, commands print and pages embed. nlohmann's library reads and
// writes its text; its headers cost every file that includes them four seconds, so few do.
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

/// Null, a boolean, a number, a string, an array, or an object, which keeps the order of its
/// members. Written as in JSON: `Json{{"step", 7}, {"time", {{"seconds", 1.5}}}}`.
class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;
  using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
                             Array, Object>;

  // Constructors are defined below: here Clang, under C++20, needs to know all of a Member.
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
  double number() const;                 ///< NaN if it is no number
  std::optional<Index> integer() const;  ///< empty if it is no integer
  const std::string& string() const;     ///< empty if it is no string
  const Array& items() const;            ///< none if it is no array
  const Object& members() const;         ///< none if it is no object
  /// The member of that name; null if there is none.
  const Json& operator[](const std::string& name) const&;

  /// The member of that name, which is added if there is none; that invalidates references to
  /// others. Null becomes an object first.
  Json& operator[](const std::string& name) &;
  void push_back(Json item);  ///< to an array
  Json& back();               ///< the last item of an array

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

struct Json::Member {
  std::string name;
  Json value;
};

template <class T>
Json::Json(const std::vector<T>& items) : value_(Array(items.begin(), items.end())) {}

/// Empty if the text is no JSON, or nested more than 100 levels deep. Of members with the same name
/// the last counts.
std::optional<Json> parse_json(const std::string& text);
/// In one line, or indented by `indent` spaces per level. Non-finite numbers become null, bytes
/// that are not UTF-8 U+FFFD.
std::string to_text(const Json& json, int indent = -1);
/// In one line, with as many digits as it takes to tell floats apart.
std::string to_float_text(const Json& json);

}  // namespace tapehead
