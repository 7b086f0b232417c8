#pragma once
// What pages and pictures have in them, and how they behave in a headless Chromium, in tests that
// are skipped where it isn't installed.
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/suite.hpp"

namespace tapehead {

/// What stands between two parts of a text; empty if the first isn't there.
std::string between(const std::string& text, const std::string& start, const std::string& end);

/// The data of a page's scripts.
json data_of(const std::string& page);

/// Elements end in their order; there are no entities but XML's own, and no control characters.
void expect_well_formed(const std::string& xml);

/// A precondition of tests.
boost::test_tools::assertion_result has_browser(boost::unit_test::test_unit_id);

struct Browsed {
  std::string dom, console;
};
/// The page as a browser has it once it is loaded, and what it wrote to the console. `hash` ends
/// the address.
Browsed browse(const std::string& page, const std::string& hash = "", int width = 360);

/// Uses the page as a reader would, by a script that may call all(), one(), press() and change(),
/// and hands over what `seen` then has. Nothing may be written to the console.
json visit(std::string page, const std::string& script, int width = 320,
           const std::string& hash = "");

}  // namespace tapehead
