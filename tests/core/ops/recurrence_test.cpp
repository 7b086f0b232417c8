#include "values.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(recurrence)

BOOST_AUTO_TEST_CASE(solve_unit_lower_values) {
  const Tensor a = f64({9, 9, 9, 2, 9, 9, 3, 4, 9}, {3, 3});  // 9 isn't read
  expect("forward", solve_unit_lower(a, f64({1, 3, 10}, {3, 1})), f64({1, 1, 3}, {3, 1}));
  expect("back", solve_unit_lower(a, f64({10, 5, 1}, {3, 1}), true), f64({5, 1, 1}, {3, 1}));
  expect("two columns", solve_unit_lower(f64({0, 0, -1, 0}, {2, 2}), f64({1, 2, 3, 4}, {2, 2})),
         f64({1, 2, 4, 6}, {2, 2}));
  expect("a NaN spreads to later rows",
         solve_unit_lower(f64({0, NAN, 0, 0, 0, 0, 1, 0, 0}, {3, 3}), f64({NAN, 1, 2}, {3, 1})),
         f64({NAN, NAN, NAN}, {3, 1}));
  expect("f32", solve_unit_lower(tensor({0, 0, 2, 0}, {2, 2}), tensor({1, 2}, {2, 1})),
         tensor({1, 0}, {2, 1}));
  expect("no rows", solve_unit_lower(zeros({2, 0, 0}), zeros({2, 0, 3})), zeros({2, 0, 3}));
}

BOOST_AUTO_TEST_CASE(solve_unit_lower_errors) {
  EXPECT_REFUSED(solve_unit_lower(zeros({2, 3}), zeros({2, 3})),
                 "solve_unit_lower: a (2, 3) and b (2, 3); expected (..., n, n) and (..., n, "
                 "width) with equal leading axes");
  EXPECT_REFUSED(solve_unit_lower(zeros({2, 2}), zeros({1, 2, 2})),
                 "solve_unit_lower: a (2, 2) and b (1, 2, 2); expected (..., n, n) and (..., n, "
                 "width) with equal leading axes");
  EXPECT_REFUSED(
      solve_unit_lower(zeros({2, 2}), zeros({2, 2}, DType::f64)),
      "solve_unit_lower: types f32 and f64 differ; convert one with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_CASE(lstm_values) {
  const double log3 = std::log(3.0), half = std::tanh(0.5);
  // i = f = o = 1/2 and g = 0: c halves.
  expect("gates of 0",
         lstm(f64({0, 0, 0, 0}, {1, 1, 4}), zeros({4, 1}, DType::f64), f64({7, 1}, {1, 2})),
         f64({half / 2, 0.5}, {1, 1, 2}), 1e-15);
  // i = 3/4, f = 1, g = 1: c counts in steps of 3/4.
  expect(
      "steps",
      lstm(f64({log3, 100, 100, 100, log3, 100, 100, 100}, {1, 2, 4}), zeros({4, 1}, DType::f64)),
      f64({std::tanh(0.75), 0.75, std::tanh(1.5), 1.5}, {1, 2, 2}), 1e-15);
  // Only o depends on the previous h, 1: o = 3/4.
  expect("a recurrent weight",
         lstm(f64({0, 100, 0, 0}, {1, 1, 4}), f64({0, 0, 0, log3}, {4, 1}), f64({1, 2}, {1, 2})),
         f64({0.75 * std::tanh(2.0), 2}, {1, 1, 2}), 1e-15);
  expect("huge gates",
         lstm(f64({1e300, -1e300, infinity, -infinity}, {1, 1, 4}), zeros({4, 1}, DType::f64),
              f64({0, 5}, {1, 2})),
         f64({0, 1}, {1, 1, 2}));
  expect("no steps", lstm(zeros({2, 0, 4}), zeros({4, 1})), zeros({2, 0, 2}));
}

BOOST_AUTO_TEST_CASE(lstm_errors) {
  EXPECT_REFUSED(
      lstm(zeros({2, 3, 4}), zeros({4, 2})),
      "lstm: x (2, 3, 4) and weight (4, 2); expected (batch, time, 4 hidden) and (4 hidden, "
      "hidden)");
  EXPECT_REFUSED(lstm(zeros({2, 3, 4}), zeros({4, 1}), zeros({2, 1})),
                 "lstm: x (2, 3, 4) and start (2, 1); expected start (2, 2)");
}

BOOST_AUTO_TEST_SUITE_END()
