#include "json.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace tapehead {
namespace {

using Document = nlohmann::ordered_json;
using FloatDocument = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                           std::int64_t, std::uint64_t, float>;

/// What a Json is as a document of the library.
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

Json value_of(const Document& document) {
  if (document.is_boolean()) return document.get<bool>();
  if (document.is_number_unsigned() && document.get<std::uint64_t>() > INT64_MAX)
    return document.get<std::uint64_t>();
  if (document.is_number_integer()) return document.get<std::int64_t>();
  if (document.is_number()) return document.get<double>();
  if (document.is_string()) return document.get<std::string>();
  Json json;
  if (document.is_array()) json = Json::array();
  if (document.is_object()) json = Json::object();
  for (const auto& [name, part] : document.items())
    json.is_object() ? void(json[name] = value_of(part)) : json.push_back(value_of(part));
  return json;
}

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

template <class Members>
auto find(Members& members, const std::string& name) {
  return std::find_if(members.begin(), members.end(),
                      [&](const Json::Member& member) { return member.name == name; });
}

}  // namespace

Json::Json(std::initializer_list<Member> members) : value_(Object(members)) {}

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
  const auto found = find(members(), name);
  return found == members().end() ? null : found->value;
}

Json& Json::operator[](const std::string& name) & {
  if (is_null()) value_ = Object();
  auto& members = std::get<Object>(value_);
  const auto found = find(members, name);
  return found != members.end() ? found->value : members.emplace_back(Member{name, {}}).value;
}

void Json::push_back(Json item) { std::get<Array>(value_).push_back(std::move(item)); }
Json& Json::back() { return std::get<Array>(value_).back(); }

std::optional<Json> parse_json(const std::string& text) {
  constexpr int deepest = 100;
  bool too_deep = false;
  const auto check = [&](int depth, Document::parse_event_t event, Document&) {
    using Event = Document::parse_event_t;
    too_deep |= depth >= deepest && (event == Event::object_start || event == Event::array_start);
    return !too_deep;
  };
  const Document document = Document::parse(text, check, false);
  if (document.is_discarded() || too_deep) return {};
  return value_of(document);
}

std::string to_text(const Json& json, int indent) { return text_of<Document>(json, indent); }
std::string to_float_text(const Json& json) { return text_of<FloatDocument>(json, -1); }

}  // namespace tapehead
