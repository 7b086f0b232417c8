#include "../../train/gradchecks/check.hpp"
#include "../../train/runs/files.hpp"
#include "../shared/build.hpp"
#include "../shared/support.hpp"

#include <filesystem>
#include <regex>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(layers)

namespace {

/// Every struct in nn/*.hpp that derives from Module.
std::set<std::string> declared_layers() {
  const std::regex layer(R"(struct (\w+) : (?:public )?Module\b)");
  std::set<std::string> names;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(source_dir + std::string("/nn"))) {
    if (file.path().extension() != ".hpp") continue;
    const std::string text = read_file(file.path().string());
    for (auto at = std::sregex_iterator(text.begin(), text.end(), layer);
         at != std::sregex_iterator(); ++at)
      names.insert((*at)[1]);
  }
  return names;
}

struct WrongBias : Module {  // its gradient is 0.05 % too large
  Tensor forward(const Tensor& x, Pass&) const override {
    const Tensor& b = bias;
    const Tensor y = (x + b).detached();
    return record("wrong", y, {x, b}, [](const Tensor& dy) { return Grads{dy, dy * 1.0005}; });
  }
  void visit(Visitor& v) override { v("bias", bias); }

  Parameter bias{{3}, Init::constant(0), false};
};

}  // namespace

BOOST_AUTO_TEST_CASE(each_has_an_entry) {
  std::set<std::string> listed;
  const Registry registry = Registry::standard();
  for (const LayerEntry& entry : registry.layers()) {
    BOOST_TEST(!entry.summary.empty());
    const std::string lines = tree(*entry.make());
    listed.insert(lines.substr(0, lines.find_first_of(" \n")));
  }
  const auto declared = declared_layers();
  BOOST_TEST(declared.size() >= 8u);
  for (const std::string& name : declared)
    BOOST_TEST(listed.count(name) == 1u, name << " needs an entry in train/gradchecks/layers.cpp");
}

BOOST_AUTO_TEST_CASE(gradients) {
  unsigned number = 0;
  const Registry registry = Registry::standard();
  for (LayerEntry entry : registry.layers()) {
    BOOST_TEST(entry.first_only == "");
    if (under_sanitizers && number++ % 10 > 0) entry.first_only = "it takes ten times as long";
    const CheckReport report = check_layer(entry);
    BOOST_TEST(report.passed(), entry.name << ": " << to_string(report.worst()));
    for (const Check& each : report.checks) BOOST_TEST(each.result.comparisons > 0);
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_gradient_is_found) {
  const LayerEntry entry{"wrong", "", [] { return std::make_unique<WrongBias>(); },
                         normal_sample({2, 3}, 1)};
  const CheckReport report = check_layer(entry);
  BOOST_TEST(!report.passed());
  const std::string text = to_string(report.worst());
  BOOST_TEST(text.rfind("gradient: bias element 0", 0) == 0u, text);
}

BOOST_AUTO_TEST_SUITE_END()
