#include "../../core/runtime/float_mode.hpp"
#include "../../train/step/thread_scope.hpp"
#include "../shared/command.hpp"
#include "../shared/toy_training.hpp"

#include <atomic>
#include <limits>
#include <thread>

using namespace tapehead;

namespace {

/// A mode that another library of the process may have set: rounds upwards and flushes denormals to
/// zero.
class HostMode {
 public:
  HostMode() {
    std::fegetenv(&before_);
    std::fesetround(FE_UPWARD);
#ifdef __x86_64__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
  }
  ~HostMode() { std::fesetenv(&before_); }
  HostMode(const HostMode&) = delete;
  HostMode& operator=(const HostMode&) = delete;

 private:
  std::fenv_t before_;
};

bool keeps_denormals() {
  const volatile double smallest = std::numeric_limits<double>::min();
  const volatile double half = smallest / 2;
  return half > 0;
}
bool is_default() { return std::fegetround() == FE_TONEAREST && keeps_denormals(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(float_mode)

BOOST_AUTO_TEST_CASE(the_previous_mode_is_restored) {
  const HostMode host;
  {
    const FloatMode mode;
    BOOST_TEST(is_default());
  }
  BOOST_TEST(std::fegetround() == FE_UPWARD);
#ifdef __x86_64__
  BOOST_TEST(!keeps_denormals());
#endif
}

BOOST_AUTO_TEST_CASE(the_threads_of_a_pool_compute_in_the_default_mode) {
  const HostMode host;
  const ThreadScope scope(3);
  std::atomic<int> began{0}, wrong{0};
  parallel_for(3, [&, caller = std::this_thread::get_id()](Index) {
    ++began;
    while (began < 3) std::this_thread::yield();  // so that each runs on a separate thread
    if (std::this_thread::get_id() != caller && !is_default()) ++wrong;
  });
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(the_command_computes_in_the_default_mode) {
  const std::string line = "explain 'x*y/3' x=1e-300 y=1e-10";
  const std::string alone = done(line).text;
  BOOST_TEST(has(alone, "1.000e-310"));
  const HostMode host;
  BOOST_TEST(done(line).text == alone);
  BOOST_TEST(std::fegetround() == FE_UPWARD);
}

BOOST_AUTO_TEST_CASE(a_training_computes_in_the_default_mode) {
  const Scratch scratch;
  TrainConfig config = small_config();
  const auto digest = [&](const std::string& name) {
    Listener listener;
    return run(config, scratch.file(name), listener).digest;
  };
  const std::string alone = digest("alone");
  const HostMode host;
  for (config.threads = 1; config.threads <= 2; ++config.threads)
    BOOST_TEST(digest(std::to_string(config.threads)) == alone);
}

BOOST_AUTO_TEST_SUITE_END()
