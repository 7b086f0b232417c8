#include "../pdf.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(pdf)

BOOST_AUTO_TEST_CASE(a_page_of_its_size) {
  Drawing drawing;
  drawing.height = 100;
  drawing.title = "Loss";
  drawing.line({{1, 2}, {3, 4}}, 0xff0000, 1, {2, 1});
  drawing.area({{1, 2}, {3, 4}, {3, 2}}, 0x00ff00, 0.5);
  drawing.text({10, 10}, "held-out · ± é", Mark::Anchor::middle, true);
  const std::string bytes = to_pdf(drawing);
  BOOST_TEST(bytes.substr(0, 5) == "%PDF-");
  BOOST_TEST(has(bytes, "/MediaBox [ 0 0 234 100 ]"));
  BOOST_TEST(has(bytes, "%%EOF"));
  BOOST_TEST(has(bytes, "/FontFile"));  // embedded
}

BOOST_AUTO_TEST_CASE(beside_each_figure) {
  const Scratch scratch;
  const std::string run = scratch.file("run"), to = scratch.file("figures");
  done("train copy --length 4 --symbols 4 --width 8 --heads 1 --layers 1 --steps 2 --out " + run);
  const std::string text = done("report " + run + " --figures " + to).text;
  BOOST_TEST(has(text, "/loss.svg, .pdf and .csv\n"));
  BOOST_TEST(!has(text, "without PDF"));
  BOOST_TEST(contents(to + "/loss.pdf").substr(0, 5) == "%PDF-");
}

BOOST_AUTO_TEST_SUITE_END()
