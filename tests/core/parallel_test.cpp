#include "../../core/runtime/parallel.hpp"
#include "../../core/ops.hpp"
#include "../../core/runtime/processors.hpp"
#include "../shared/support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

using namespace tapehead;

namespace {

/// Resets the number of threads to 1 after each case.
struct OneThreadAfterwards {
  ~OneThreadAfterwards() { set_threads(1); }
};

/// Returns the gradients of 13 shards, each on a separate tape, added in order.
std::vector<double> sharded_gradient() {
  const Tensor w = random_normal({40}, {1}, DType::f64);
  std::vector<Tensor> gradients(13);
  parallel_for(13, [&](Index shard) {
    const Tensor x =
        random_normal({40}, {2, Draw::batch, 0, 0, static_cast<std::uint32_t>(shard)}, DType::f64);
    Tape tape;
    tape.watch(w);
    const Tensor y = w * x;
    gradients[shard] = tape.backward(sum(y * y * w))[w];
  });
  Tensor total = gradients[0];
  for (std::size_t i = 1; i < gradients.size(); ++i) total = total + gradients[i];
  return total.values();
}

/// Runs `work` on one of two threads while the other is idle.
template <class Work>
void while_another_is_idle(const Work& work) {
  set_threads(2);
  parallel_for(2, [&](Index i) {
    if (i == 0) return;
    while (free_split(1e12) == 1) std::this_thread::yield();
    work();
  });
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(parallel, OneThreadAfterwards)

BOOST_AUTO_TEST_CASE(runs_every_index_once) {
  for (const int count : {1, 2, 3, 8}) {
    set_threads(count);
    BOOST_TEST(threads() == count);
    for (const Index n : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(n);
      parallel_for(n, [&](Index i) { ++runs[i]; });
      for (const auto& times : runs) BOOST_TEST_REQUIRE(times == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(uses_all_its_threads) {
  set_threads(3);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> waiting{0};
  parallel_for(3, [&](Index) {  // none ends before all three run, so each runs on another thread
    {
      const std::lock_guard<std::mutex> lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    ++waiting;
    while (waiting < 3) std::this_thread::yield();
  });
  BOOST_TEST(seen.size() == 3);
  BOOST_TEST(seen.count(std::this_thread::get_id()) == 1);
}

BOOST_AUTO_TEST_CASE(gives_the_same_bits_on_any_number_of_threads) {
  const std::vector<double> alone = sharded_gradient();
  for (const int count : {2, 3, 5}) {
    set_threads(count);
    BOOST_TEST(sharded_gradient() == alone);
  }
}

BOOST_AUTO_TEST_CASE(each_thread_of_a_program_has_threads_of_its_own) {
  const std::vector<double> alone = sharded_gradient();
  set_threads(2);
  std::atomic<int> wrong{0};
  std::vector<std::thread> others;
  for (int count = 1; count <= 4; ++count)
    others.emplace_back([&, count] {
      if (threads() != 1) ++wrong;
      for (int i = 0; i < 20; ++i) {
        set_threads(1 + (count + i) % 4);
        if (sharded_gradient() != alone) ++wrong;
      }
    });
  for (int i = 0; i < 20; ++i) BOOST_TEST_REQUIRE(sharded_gradient() == alone);
  for (std::thread& other : others) other.join();
  BOOST_TEST(wrong == 0);
  BOOST_TEST(threads() == 2);
}

#ifndef __SANITIZE_THREAD__  // which doesn't support threads after a fork
BOOST_AUTO_TEST_CASE(the_child_of_a_fork_has_new_threads) {
  const std::vector<double> alone = sharded_gradient();
  set_threads(2);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // ends the test if it hangs
    ::_exit(threads() == 2 && sharded_gradient() == alone ? 0 : 1);
  }
  int status = -1;
  BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST(status == 0);
  BOOST_TEST(sharded_gradient() == alone);
}
#endif

BOOST_AUTO_TEST_CASE(threads_cannot_change_within_a_loop) {
  set_threads(2);
  const auto work = [](Index) {
    set_threads(2);  // no change
    set_threads(3);
  };
  EXPECT_ERROR(Error, parallel_for(2, work),
               "threads: can't change from 2 to 3 within a parallel loop");
}

BOOST_AUTO_TEST_CASE(throws_the_exception_of_the_smallest_index) {
  for (const int count : {1, 4}) {
    set_threads(count);
    std::atomic<int> ended{0};
    const auto work = [&](Index i) {
      if (i == 3 || i == 5) throw ValueError("index {}", i);
      ++ended;
    };
    EXPECT_ERROR(ValueError, parallel_for(20, work), "index 3");
    BOOST_TEST(ended == (count == 1 ? 3 : 18));
    ended = 0;
    parallel_for(3, work);  // the pool still works
    BOOST_TEST(ended == 3);
  }
}

BOOST_AUTO_TEST_CASE(alone_nested_work_runs_in_order_on_the_same_thread) {
  std::atomic<int> out_of_order{0};
  parallel_for(6, [&](Index) {
    const auto outer = std::this_thread::get_id();
    Index expected = 0;
    parallel_for(5, [&](Index i) {
      if (i != expected++ || std::this_thread::get_id() != outer) ++out_of_order;
    });
    if (expected != 5) ++out_of_order;
  });
  BOOST_TEST(out_of_order == 0);
}

BOOST_AUTO_TEST_CASE(nested_work_runs_every_index_once) {
  for (const int count : {1, 2, 4}) {
    set_threads(count);
    std::vector<std::atomic<int>> runs(6 * 50);
    parallel_for(6, [&](Index i) { parallel_for(50, [&](Index j) { ++runs[50 * i + j]; }); });
    for (const auto& times : runs) BOOST_TEST_REQUIRE(times == 1);
  }
}

BOOST_AUTO_TEST_CASE(each_of_several_threads_is_helped) {
  set_threads(4);
  std::atomic<int> working{0};
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for(2, [&](Index) {
    parallel_for(2, [&](Index) {  // none of the four ends before all of them run
      ++working;
      while (working < 4) std::this_thread::yield();
      const std::lock_guard<std::mutex> lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
  });
  BOOST_TEST(seen.size() == 4);
}

BOOST_AUTO_TEST_CASE(a_third_loop_inside_runs_in_order) {
  set_threads(3);
  std::atomic<int> out_of_order{0}, runs{0};
  for (int repeat = 0; repeat < 50; ++repeat)
    parallel_for(3, [&](Index) {
      parallel_for(3, [&](Index) {
        Index expected = 0;
        parallel_for(5, [&](Index i) { out_of_order += i != expected++, ++runs; });
      });
    });
  BOOST_TEST(out_of_order == 0);
  BOOST_TEST(runs == 50 * 3 * 3 * 5);
}

BOOST_AUTO_TEST_CASE(many_short_loops_end) {
  for (const int count : {2, 5}) {
    set_threads(count);
    std::atomic<Index> sum{0};
    for (Index i = 0; i < 3000; ++i)
      parallel_for(4, [&](Index j) {
        parallel_for(1 + (i + j) % 3, [&](Index) { ++sum; });
        // Some iterations take longer.
        if (i % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    BOOST_TEST(sum == 3000 * 4 * 2);
  }
}

BOOST_AUTO_TEST_CASE(threads_without_work_help_the_others) {
  if (processors() < 2) return;  // there are no idle threads
  while_another_is_idle([] {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::atomic<int> waiting{0};
    parallel_for(2, [&](Index) {  // neither ends before both run
      {
        const std::lock_guard<std::mutex> lock(mutex);
        seen.insert(std::this_thread::get_id());
      }
      ++waiting;
      while (waiting < 2) std::this_thread::yield();
    });
    BOOST_TEST(seen.size() == 2);
    const auto work = [](Index i) {
      if (i >= 3) throw ValueError("index {}", i);
    };
    EXPECT_ERROR(ValueError, parallel_for(20, work), "index 3");
    BOOST_TEST(free_split(1) == 1);
  });
}

BOOST_AUTO_TEST_CASE(results_do_not_depend_on_helpers) {
  if (processors() < 2) return;
  const auto run = [] {
    const Tensor x = random_normal({301, 130}, {1}), w = random_normal({700, 130}, {2}),
                 q = random_normal({2, 3, 150, 16}, {3}), k = random_normal({2, 3, 150, 16}, {4});
    Tape tape;
    tape.watch(x, w, q, k);
    AttentionOptions causal;
    causal.causal = true;
    const Tensor y = sum(gelu(linear(x, w))) + sum(attention(q, k, k, causal) * q);
    const Gradients gradients = tape.backward(y);
    return std::vector<std::vector<double>>{y.values(), gradients[x].values(),
                                            gradients[w].values(), gradients[q].values(),
                                            gradients[k].values()};
  };
  std::vector<std::vector<double>> alone, helped;
  set_threads(1);
  parallel_for(2, [&](Index) { alone = run(); });
  while_another_is_idle([&] { helped = run(); });
  BOOST_TEST((helped == alone));
}

BOOST_AUTO_TEST_CASE(workers_record_on_tapes_of_their_own) {
  set_threads(4);
  Tape tape;
  const Tensor x = scalar(3);
  tape.watch(x);
  std::atomic<int> recorded{0};
  parallel_for(8, [&](Index) {
    const Tensor y = x * x;
    if (Tape::current() != nullptr && Tape::current() != &tape) ++recorded;
  });
  BOOST_TEST(recorded == 0);
}

BOOST_AUTO_TEST_CASE(refuses_to_run_without_threads) {
  EXPECT_ERROR(ValueError, set_threads(0), "threads: got 0, expected at least 1");
  BOOST_TEST(threads() == 1);
}

BOOST_AUTO_TEST_CASE(what_is_not_sharded_has_the_same_bits_on_any_number_of_threads) {
  const auto run = [] {
    const Tensor x = random_normal({300, 400}, {1}), w = random_normal({900, 400}, {2}),
                 q = random_normal({1, 4, 700, 16}, {3}), bias = random_normal({900}, {4}),
                 gain = random_normal({900}, {5});
    const Tensor targets = zeros({300}, DType::i32);
    Tape tape;
    tape.watch(x, w, q, bias, gain);
    AttentionOptions causal;
    causal.causal = true;
    const Tensor h = linear(x, w, bias);
    const Tensor y = cross_entropy(gelu(h + layer_norm(h, gain, bias)), targets) +
                     mean(attention(q, q, q, causal));
    const Gradients gradients = tape.backward(y);
    std::vector<std::vector<double>> all{y.values()};
    for (const Tensor& t : {x, w, q, bias, gain}) all.push_back(gradients[t].values());
    return all;
  };
  set_threads(1);
  const auto alone = run();
  set_threads(3);
  BOOST_TEST((run() == alone));
  std::vector<std::vector<double>> inside;
  parallel_for(2, [&](Index i) {  // work in a shard isn't split
    if (i == 1) return;
    BOOST_TEST(fixed_split(1 << 20) == 1);
    inside = run();
  });
  BOOST_TEST(fixed_split((1 << 16) - 1) == 1);
  BOOST_TEST(fixed_split(1 << 16) == 2);
  BOOST_TEST(fixed_split(1 << 17) == 4);
  const auto shared = [](double operations) {
    const Sharing sharing = free_sharing(operations);
    return std::pair(sharing.threads, sharing.turns);
  };
  BOOST_TEST((shared(1e12) == std::pair<Index, Index>(3, 4)));
  BOOST_TEST((shared(3 << 23) == std::pair<Index, Index>(3, 2)));
  BOOST_TEST((shared(3 << 20) == std::pair<Index, Index>(3, 1)));
  BOOST_TEST((shared(2 << 20) == std::pair<Index, Index>(2, 1)));
  BOOST_TEST((shared(1) == std::pair<Index, Index>(1, 1)));
  for (std::size_t i = 0; i < alone.size(); ++i)
    for (std::size_t j = 0; j < alone[i].size(); ++j)
      BOOST_TEST_REQUIRE(relative_error(inside[i][j], alone[i][j], 1) < 1e-5);
}

BOOST_AUTO_TEST_SUITE_END()
