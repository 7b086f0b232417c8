#include "../../train/runs/digest.hpp"
#include "../../core/kernels/gemm/gemm.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(digest)

using Weights = std::map<std::string, Tensor>;

// Computed by printf 'b\0F32 2\n\0\0\200\077\0\0\0\300' | sha256sum, and likewise for the others.
BOOST_AUTO_TEST_CASE(is_a_sha256_of_names_types_shapes_and_bytes) {
  BOOST_TEST(tapehead::digest(Weights{}) == "e3b0c44298fc1c14");
  const Weights one = {{"b", tensor({1.0, -2.0}, {2})}};
  BOOST_TEST(tapehead::digest(one) == "fdc082af38be19d9");
  const Weights two = {{"b", tensor({1.0, -2.0}, {2})}, {"a", tensor({1.5}, {1, 1}, DType::f64)}};
  BOOST_TEST(tapehead::digest(two) == "41a0e997c5a91a92");
  const Weights ids = {{"c", tensor({7, -1}, DType::i32)}};
  BOOST_TEST(tapehead::digest(ids) == "24e30868ec70221a");
}

BOOST_AUTO_TEST_CASE(tells_weights_apart) {
  const std::string plain = tapehead::digest(Weights{{"b", tensor({0.0, 1.0}, {2})}});
  for (const Weights& other :
       {Weights{{"c", tensor({0.0, 1.0}, {2})}}, Weights{{"b", tensor({0.0, 1.0}, {1, 2})}},
        Weights{{"b", tensor({-0.0, 1.0}, {2})}},
        Weights{{"b", tensor({0.0, 1.0}, {2}, DType::f64)}}})
    BOOST_TEST(tapehead::digest(other) != plain);
}

BOOST_AUTO_TEST_SUITE_END()
