#include "../../core/op.hpp"
#include "../../core/ops.hpp"
#include "../../core/recording.hpp"
#include "../shared/support.hpp"

#include <algorithm>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(op)

namespace {

enum class Direction { there, back };

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

template <>
struct tapehead::EnumNames<op_suite::Direction> {
  static constexpr Choice<op_suite::Direction> all[] = {{"there", op_suite::Direction::there},
                                                        {"back", op_suite::Direction::back}};
};

BOOST_AUTO_TEST_SUITE(op)

namespace {

using Kind = OpArgument::Kind;

Tensor numbers(const std::vector<double>& values) { return tensor(values, DType::f64); }

/// Returns an op with an argument of each kind; its result contains their values.
const Op& every_kind() {
  static const Op all{
      "every_kind",
      "",
      {},
      [](const Tensor& x, const Tensor& rows, const Tensor& shown, const Tensor& more, bool flag,
         Index count, int axis, double rate, const Axes& axes, std::optional<Index> end,
         Direction direction) {
        const auto first = [](const Tensor& t) { return t ? t(0) : -1; };
        return numbers({x(0), first(rows), first(shown), first(more), flag ? 1.0 : 0.0,
                        double(count), double(axis), rate, double(axes.size()),
                        double(end.value_or(99)), direction == Direction::back ? 1.0 : 0.0});
      },
      {"x",
       ids("rows"),
       mask("shown"),
       optional("more"),
       {"flag", false},
       "count",
       {"axis", -1},
       {"rate", 0.5},
       "axes",
       {"end", "all"},
       {"direction", "there"}}};
  return all;
}
/// Returns the required arguments and additional options.
OpArguments with(std::vector<Attribute> options = {}) {
  options.insert(options.end(), {{"count", 3}, {"axes", Attribute::List{0, 1}}});
  return {{numbers({7}), tensor({8}, DType::i32), tensor({1}, DType::i32)}, options};
}

const Op& join() { return *find_op("concat"); }

}  // namespace

BOOST_AUTO_TEST_CASE(kinds_of_arguments_follow_from_the_types_of_parameters) {
  std::vector<Kind> kinds;
  for (const OpArgument& argument : every_kind().arguments) kinds.push_back(argument.kind);
  const std::vector<Kind> expected = {Kind::tensor, Kind::ids,   Kind::mask,  Kind::tensor,
                                      Kind::flag,   Kind::whole, Kind::whole, Kind::number,
                                      Kind::list,   Kind::whole, Kind::word};
  BOOST_TEST((kinds == expected));
  BOOST_TEST(every_kind().arguments.back().words == std::vector<std::string>({"there", "back"}),
             boost::test_tools::per_element());
  BOOST_TEST((join().arguments[0].kind == Kind::tensors));
}

BOOST_AUTO_TEST_CASE(counts_its_tensors) {
  BOOST_TEST(every_kind().tensors() == 4U);
  BOOST_TEST(every_kind().required_tensors() == 3U);
  BOOST_TEST(!every_kind().is_variadic());
  BOOST_TEST(join().is_variadic());
}

BOOST_AUTO_TEST_CASE(options_that_are_not_given_have_their_defaults) {
  expect_equal(every_kind()(with()), {7, 8, 1, -1, 0, 3, -1, 0.5, 2, 99, 0});
}

BOOST_AUTO_TEST_CASE(options_are_given_by_name_in_any_order) {
  OpArguments all =
      with({{"direction", "back"}, {"end", 4}, {"rate", 0.25}, {"axis", 2}, {"flag", true}});
  all.tensors.push_back(numbers({5}));
  expect_equal(every_kind()(all), {7, 8, 1, 5, 1, 3, 2, 0.25, 2, 4, 1});
}

BOOST_AUTO_TEST_CASE(whole_numbers_may_be_given_as_doubles_and_one_number_as_a_list) {
  expect_equal(every_kind()({{numbers({7})}, {{"count", 3.0}, {"axes", 4}, {"rate", 2}}}),
               {7, -1, -1, -1, 0, 3, -1, 2, 1, 99, 0});
}

BOOST_AUTO_TEST_CASE(refuses_options_of_another_kind) {
  const auto error = [](const std::vector<Attribute>& options) {
    return error_text(typeid(ValueError), [&] { every_kind()(with(options)); });
  };
  BOOST_TEST(error({{"count", "many"}}) == "every_kind: count is many, expected a number");
  BOOST_TEST(error({{"count", 1.5}}) == "every_kind: count is 1.5, expected a whole number");
  BOOST_TEST(error({{"axis", 2e9}}) ==
             "every_kind: axis is 2000000000, which is too large; at most 1000000000 is supported");
  BOOST_TEST(error({{"rate", Attribute::List{1, 2}}}) ==
             "every_kind: rate is [1, 2], expected a number");
  BOOST_TEST(error({{"axes", "all"}}) == "every_kind: axes is all, expected a number");
  BOOST_TEST(error({{"direction", "up"}}) == "every_kind: direction is up, expected there or back");
  BOOST_TEST(error({{"direction", 1}}) == "every_kind: direction is 1, expected there or back");
}

BOOST_AUTO_TEST_CASE(refuses_a_missing_option) {
  const OpArguments no_count = {{numbers({7})}, {{"axes", 1}}};
  const OpArguments no_axes = {{numbers({7})}, {{"count", 1}}};
  EXPECT_ERROR(ValueError, every_kind()(no_count), "every_kind: count is missing");
  EXPECT_ERROR(ValueError, every_kind()(no_axes), "every_kind: axes is missing");
}

BOOST_AUTO_TEST_CASE(refuses_a_declaration_with_another_number_of_arguments) {
  const auto pair = [](const Tensor& a, const Tensor& b) { return a + b; };
  EXPECT_ERROR(ValueError, (Op{"pair", "", {}, pair, {"a"}}),
               "op 'pair': 1 argument declared, but the function takes 2");
  EXPECT_ERROR(ValueError, (Op{"pair", "", {}, pair, {"a", "b", {"c", 1}}}),
               "op 'pair': 3 arguments declared, but the function takes 2");
}

BOOST_AUTO_TEST_CASE(a_variadic_op_takes_any_number_of_tensors) {
  const Tensor one = numbers({1}), two = numbers({2, 3});
  expect_equal(join()({{one}}), {1});
  expect_equal(join()({{one, two, one}}), {1, 2, 3, 1});
  expect_equal(join()({{two, two}, {{"axis", -1}}}), {2, 3, 2, 3});
}

BOOST_AUTO_TEST_CASE(signatures_show_what_may_be_left_out) {
  BOOST_TEST(find_op("layer_norm")->signature() == "layer_norm(x, gain?, bias?, epsilon=1e-5)");
  BOOST_TEST(join().signature() == "concat(parts..., axis=0)");
  BOOST_TEST(find_op("sum")->signature() == "sum(x, axes=all, keep=false)");
}

BOOST_AUTO_TEST_CASE(options_are_made_of_text_and_numbers) {
  const auto argument = [](const char* name) -> const OpArgument& {
    const auto& all = every_kind().arguments;
    return *std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.name == name; });
  };
  const auto shown = [&](const char* name, const std::vector<double>& given) {
    return to_string(every_kind().option(argument(name), given));
  };
  BOOST_TEST(shown("axes", {0, 1}) == "axes=[0, 1]");
  BOOST_TEST(shown("axes", {}) == "axes=[]");
  BOOST_TEST(shown("rate", {1e-5}) == "rate=1e-5");
  BOOST_TEST(to_string(every_kind().option(argument("direction"), "back")) == "direction=back");
  EXPECT_ERROR(ValueError, shown("rate", {1, 2}),
               "every_kind: rate is [1, 2], expected one number");
  EXPECT_ERROR(ValueError, shown("direction", {1}),
               "every_kind: direction is a number, expected there or back");
  EXPECT_ERROR(ValueError, shown("axes", {0.5}),
               "every_kind: axes is 0.5, expected a whole number");
  EXPECT_ERROR(ValueError, every_kind().option(argument("direction"), "up"),
               "every_kind: direction is 'up', expected there or back");
  EXPECT_ERROR(ValueError, every_kind().option(argument("rate"), "high"),
               "every_kind: rate is 'high', expected a number");
}

