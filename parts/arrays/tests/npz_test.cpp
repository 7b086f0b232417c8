#include "../npz.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/support.hpp"
#include "stored_arrays.hpp"

namespace tapehead {
BOOST_FIXTURE_TEST_SUITE(npz, Elsewhere)

BOOST_AUTO_TEST_CASE(an_archive_has_the_arrays_and_no_time) {
  const Arrays two = {{"a", tensor({1, 2.5}, DType::f32)},
                      {"blocks.0.w", zeros({2, 0}, DType::f64)}};
  save_npz("a.npz", two);
  const std::string bytes = contents("a.npz");
  const Arrays stored = stored_arrays(bytes);
  BOOST_TEST_REQUIRE(stored.size() == 2U);
  for (const auto& [name, x] : two) expect_equal(stored.at(name), x);
  BOOST_TEST((encode_npz(two) == bytes));
  BOOST_TEST(stored_arrays(encode_npz({})).empty());
}

BOOST_AUTO_TEST_CASE(names_that_cant_be_are_refused) {
  for (const std::string& name : {std::string(), std::string("a/b"), std::string(1001, 'x')})
    BOOST_CHECK_THROW(save_npz("a", {{name, scalar(1)}}), ValueError);
  EXPECT_ERROR(ValueError, encode_npz({{"/x", scalar(1)}}),
               "npz: \"/x\" isn't a valid array name; use 1 to 1,000 bytes without '/'");
  expect_names(".", {});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tapehead
