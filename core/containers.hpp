#pragma once
// Algorithms on whole containers, which C++17 lacks, and lookup among entries with a member `name`.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace tapehead {

template <class Range, class T>
bool contains(const Range& range, const T& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}
template <class Range, class Predicate>
bool any_of(const Range& range, Predicate predicate) {
  return std::any_of(std::begin(range), std::end(range), predicate);
}
template <class Range, class Predicate>
bool all_of(const Range& range, Predicate predicate) {
  return std::all_of(std::begin(range), std::end(range), predicate);
}
template <class Range, class Predicate>
bool none_of(const Range& range, Predicate predicate) {
  return std::none_of(std::begin(range), std::end(range), predicate);
}
template <class Range, class Predicate>
auto count_if(const Range& range, Predicate predicate) {
  return std::count_if(std::begin(range), std::end(range), predicate);
}
template <class Range, class Predicate>
auto find_if(Range& range, Predicate predicate) {
  return std::find_if(std::begin(range), std::end(range), predicate);
}
template <class Container, class Predicate>
void erase_if(Container& container, Predicate predicate) {
  container.erase(std::remove_if(container.begin(), container.end(), predicate), container.end());
}
template <class Container, class Range>
void append(Container& container, const Range& range) {
  container.insert(container.end(), std::begin(range), std::end(range));
}

/// Returns the names of all entries.
template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}
/// Returns an iterator to the first entry with this name, or the end.
template <class Entries, class Name>
auto find_named(Entries& entries, const Name& name) {
  return find_if(entries, [&](const auto& entry) { return entry.name == name; });
}
template <class Entries, class Name>
bool has_named(const Entries& entries, const Name& name) {
  return find_named(entries, name) != std::end(entries);
}

}  // namespace tapehead
