#include "../patching.hpp"
#include "../../../core/ops.hpp"
#include "../../../core/runtime/parallel.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../../../tests/shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(patching)

namespace {

Tensor ids(const std::vector<double>& tokens) {
  return tensor(tokens, {1, static_cast<Index>(tokens.size())}, DType::i32);
}

/// A GPT reads five tokens and predicts the next one. The two sequences differ in the third token.
const PatchPair pair = {{ids({1, 4, 2, 0, 3})}, {ids({1, 4, 5, 0, 3})}, 4, 2, 5};

std::unique_ptr<TaskModel> gpt(const std::function<void(ModelOptions&)>& change = {}) {
  ModelOptions o = small_options(7, 6, 2);
  if (change) change(o);
  return opinionated_model(o);
}

const Patched& part(const Patching& found, const std::string& name,
                    Patched::Kind kind = Patched::Kind::stream) {
  for (const Patched& one : found.parts)
    if (one.name == name && (one.kind == kind || kind == Patched::Kind::stream)) return one;
  BOOST_FAIL("no part " << name);
  return found.parts[0];
}

double logit_difference(const TaskModel& model, const PatchPair& of, const Tensor& input,
                        const std::function<Tensor(const HookPoint&, const Tensor&)>& hook = {}) {
  Pass pass = Pass::evaluation();
  pass.hook = hook;
  pass.hook_patterns = true;
  const Tensor logits = (*model.module)(input, pass);
  const Index row = of.position * logits.dim(-1);
  return logits(row + of.right) - logits(row + of.wrong);
}

}  // namespace

BOOST_AUTO_TEST_CASE(equal_activations_have_no_effect) {
  const auto model = gpt();
  const Patching found = patch(*model, pair);
  BOOST_TEST(found.parts.size() == 3u + 4 * 2 + 2);
  for (const Patched& one : found.parts) {
    if (one.kind == Patched::Kind::pattern) continue;
    // Both passes are equal before the token that differs.
    BOOST_TEST_CONTEXT(one.name) {
      BOOST_TEST(one.shares.size() == 5u);
      for (int t : {0, 1}) BOOST_TEST(one.shares[t] == 0);
      for (int t : {0, 1}) BOOST_TEST(one.estimates[t] == 0);
    }
  }
  const std::vector<double> embedding = part(found, "embedding").shares;
  const std::vector<double> expected = {0, 0, 1, 0, 0};
  BOOST_TEST(embedding == expected, per_element());
  const std::vector<double> last = part(found, "block 1").shares;
  const std::vector<double> all = {0, 0, 0, 0, 1};
  BOOST_TEST(last == all, per_element());
}

BOOST_AUTO_TEST_CASE(shares_match_a_pass_with_one_patch) {
  const auto model = gpt();
  const Patching found = patch(*model, pair);
  BOOST_TEST(found.clean == logit_difference(*model, pair, pair.clean.inputs));
  BOOST_TEST(found.corrupted == logit_difference(*model, pair, pair.corrupted.inputs));
  const auto share_with = [&](const std::string& module, const std::string& name,
                              const std::function<Tensor(const Tensor&, const Tensor&)>& mix) {
    Tensor there;
    (void)logit_difference(*model, pair, pair.clean.inputs,
                           [&](const HookPoint& point, const Tensor& x) {
                             if (point.module == module && point.name == name) there = x;
                             return x;
                           });
    const double d = logit_difference(
        *model, pair, pair.corrupted.inputs, [&](const HookPoint& point, const Tensor& x) {
          return point.module == module && point.name == name ? mix(x, there) : x;
        });
    return (d - found.corrupted) / (found.clean - found.corrupted);
  };
  const boost::test_tools::fpc::percent_tolerance_t<double> near(1e-3);
  // Head 0.1 at position 4 has columns 4 to 8 of its row.
  const Tensor column = concat({zeros({4}), ones({4})}, 0);
  const Tensor row = reshape(tensor({0, 0, 0, 0, 1}), {1, 5, 1});
  const double head =
      share_with("blocks.0.attention", "heads",
                 [&](const Tensor& x, const Tensor& y) { return x + (y - x) * column * row; });
  BOOST_TEST(head != 0);
  BOOST_TEST(part(found, "head 0.1", Patched::Kind::head).shares[4] == head, near);
  const double mlp = share_with(
      "blocks.0", "mlp_out", [&](const Tensor& x, const Tensor& y) { return x + (y - x) * row; });
  BOOST_TEST(part(found, "mlp 0").shares[4] == mlp, near);
  const Tensor plane = reshape(tensor({0, 1}), {1, 2, 1, 1});
  const double pattern =
      share_with("blocks.1.attention", "pattern",
                 [&](const Tensor& x, const Tensor& y) { return x + (y - x) * plane; });
  BOOST_TEST(part(found, "head 1.1", Patched::Kind::pattern).shares[0] == pattern, near);
}

