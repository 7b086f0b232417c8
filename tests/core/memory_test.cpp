#include "../../core/runtime/memory.hpp"
#include "../../core/ops.hpp"
#include "../shared/build.hpp"
#include "../shared/support.hpp"

#include <cstring>
#include <thread>
#include <vector>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(memory)

namespace {
const Tensor made_before_main = ones({3});

boost::test_tools::assertion_result has_pool(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result result(!under_sanitizers);
  if (!result) result.message() << "under the sanitizers, blocks go back to the system";
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(serves_static_tensors_before_main) {
  expect_equal(made_before_main, {1, 1, 1});
}

BOOST_AUTO_TEST_CASE(blocks_are_aligned_and_large_enough) {
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 511, 512, 513, 1000, 4097, 100'000}) {
    const auto block = allocate(bytes);
    BOOST_TEST_REQUIRE(block != nullptr);
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(block.get()) % 64 == 0);
    std::memset(block.get(), 1, bytes);  // sanitizers check the access
  }
}

BOOST_AUTO_TEST_CASE(live_and_peak_follow_what_is_held) {
  const std::size_t before = memory_use().live;
  reset_memory_peak();
  BOOST_TEST(memory_use().peak == before);
  {
    const auto a = allocate(1 << 20);
    BOOST_TEST(memory_use().live == before + (1 << 20));
    auto b = allocate(1 << 20);
    const auto same = b;
    b.reset();
    BOOST_TEST(memory_use().live == before + (2 << 20));
  }
  BOOST_TEST(memory_use().live == before);
  BOOST_TEST(memory_use().peak == before + (2 << 20));
  reset_memory_peak();
  BOOST_TEST(memory_use().peak == before);
}

BOOST_AUTO_TEST_CASE(wastes_at_most_an_eighth) {
  for (std::size_t bytes = 1024; bytes < 5000; bytes += 7) {
    const std::size_t before = memory_use().live;
    const auto block = allocate(bytes);
    const std::size_t taken = memory_use().live - before;
    BOOST_TEST_REQUIRE((taken >= bytes && taken - bytes <= taken / 8));
  }
}

// ---- the pool

BOOST_AUTO_TEST_CASE(a_dropped_block_is_used_again, *boost::unit_test::precondition(has_pool)) {
  const std::byte* first = allocate(12'345).get();
  const std::size_t blocks = memory_use().system_blocks;
  BOOST_TEST(allocate(12'345).get() == first);
  BOOST_TEST(allocate(12'300).get() == first);  // reuses a block of this size class
  BOOST_TEST(memory_use().system_blocks == blocks);
}

BOOST_AUTO_TEST_CASE(a_block_returns_to_the_thread_that_asked_for_it,
                     *boost::unit_test::precondition(has_pool)) {
  auto block = allocate(23'456);
  const std::byte* address = block.get();
  std::thread([moved = std::move(block)]() mutable { moved.reset(); }).join();
  const std::size_t blocks = memory_use().system_blocks;
  std::vector<std::shared_ptr<std::byte>>
      taken;  // takes the blocks that this thread returned first
  do taken.push_back(allocate(23'456));
  while (taken.back().get() != address && memory_use().system_blocks == blocks);
  BOOST_TEST(taken.back().get() == address);
}

BOOST_AUTO_TEST_CASE(a_thread_that_ends_leaves_its_blocks_to_the_next,
                     *boost::unit_test::precondition(has_pool)) {
  const auto use = [] {
    for (int i = 0; i < 10; ++i) allocate(34'567);
  };
  std::thread(use).join();
  const std::size_t blocks = memory_use().system_blocks;
  std::thread(use).join();
  BOOST_TEST(memory_use().system_blocks == blocks);
}

BOOST_AUTO_TEST_CASE(a_block_outlives_its_thread) {
  std::shared_ptr<std::byte> block;
  std::thread([&] { block = allocate(45'678); }).join();
  std::memset(block.get(), 1, 45'678);
  block.reset();
}

BOOST_AUTO_TEST_CASE(a_step_in_its_steady_state_takes_nothing_from_the_system,
                     *boost::unit_test::precondition(has_pool)) {
  Tensor w = random_normal({100}, {1});
  const auto step = [&] {
    Tape tape;
    tape.watch(w);
    const Tensor y = w * w + w;
    const Gradients grads = tape.backward(sum(y * y));
    w = w - grads[w] * 0.001;
  };
  step();
  step();
  const std::size_t blocks = memory_use().system_blocks;
  for (int i = 0; i < 20; ++i) step();
  BOOST_TEST(memory_use().system_blocks == blocks);
}

BOOST_AUTO_TEST_SUITE_END()
