// Checks that compare computes digests from the weights in checkpoints, instead of trusting
// recorded digests.
#include "../../../core/ops.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/safetensors/safetensors.hpp"

#include <limits>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(compare_weights)

namespace {

/// A run `a` of 4 steps and its copy `b`.
struct Copied : Elsewhere {
  Copied() {
    done(
        "train copy --length 4 --symbols 4 --layers 1 --heads 1 --width 8 --batch 8 --steps 4 "
        "--eval-every 2 --out a");
    std::filesystem::copy(
        "a", "b",
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
  }
  void scale(const std::string& run, double by) {
    const std::string path = run + "/step-4/model.safetensors";
    Safetensors file = read_safetensors(path);
    Tensor& weight = file.tensors.begin()->second;
    weight = weight * by;
    write_safetensors(path, file);  // updates the checksum
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(changed_weights_differ, Copied) {
  BOOST_TEST(has(done("compare a b").text, "no difference"));
  scale("b", 1 + 1e-6);
  const std::string text = done("compare a b").text;
  BOOST_TEST(has(text, "differ\n"), text);
  BOOST_TEST(has(text, "  B records the digest "), text);
  BOOST_TEST(!has(text, "weights at step 4: equal"), text);
  const json found = json_of("compare a b --json");
  BOOST_TEST(found["equal"] == false);
  const json last = found["checkpoints"].back();
  BOOST_TEST(last["digest_a"] != last["digest_b"]);
  BOOST_TEST(last["recorded_a"] == last["recorded_b"]);
  BOOST_TEST(command("compare a b --quiet").status == 1);
}

BOOST_FIXTURE_TEST_CASE(non_finite_weights_are_listed, Copied) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  scale("b", nan);
  const std::string text = done("compare a b").text;
  BOOST_TEST(has(text, "  not finite in B: blocks.0.attention.out.bias (nan)\n"), text);
  BOOST_TEST(!has(text, "not finite in A"), text);
  scale("a", -nan);  // a NaN with different bits
  BOOST_TEST(command("compare a b --quiet").status == 1);
  const std::string model = "/step-4/model.safetensors";
  std::filesystem::copy_file("b" + model, "a" + model,
                             std::filesystem::copy_options::overwrite_existing);
  const std::string both = done("compare a b").text;
  BOOST_TEST(has(both, "no difference"), both);
  BOOST_TEST(has(both, "  not finite in A: blocks.0.attention.out.bias (nan)\n"), both);
  BOOST_TEST(has(both, "  A records the digest "), both);
}

BOOST_AUTO_TEST_SUITE_END()
