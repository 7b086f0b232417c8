// --checkpoint with last, best or a step, in every command that reads a checkpoint.
#include "../shared/command.hpp"
#include "../shared/few_held_out.hpp"
#include "../shared/folders.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(checkpoint_option)

namespace {

/// A run with checkpoints at steps 5, 10 and 12.
struct Kept : Elsewhere {
  Kept() {
    done(
        "train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 --steps 12 "
        "--eval-every 5 --keep 6 --out run",
        few_held_out());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(every_command_accepts_a_step, Kept) {
  const std::string refusal =
      "--checkpoint 7: expected last, best or the step of a checkpoint; run has 5, 10, 12";
  for (const std::string line : {"eval run", "sample run --examples 1", "attention run",
                                 "digest run", "explain run", "export run to.npz --format npz"}) {
    BOOST_TEST_CONTEXT(line) {
      const auto text_at = [&](const std::string& option) {
        std::filesystem::remove("to.npz");
        return done(line + option, few_held_out()).text;
      };
      const std::string at_ten = text_at(" --checkpoint 10"), last = text_at("");
      const bool may_agree = line.rfind("sample", 0) == 0 || line.rfind("attention", 0) == 0;
      BOOST_TEST((may_agree || at_ten != last));
      BOOST_TEST(text_at(" --checkpoint 12") == last);
      std::filesystem::remove("to.npz");
      expect_refused(command(line + " --checkpoint 7", few_held_out()), refusal);
    }
  }
  expect_refused(
      "eval run --checkpoint first",
      "--checkpoint first: expected last, best or the step of a checkpoint; run has 5, 10, 12");
  expect_refused("eval run --checkpoint -5",
                 "--checkpoint -5: expected last, best or the step of a checkpoint; run has "
                 "5, 10, 12");
  expect_refused("digest run --all --checkpoint 5", "digest: --all or --checkpoint, not both");
}

BOOST_FIXTURE_TEST_CASE(each_step_has_its_digest, Kept) {
  const std::string all = done("digest run --all").text;
  for (const char* step : {"5", "10", "12"}) {
    const std::string one = done(fmt::format("digest run --checkpoint {}", step)).text;
    BOOST_TEST(one.find(fmt::format("step {} of run", step)) != std::string::npos);
    BOOST_TEST(all.find(one.substr(0, 16)) != std::string::npos);
  }
}

BOOST_FIXTURE_TEST_CASE(copy_without_links_has_its_steps, Kept) {
  namespace fs = std::filesystem;
  fs::remove("run/checkpoint");
  fs::rename("run/step-12", "run/checkpoint");
  const std::string first = done("digest run --checkpoint 5").text;
  BOOST_TEST(first.find("step 5 of run") != std::string::npos);
  BOOST_TEST(done("eval run --checkpoint 12", few_held_out()).text ==
             done("eval run", few_held_out()).text);
}

BOOST_AUTO_TEST_SUITE_END()
