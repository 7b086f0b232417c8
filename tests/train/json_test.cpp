#include "../../train/files/json.hpp"
#include "../shared/support.hpp"

#include <cmath>
#include <limits>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(json)

BOOST_AUTO_TEST_CASE(values_are_written_in_order) {
  Json document = {{"b", 1}, {"a", {{"x", -2.5}, {"yes", true}}}, {"none", Json()}};
  document["list"] = std::vector<double>{1, 0.1};
  document["a"]["text"] = "\"\n";
  document["b"] = "again";
  BOOST_TEST(to_text(document) == R"({"b":"again","a":{"x":-2.5,"yes":true,"text":"\"\n"},)"
                                  R"("none":null,"list":[1.0,0.1]})");
  BOOST_TEST(to_text({{"a", Json::array()}, {"b", Json::object()}}, 2) ==
             "{\n  \"a\": [],\n  \"b\": {}\n}");
}

BOOST_AUTO_TEST_CASE(numbers_keep_every_bit) {
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  BOOST_TEST(to_text(largest) == "18446744073709551615");
  BOOST_TEST(to_text(std::numeric_limits<Index>::min()) == "-9223372036854775808");
  BOOST_TEST(to_text(0.1) == "0.1");
  BOOST_TEST(to_text(0.1F) == "0.10000000149011612");
  BOOST_TEST(to_float_text(0.1F) == "0.1");
  for (double x : {std::nan(""), HUGE_VAL, -HUGE_VAL}) BOOST_TEST(to_text(x) == "null");
  for (const char* text : {"18446744073709551615", "-7", "5e-324", "0.1", "1.0", "true", "null"})
    BOOST_TEST(to_text(parse_json(text).value()) == text);
  const Json large = parse_json("18446744073709551615").value();
  BOOST_TEST(large.number() == 18446744073709551615.0);
  BOOST_TEST(!large.integer());
}

BOOST_AUTO_TEST_CASE(a_line_is_read) {
  const Json line =
      parse_json(R"({"step": 7, "time": {"seconds": 1.5}, "heads": [1, null]})").value();
  BOOST_TEST(line["step"].integer().value() == 7);
  BOOST_TEST(line["time"]["seconds"].number() == 1.5);
  BOOST_TEST(line["heads"].items()[0].number() == 1);
  BOOST_TEST(line["heads"].items()[1].is_null());
  BOOST_TEST(line.members().size() == 3u);
  BOOST_TEST(line["time"]["minutes"]["of"].is_null());
  BOOST_TEST(std::isnan(line["heads"].number()));
  BOOST_TEST(!line["time"]["seconds"].integer());
  BOOST_TEST(!Json(std::numeric_limits<std::uint64_t>::max()).integer());
  BOOST_TEST(line["step"].string() == "");
  BOOST_TEST(line["step"].items().empty());
}

BOOST_AUTO_TEST_CASE(invalid_json_is_rejected) {
  for (const char* text : {"", "{", "{} {}", "[1,]", "{'a': 1}", "1e999", "\xff", "nul"})
    BOOST_TEST(!parse_json(text), text);
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  BOOST_TEST(parse_json(nested(100)).has_value());
  BOOST_TEST(!parse_json(nested(101)));
  BOOST_TEST(!parse_json(nested(1'000'000)));
}

BOOST_AUTO_TEST_CASE(the_last_duplicate_key_wins) {
  BOOST_TEST(to_text(parse_json(R"({"a":[1,{"b":{}}],"b":2,"a":{"c":[[]],"c":3}})").value()) ==
             R"({"a":{"c":3},"b":2})");
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf_8_is_replaced) {
  BOOST_TEST(to_text("a\xff") == "\"a\xef\xbf\xbd\"");
}

BOOST_AUTO_TEST_SUITE_END()