BOOST_AUTO_TEST_CASE(a_fused_op_can_be_called_by_its_decomposition) {
  const Op& gelu = *find_op("gelu");
  const OpArguments arguments = {{numbers({-1, 0.5})}, {{"form", "erf"}}};
  const Tape tape;
  const TapeRecording recording;
  expect_equal(gelu.decomposed(arguments), gelu(arguments), 1e-15);
  int fused = 0, primitive = 0;
  for (const RecordedStep& step : recording.steps()) {
    fused += step.op == "gelu" ? 1 : 0;
    primitive += step.op == "erf" ? 1 : 0;
  }
  BOOST_TEST(fused == 1);
  BOOST_TEST(primitive == 1);
}

BOOST_AUTO_TEST_CASE(an_option_that_an_op_does_not_have_is_refused) {
  EXPECT_ERROR(ValueError, (*find_op("gelu"))({{numbers({1})}, {{"frm", "erf"}}}),
               "gelu: no option 'frm'; the arguments are gelu(x, form=tanh)");
}

BOOST_AUTO_TEST_CASE(ops_are_found_by_name) {
  BOOST_TEST_REQUIRE(find_op("softmax"));
  BOOST_TEST(find_op("softmax")->family == "normalisation");
  BOOST_TEST(!find_op("sofmax"));
}

BOOST_AUTO_TEST_CASE(an_op_name_is_unique) {
  const std::size_t before = ops().size();
  const auto twice = [](const Tensor& x) { return x + x; };
  EXPECT_ERROR(ValueError, add_op({"exp", "y = 2 x", {"dx = 2 dy"}, twice, {"x"}}),
               "op 'exp': another op already has that name");
  add_op(*find_op("exp"));  // the same op is accepted
  BOOST_TEST(ops().size() == before);
}

BOOST_AUTO_TEST_SUITE_END()
