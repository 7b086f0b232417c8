#include "json.hpp"
#include "../../core/containers.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace tapehead {
namespace {

using Document = nlohmann::ordered_json;
using FloatDocument = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                           std::int64_t, std::uint64_t, float>;

/// Converts a Json to a value of nlohmann's library.
template <class Target>
Target document(const Json& json);

template <class Target>
struct Writer {
  Target operator()(std::monostate) const { return nullptr; }
  Target operator()(const Json::Array& items) const {
    Target result = Target::array();
    for (const Json& item : items) result.push_back(document<Target>(item));
    return result;
  }
  Target operator()(const Json::Object& members) const {
    Target result = Target::object();
    for (const Json::Member& member : members) result[member.name] = document<Target>(member.value);
    return result;
  }
  template <class T>
  Target operator()(const T& value) const {
    return value;
  }
};

template <class Target>
Target document(const Json& json) {
  return std::visit(Writer<Target>(), json.value());
}

/// Builds a Json while parsing, without recursion, in time linear in the text.
class Builder : public nlohmann::json_sax<Document> {
 public:
  Json result;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    return value > INT64_MAX ? add(value) : add(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& text) override { return add(std::move(text)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return start(); }
  bool start_array(std::size_t) override { return start(); }
  bool key(string_t& name) override {
    Open& open = open_.back();
    const auto [found, is_new] = open.places.try_emplace(name, open.members.size());
    if (is_new) open.members.push_back({name, {}});
    open.place = found->second;
    return true;
  }
  bool end_object() override { return end(Json::object(std::move(open_.back().members))); }
  bool end_array() override { return end(Json::array(std::move(open_.back().items))); }
  bool parse_error(std::size_t, const std::string&, const Document::exception&) override {
    return false;
  }

 private:
  /// An array or object that isn't complete yet.
  struct Open {
    Json::Array items;
    Json::Object members;
    std::map<std::string, std::size_t> places;  // index of each member, by name
    std::optional<std::size_t> place;           // index of the member that gets the next value
  };

  bool start() {
    constexpr std::size_t deepest = 100;
    if (open_.size() == deepest) return false;
    open_.emplace_back();
    return true;
  }
  bool end(Json whole) {
    open_.pop_back();
    return add(std::move(whole));
  }
  bool add(Json value) {
    if (open_.empty())
      result = std::move(value);
    else if (Open& open = open_.back(); open.place)
      open.members[*std::exchange(open.place, {})].value = std::move(value);
    else
      open.items.push_back(std::move(value));
    return true;
  }

  std::vector<Open> open_;
};

template <class Target>
std::string text_of(const Json& json, int indent) {
  return document<Target>(json).dump(indent, ' ', false, Target::error_handler_t::replace);
}

template <class T>
const T& or_empty(const Json::Value& value) {
  static const T none;
  const T* found = std::get_if<T>(&value);
  return found ? *found : none;
}

}  // namespace

Json::Json(std::initializer_list<Member> members) : value_(Object(members)) {}
Json::Json(std::nullptr_t) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(const Shape& sizes) : value_(Array(sizes.begin(), sizes.end())) {}

Json Json::array() { return array(Array()); }
Json Json::array(Array items) {
  Json result;
  result.value_ = std::move(items);
  return result;
}
Json Json::object() { return object(Object()); }
Json Json::object(Object members) {
  Json json;
  json.value_ = std::move(members);
  return json;
}

double Json::number() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) return double(*integer);
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) return double(*large);
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  return std::nan("");
}

std::optional<Index> Json::integer() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) return *integer;
  return {};
}

const std::string& Json::string() const { return or_empty<std::string>(value_); }
const Json::Array& Json::items() const { return or_empty<Array>(value_); }
const Json::Object& Json::members() const { return or_empty<Object>(value_); }

const Json& Json::operator[](const std::string& name) const& {
  static const Json null;
  const auto found = find_named(members(), name);
  return found == members().end() ? null : found->value;
}

Json& Json::operator[](const std::string& name) & {
  if (is_null()) value_ = Object();
  auto& members = std::get<Object>(value_);
  const auto found = find_named(members, name);
  return found != members.end() ? found->value : members.emplace_back(Member{name, {}}).value;
}

void Json::push_back(Json item) { std::get<Array>(value_).push_back(std::move(item)); }
Json& Json::back() { return std::get<Array>(value_).back(); }

std::optional<Json> parse_json(const std::string& text) {
  Builder builder;
  if (!Document::sax_parse(text, &builder)) return {};
  return std::move(builder.result);
}

std::string to_text(const Json& json, int indent) { return text_of<Document>(json, indent); }
std::string to_float_text(const Json& json) { return text_of<FloatDocument>(json, -1); }

}  // namespace tapehead
