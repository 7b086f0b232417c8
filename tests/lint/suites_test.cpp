#include "../shared/suite.hpp"

#include <boost/test/tree/traverse.hpp>
#include <boost/test/tree/visitor.hpp>
#include <filesystem>
#include <string>

BOOST_AUTO_TEST_SUITE(suites)

namespace {

// Tests run one suite per file, so a case outside its file's suite would never run.
struct InSuiteOfItsFile : boost::unit_test::test_tree_visitor {
  void visit(const boost::unit_test::test_case& test) override {
    const std::string file = test.p_file_name.begin();
    const std::string stem = std::filesystem::path(file).stem().string();
    const std::string suite = stem.substr(0, stem.rfind("_test"));
    BOOST_TEST(test.full_name().rfind(suite + "/", 0) == 0,
               file << ": " << test.full_name() << " is not in the suite " << suite);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(are_named_like_their_files) {
  InSuiteOfItsFile visitor;
  boost::unit_test::traverse_test_tree(boost::unit_test::framework::master_test_suite(), visitor,
                                       true);
}

BOOST_AUTO_TEST_SUITE_END()
