#include "registered.hpp"
#include "../../cli/extensions.hpp"
#include "../../parts/parts.hpp"

namespace tapehead {
namespace {

bool is_registered(const std::string& name) {
  const Registry registry = make_registry();
  for (const CommandEntry& entry : registry.extensions<CommandEntry>())
    if (entry.name == name) return true;
  for (const TaskEntry& entry : registry.tasks())
    if (entry.name == name) return true;
  for (const std::string& arch : registry.architectures().names())
    if (arch == name) return true;
  return false;
}

}  // namespace

std::function<boost::test_tools::assertion_result(boost::unit_test::test_unit_id)> registered(
    const std::string& name) {
  return [=](boost::unit_test::test_unit_id) {
    boost::test_tools::assertion_result result(is_registered(name));
    if (!result) result.message() << "the part with " << name << " isn't built";
    return result;
  };
}

}  // namespace tapehead