BOOST_AUTO_TEST_CASE(estimates_are_exact_before_linear_maps) {
  // Only linear maps follow the last heads.
  const auto model = gpt([](ModelOptions& o) {
    o.norm = nullptr;
    o.mlp = nullptr;
    o.dtype = DType::f64;
  });
  const Patching found = patch(*model, pair);
  for (const char* name : {"head 1.0", "head 1.1"})
    for (Patched::Kind kind : {Patched::Kind::head, Patched::Kind::pattern}) {
      const Patched& one = part(found, name, kind);
      BOOST_TEST(one.shares.back() != 0);
      for (std::size_t i = 0; i < one.shares.size(); ++i)
        BOOST_TEST(std::abs(one.shares[i] - one.estimates[i]) < 1e-9);
    }
  const Patched& before = part(found, "head 0.1", Patched::Kind::head);
  BOOST_TEST(before.shares[4] != before.estimates[4]);  // a softmax follows
}

BOOST_AUTO_TEST_CASE(activation_checkpointing_is_bitwise_identical) {
  const Patching plain = patch(*gpt(), pair);
  const Patching found = patch(*gpt([](ModelOptions& o) { o.recompute = true; }), pair);
  for (std::size_t i = 0; i < found.parts.size(); ++i) {
    BOOST_TEST(found.parts[i].shares == plain.parts[i].shares, per_element());
    BOOST_TEST(found.parts[i].estimates == plain.parts[i].estimates, per_element());
  }
}

BOOST_AUTO_TEST_CASE(patches_other_architectures) {
  ModelOptions o = small_options(7, 5, 2);
  const Patching encoder =
      patch(*opinionated_model(o, "encoder"), {pair.clean, pair.corrupted, 1, 2, 5});
  BOOST_TEST(part(encoder, "block 1").shares[1] == 1);
  BOOST_TEST(part(encoder, "block 1").shares[2] == 0);

  o.source = 4;
  o.context = 3;
  // Three source tokens and padding, then the target; the prediction follows its second token.
  const PatchPair two = {{ids({1, 4, 2, -1, 2, 6})}, {ids({1, 5, 2, -1, 2, 6})}, 1, 2, 5, 3};
  const Patching both = patch(*opinionated_model(o, "encoder-decoder"), two);
  BOOST_TEST(part(both, "embedding").shares.size() == 3u);
  BOOST_TEST(part(both, "embedding").shares[1] == 1);
  BOOST_TEST(part(both, "block 2").module == "decoder.0");
  BOOST_TEST(part(both, "block 2").shares.size() == 2u);
  BOOST_TEST(part(both, "block 3").shares[1] == 1);
  BOOST_TEST(part(both, "head 3.1").module == "decoder.0.cross");
}

BOOST_AUTO_TEST_CASE(bitwise_identical_for_any_number_of_threads) {
  const auto model = gpt();
  const Patching alone = patch(*model, pair);
  set_threads(3);
  double most = 0;
  const Patching together =
      patch(*model, pair, [&](double share) { most = std::max(most, share); });
  set_threads(1);
  BOOST_TEST(most == 1);
  for (std::size_t i = 0; i < alone.parts.size(); ++i) {
    BOOST_TEST(alone.parts[i].shares == together.parts[i].shares, per_element());
    BOOST_TEST(alone.parts[i].estimates == together.parts[i].estimates, per_element());
  }
}

BOOST_AUTO_TEST_CASE(pearson_correlation) {
  const double nan = std::nan("");
  BOOST_TEST(correlation({1, 2, 4}, {3, 5, 9}) == 1, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(correlation({1, 2, 3, nan}, {1, 3, 2, 7}) == 0.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(std::isnan(correlation({1, 1, 1}, {1, 2, 3})));
  // Two pairs always have the correlation 1 or -1.
  BOOST_TEST(std::isnan(correlation({1, 2}, {1, 3})));
}

BOOST_AUTO_TEST_SUITE_END()
