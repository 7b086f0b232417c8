#pragma once
// Checks of pages and pictures, some in a headless Chromium. Tests that need it are skipped if it
// isn't installed.
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/suite.hpp"

namespace tapehead {

/// Returns the text between `start` and `end`; empty if `start` doesn't occur.
std::string between(const std::string& text, const std::string& start, const std::string& end);

/// Returns the JSON data that a page embeds for its scripts.
json data_of(const std::string& page);

/// Expects that elements are closed in order, with only XML's entities and no control characters.
void expect_well_formed(const std::string& xml);

/// Returns whether a browser is installed, as a precondition of tests.
boost::test_tools::assertion_result has_browser(boost::unit_test::test_unit_id);

struct Browsed {
  std::string dom, console;
};
/// Loads the page in a browser. Returns its DOM and console output. `hash` is appended to the
/// address.
Browsed browse(const std::string& page, const std::string& hash = "", int width = 360);

/// Loads the page and runs a script that can call all(), one(), press() and change(). Returns
/// `seen` as the script set it. Fails if anything is written to the console.
json visit(std::string page, const std::string& script, int width = 320,
           const std::string& hash = "");

}  // namespace tapehead
