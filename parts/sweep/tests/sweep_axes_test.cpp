#include "../../../tests/shared/support.hpp"
#include "../axes.hpp"

#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(sweep_axes)

BOOST_AUTO_TEST_CASE(an_axis) {
  for (const char* text : {"lr=1e-3,3e-3", "--lr=1e-3,3e-3"}) {
    const Axis axis = parse_axis(text);
    BOOST_TEST(axis.option == "lr");
    BOOST_TEST((axis.values == std::vector<std::string>{"1e-3", "3e-3"}));
    BOOST_TEST(!axis.range);
  }
  BOOST_TEST(parse_axis("heads=1").values.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_range) {
  const Axis axis = parse_axis("lr=1e-4..1e-2:log");
  BOOST_TEST_REQUIRE(axis.range.has_value());
  BOOST_TEST(axis.values.empty());
  BOOST_TEST(axis.range->low == 1e-4);
  BOOST_TEST(axis.range->high == 1e-2);
  BOOST_TEST(axis.range->log);
  BOOST_TEST(!axis.range->whole);
  BOOST_TEST(parse_axis("heads=1..8").range->whole);
  BOOST_TEST(!parse_axis("heads=1..8").range->log);
  BOOST_TEST(!parse_axis("dropout=0..0.5").range->whole);
  BOOST_TEST(parse_axis("dropout=-1..1").range->low == -1);
  // A path with dots is a value, not a range.
  BOOST_TEST((parse_axis("data=../a..txt").values == std::vector<std::string>{"../a..txt"}));
  BOOST_TEST(parse_axis("data=../a,../b").values.size() == 2u);
}

BOOST_AUTO_TEST_CASE(malformed_axes_are_refused) {
  for (const char* text : {"lr", "lr=", "=1", "lr=1,,2", "lr=1,", ""})
    expect_error<UsageError>(
        [&] { parse_axis(text); },
        fmt::format("--grid: expected an option and its values, such as lr=1e-3,3e-3, got '{}'",
                    text));
  expect_error<UsageError>([] { parse_axis("lr=1,2,1"); }, "--grid lr=1,2,1: 1 is listed twice");
  for (const char* text : {"lr=2..1", "lr=1..1", "lr=0..inf", "lr=nan..1"})
    expect_error<UsageError>(
        [&] { parse_axis(text); },
        fmt::format("--grid {}: a range must go from a number to a larger one", text));
  expect_error<UsageError>([] { parse_axis("lr=0..1:log"); },
                           "--grid lr=0..1:log: a range with :log must begin above 0");
  std::string many = "lr=0";
  for (int i = 1; i < 200'000; ++i) many += fmt::format(",{}", i);
  BOOST_TEST(parse_axis(many).values.size() == 200'000U);  // takes less than quadratic time
}

BOOST_AUTO_TEST_CASE(all_combinations) {
  const std::vector<Settings> all = combinations({{"lr", {"1", "2"}}, {"heads", {"3", "4", "5"}}});
  BOOST_TEST_REQUIRE(all.size() == 6u);
  BOOST_TEST((all[0] == Settings{{"lr", "1"}, {"heads", "3"}}));
  BOOST_TEST((all[1] == Settings{{"lr", "1"}, {"heads", "4"}}));
  BOOST_TEST((all[5] == Settings{{"lr", "2"}, {"heads", "5"}}));
  BOOST_TEST((combinations({}) == std::vector<Settings>{{}}));
}

BOOST_AUTO_TEST_CASE(drawn) {
  const std::vector<Axis> axes = {parse_axis("lr=1e-4..1e-2:log"), parse_axis("heads=1..4"),
                                  parse_axis("norm=rms,layer")};
  const std::vector<Settings> all = drawn_combinations(axes, 400, 3);
  BOOST_TEST_REQUIRE(all.size() == 400u);
  BOOST_TEST((std::set<Settings>(all.begin(), all.end()).size() == 400u));
  int below = 0, rms = 0;
  std::set<std::string> heads;
  for (const Settings& settings : all) {
    BOOST_TEST(settings[0].first == "lr");
    const double lr = std::stod(settings[0].second);
    BOOST_TEST((lr >= 1e-4 && lr <= 1e-2));
    BOOST_TEST(settings[0].second.size() <= 8u);  // three digits
    below += lr < 1e-3;
    heads.insert(settings[1].second);
    rms += settings[2].second == "rms";
  }
  BOOST_TEST((below > 150 && below < 250));  // the middle of the range on a log scale
  BOOST_TEST((rms > 150 && rms < 250));
  BOOST_TEST((heads == std::set<std::string>{"1", "2", "3", "4"}));
  // A larger count extends the same sequence. Another seed draws another sequence.
  BOOST_TEST((drawn_combinations(axes, 2, 3)[1] == all[1]));
  BOOST_TEST((drawn_combinations(axes, 2, 4)[0] != all[0]));
  BOOST_TEST(drawn_combinations({parse_axis("norm=rms,layer")}, 2, 0).size() == 2u);
  expect_error<UsageError>([] { drawn_combinations({parse_axis("norm=rms,layer")}, 3, 0); },
                           "--random 3: --grid has only 2 combinations; omit --random to "
                           "try all");
}

BOOST_AUTO_TEST_CASE(names_of_runs) {
  BOOST_TEST(run_name({{"lr", "1e-3"}, {"data", "a/b.txt"}}, 7) == "lr=1e-3,data=a_b.txt,seed=7");
  BOOST_TEST(run_name({}, 0) == "seed=0");
}

BOOST_AUTO_TEST_SUITE_END()
