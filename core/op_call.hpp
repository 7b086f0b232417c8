#pragma once
// The arguments of one call of an op: inputs and attributes.
#include "tensor.hpp"

#include <functional>
#include <initializer_list>
#include <string>
#include <variant>

namespace tapehead {

/// A non-differentiable argument of an op: an axis, a probability, a mask.
struct Attribute {
  using List = std::vector<Index>;
  /// A string is the name of an enum value, such as `mean`. A tensor is a mask or ids.
  using Value = std::variant<bool, Index, double, std::string, List, Tensor>;

  Attribute(const char* name_, bool flag) : name(name_), value(flag) {}
  Attribute(const char* name_, int whole) : name(name_), value(Index{whole}) {}
  Attribute(const char* name_, Index whole) : name(name_), value(whole) {}
  Attribute(const char* name_, double number) : name(name_), value(number) {}
  Attribute(const char* name_, const char* word) : name(name_), value(std::string(word)) {}
  Attribute(const char* name_, List list) : name(name_), value(std::move(list)) {}
  Attribute(const char* name_, const std::vector<int>& list)
      : name(name_), value(List(list.begin(), list.end())) {}
  Attribute(const char* name_, Tensor x) : name(name_), value(std::move(x)) {}

  const char* name;  ///< the argument's name in the op's descriptor
  Value value;
};

/// The name and the attributes of one call of an op. The name must outlive the tapes. The
/// attributes are valid only during the call.
struct OpCall {
  OpCall(const char* name_) : name(name_) {}
  OpCall(const char* name_, const Attribute* begin, const Attribute* end)
      : name(name_), first(begin), last(end) {}
  OpCall(const char* name_, std::initializer_list<Attribute> attributes)
      : OpCall(name_, attributes.begin(), attributes.end()) {}

  /// Returns the value of an attribute, which must have the type T. Throws ValueError if the call
  /// has no attribute of that name.
  template <class T>
  const T& get(const char* attribute) const {
    return std::get<T>(find(attribute));
  }
  const Attribute::Value& find(const char* attribute) const;
  const Attribute* begin() const { return first; }
  const Attribute* end() const { return last; }

  const char* name;

 private:
  const Attribute *first = nullptr, *last = nullptr;
};

/// A view of an op's inputs, given as `{a, b}` or a vector. It is valid only during the call.
class Inputs {
 public:
  using Some = std::initializer_list<std::reference_wrapper<const Tensor>>;
  Inputs(Some some) : some_(some) {}
  Inputs(const std::vector<Tensor>& all) : all_(&all) {}

  std::size_t size() const { return all_ ? all_->size() : some_.size(); }
  const Tensor& operator[](std::size_t i) const {
    return all_ ? (*all_)[i] : some_.begin()[i].get();
  }

 private:
  Some some_;
  const std::vector<Tensor>* all_ = nullptr;
};

/// Returns `axis=-1`, `keep=true` or `axes=[0, 1]`; for a tensor, its shape: `mask (2, 3)`.
std::string to_string(const Attribute& attribute);

}  // namespace tapehead
