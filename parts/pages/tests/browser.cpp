#include "browser.hpp"
#include "../../../tests/shared/scratch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace tapehead {

std::string between(const std::string& text, const std::string& start, const std::string& end) {
  const std::size_t from = text.find(start);
  if (from == std::string::npos) return "";
  const std::size_t begin = from + start.size();
  return text.substr(begin, text.find(end, begin) - begin);
}

json data_of(const std::string& page) {
  return json::parse(between(page, R"(<script type="application/json" id="data">)", "</script>"));
}

void expect_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    const char c = xml[at];
    BOOST_TEST_REQUIRE((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
    if (c == '&') {
      const std::string entity = xml.substr(at, xml.find(';', at) - at);
      BOOST_TEST((entity == "&lt" || entity == "&gt" || entity == "&amp" || entity == "&quot"),
                 entity);
    }
    if (c != '<') continue;
    const std::size_t end = xml.find('>', at);
    BOOST_TEST_REQUIRE(end != std::string::npos);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    BOOST_TEST(tag.find('<') == std::string::npos, tag);
    BOOST_TEST(std::count(tag.begin(), tag.end(), '"') % 2 == 0, tag);
    if (tag[0] == '/') {
      BOOST_TEST_REQUIRE(!open.empty());
      BOOST_TEST_REQUIRE(open.back() == tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end;
  }
  BOOST_TEST(open.empty());
}

boost::test_tools::assertion_result has_browser(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result result(shell("command -v chromium").status == 0);
  if (!result) result.message() << "chromium is not installed";
  return result;
}

Browsed browse(const std::string& page, const std::string& hash, int width) {
  const Scratch scratch;
  // The browser's helper processes may outlive it briefly and still write to its folder. So the
  // shell removes the folder and ignores the status of rm, unlike Scratch.
  const Output output = shell(fmt::format(
      "HOME=$(mktemp -d) && export HOME && timeout 60 chromium --headless --no-sandbox "
      "--disable-gpu --no-first-run --enable-logging=stderr --window-size={},900 "
      "--user-data-dir=$HOME --dump-dom 'file://{}{}'; status=$?; rm -rf $HOME; exit $status",
      width, scratch.write("page.html", page), hash));
  BOOST_TEST_CONTEXT(output.errors) BOOST_TEST(output.status == 0);
  Browsed browsed{output.text, ""};
  std::istringstream lines(output.errors);
  for (std::string line; std::getline(lines, line);)
    if (line.find("CONSOLE") != std::string::npos) browsed.console += line + '\n';
  return browsed;
}

json visit(std::string page, const std::string& script, int width, const std::string& hash) {
  const std::string end = "</body>";
  page.replace(page.rfind(end), end.size(), R"(<script>
const seen = {}, all = query => [...document.querySelectorAll(query)], one = query => document.querySelector(query);
const press = (at, key) => at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const change = (at, value) => { at.value = value; at.dispatchEvent(new Event(at.type === 'range' ? 'input' : 'change')); };
)" + script + R"(
const note = document.createElement('pre');
note.id = 'seen';
note.textContent = JSON.stringify(seen).replace(/[<>&]/g, c => '\\u00' + c.charCodeAt(0).toString(16));
document.body.append(note);
</script></body>)");
  const Browsed browsed = browse(page, hash, width);
  BOOST_TEST(browsed.console == "");
  const std::string note = between(browsed.dom, "<pre id=\"seen\">", "</pre>");
  BOOST_TEST_REQUIRE(note != "", browsed.dom.substr(0, 2000));
  return json::parse(note);
}

}  // namespace tapehead
