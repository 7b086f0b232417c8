#include "../../core/kernels/gemm/bf16.hpp"
#include "../../train/learner.hpp"
#include "../shared/toy_training.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(compute_scope)

BOOST_AUTO_TEST_CASE(both_are_restored) {
  const bool has_bf16 = bf16_unit() != Bf16Unit::none;
  const Products inner = has_bf16 ? Products::bf16 : Products::f32;
  const ComputeScope outer(2, Products::f32);
  {
    const ComputeScope scope(3, inner);
    BOOST_TEST(threads() == 3);
    BOOST_TEST((products() == inner));
    const ComputeScope nested(1, Products::f32);
    BOOST_TEST(threads() == 1);
    BOOST_TEST((products() == Products::f32));
  }
  BOOST_TEST(threads() == 2);
  BOOST_TEST((products() == Products::f32));
}

BOOST_AUTO_TEST_CASE(an_impossible_one_changes_nothing) {
  expect_error<ValueError>([] { ComputeScope(0, Products::f32); },
                           "threads: 0 given, and at least 1 is needed");
  if (bf16_unit() == Bf16Unit::none)
    expect_error<ValueError>(
        [] { ComputeScope(2, Products::bf16); },
        "bf16: this processor has no instructions for it; f32 works everywhere");
  BOOST_TEST(threads() == 1);
  BOOST_TEST((products() == Products::f32));
}

BOOST_AUTO_TEST_CASE(a_learner_restores_them) {
  TrainConfig config = small_config();
  config.threads = 2;
  {
    const Learner learner(validated(config, registry()), registry(), true);
    BOOST_TEST(threads() == 2);
  }
  BOOST_TEST(threads() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
