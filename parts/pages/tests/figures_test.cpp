// Figures for print.
#include "../../../tests/shared/small_sweep.hpp"
#include "../../../tests/shared/support.hpp"
#include "../figures/chart.hpp"

#include <cmath>
#include <filesystem>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(figures)

namespace {

bool is_picture(const std::string& svg) {
  return has(svg, "<svg ") && has(svg, "</svg>") && !has(svg, "nan") && !has(svg, "inf");
}

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_of_axes) {
  BOOST_TEST((ticks(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10}));
  BOOST_TEST((ticks(0, 1, 2) == std::vector<double>{0, 0.5, 1}));
  BOOST_TEST((ticks(1, 1000, 5, true) == std::vector<double>{1, 10, 100, 1000}));
  BOOST_TEST((ticks(2, 8, 3, true) == std::vector<double>{2, 4, 6, 8}));
  BOOST_TEST(ticks(1e-20, 1, 5, true).size() <= 6u);
}

BOOST_AUTO_TEST_CASE(curves_and_bands) {
  LineChart chart{"Loss", "steps", "loss", false, false, {}};
  chart.lines = {{"a, \"b\"", {1, 2, 3}, {3, 2, 1}, {2, 1, 0}, {4, 3, 2}}, {"c", {2}, {5}}};
  BOOST_TEST(csv_of(chart) ==
             "steps,\"a, \"\"b\"\"\",\"a, \"\"b\"\" lowest\",\"a, \"\"b\"\" highest\",c\n"
             "1,3,2,4,\n2,2,1,3,5\n3,1,0,2,\n");
  const Drawing drawing = draw(chart);
  BOOST_TEST(drawing.width == 234);
  const std::string svg = to_svg(drawing);
  BOOST_TEST(missing(svg, {"width=\"234pt\"", "font-size=\"8\"", "fill-opacity=\"0.2\"",
                           "a, &quot;b&quot;", "<title>Loss</title>", "rotate(-90"}) == "",
             svg);
  for (const Mark& mark : drawing.marks)
    for (const Place& place : mark.points) {
      BOOST_TEST((place.x >= 0 && place.x <= drawing.width));
      BOOST_TEST((place.y >= 0 && place.y <= drawing.height));
    }
  chart.log_y = true;  // the band reaches 0, which a log axis can't show
  BOOST_TEST(is_picture(to_svg(draw(chart))));
}

/// Tests no points, one point, equal points, huge values, and values that can't be drawn.
BOOST_AUTO_TEST_CASE(edges) {
  for (const bool log : {false, true})
    for (const std::vector<double>& values : std::vector<std::vector<double>>{
             {}, {1}, {0, 0}, {5, 5, 5}, {-1, 1}, {1e300, 1e-300}, {infinity, 1}, {std::nan("")}}) {
      LineChart chart{"t", "x", "y", log, log, {{"", {}, values}}};
      for (std::size_t i = 0; i < values.size(); ++i)
        chart.lines[0].x.push_back(static_cast<double>(i));
      BOOST_TEST(is_picture(to_svg(draw(chart))), values.size() << log);
      const DotChart dots{"t", "x", {{"a", values, values.empty() ? std::nan("") : values[0]}}};
      if (!log) BOOST_TEST(is_picture(to_svg(draw(dots))));
    }
  BOOST_TEST(csv_of(DotChart{"t", "x", {{"a", {1, infinity}, infinity}}}) ==
             "settings,median,run 1,run 2\na,,1,\n");
}

BOOST_AUTO_TEST_CASE(maps) {
  const HeatMap map{"head", "keys", "queries", {"a", "<"}, {"x"}, {0.25, 1}};
  BOOST_TEST(csv_of(map) == ",a,<\nx,0.25,1\n");
  const std::string svg = to_svg(draw(map));
  BOOST_TEST(missing(svg, {"#bfbfbf", "#000000", "&lt;"}) == "", svg);
  HeatMap wide{"head", "keys", "queries", {}, {}, {}};
  for (int i = 0; i < 200; ++i) {
    wide.columns.push_back("word");
    wide.rows.push_back("word");
  }
  wide.values.assign(40'000, 0.5);
  const Drawing drawing = draw(wide);
  BOOST_TEST(drawing.width == 234);
  for (const Mark& mark : drawing.marks) BOOST_TEST(mark.points[0].x <= drawing.width);
}

BOOST_AUTO_TEST_CASE(of_runs) {
  const Scratch scratch;
  const auto train = [&](const char* name, const char* lr) {
    done(
        fmt::format("train copy --length 4 --symbols 4 --width 8 --heads 2 --layers 1 --steps 6 "
                    "--min-lr 0 --eval-every 2 --lr {} --out {}",
                    lr, scratch.file(name)));
  };
  train("a", "1e-3");
  train("b", "1e-2");
  const std::string to = scratch.file("print/one"), both = scratch.file("both");
  const std::string text = done(fmt::format("report {} --figures {}", scratch.file("a"), to)).text;
  BOOST_TEST(has(text, to + "/loss.svg"));
  BOOST_TEST(has(text, to + "/attention-layer-0-head-1.svg"));
  BOOST_TEST(lines_of(contents(to + "/loss.csv"))[0] == "steps,training,validation");
  BOOST_TEST(lines_of(contents(to + "/loss.csv")).size() == 7u);
  BOOST_TEST(lines_of(contents(to + "/attention-layer-0-head-0.csv")).size() >= 4u);
  BOOST_TEST(is_picture(contents(to + "/loss.svg")));
  BOOST_TEST(!std::filesystem::exists(scratch.file("a/report.html")));
  done(fmt::format("report {} {} --figures {}", scratch.file("a"), scratch.file("b"), both));
  BOOST_TEST(lines_of(contents(both + "/exact-match.csv"))[0] == "steps,a,b");
  BOOST_TEST(!std::filesystem::exists(both + "/attention-layer-0-head-0.svg"));
  expect_refused(fmt::format("report {} --figures f --watch", scratch.file("a")),
                 "--figures writes no page; remove --out, --watch or --serve");
}

BOOST_AUTO_TEST_CASE(of_a_sweep) {
  const Scratch scratch;
  const std::string out = scratch.file("all"), to = scratch.file("figures");
  BOOST_TEST(small_sweep(out, {"--grid", "lr=1e-3,1e30", "--seeds", "2", "--optimizer", "sgd",
                               "--warmup", "0", "--clip", "0", "--eval-every", "1"})
                 .status == 0);
  const Output output = command({"report", out, "--figures", to});
  BOOST_TEST(output.status == 0, output.errors);
  BOOST_TEST(missing(output.text, {to + "/results-exact-match.svg", to + "/results-loss.svg",
                                   to + "/validation-loss.svg", to + "/exact-match.svg",
                                   to + "/loss.svg"}) == "",
             output.text);
  BOOST_TEST(lines_of(contents(to + "/validation-loss.csv"))[0] ==
             "steps,lr 1e-3,lr 1e-3 lowest,lr 1e-3 highest");
  BOOST_TEST(has(contents(to + "/results-loss.csv"), "\nlr 1e30,,,\n"));
  BOOST_TEST(is_picture(contents(to + "/results-loss.svg")));
}

BOOST_AUTO_TEST_SUITE_END()
