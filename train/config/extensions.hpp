#pragma once
#include <any>
#include <map>
#include <typeindex>
#include <vector>

namespace tapehead {

/// The registered extensions of commands, by type; see cli/extensions.hpp.
class Extensions {
 public:
  template <class Extension>
  void extend(Extension extension) {
    std::any& all = extensions_[typeid(Extension)];
    if (!all.has_value()) all = std::vector<Extension>();
    std::any_cast<std::vector<Extension>&>(all).push_back(std::move(extension));
  }
  /// Returns the extensions of a type in registration order.
  template <class Extension>
  const std::vector<Extension>& extensions() const {
    static const std::vector<Extension> none;
    const auto found = extensions_.find(typeid(Extension));
    return found == extensions_.end() ? none
                                      : std::any_cast<const std::vector<Extension>&>(found->second);
  }

 private:
  std::map<std::type_index, std::any> extensions_;
};

}  // namespace tapehead
