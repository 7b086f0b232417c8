#include "../../train/model/parts.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(own_attention)

namespace {

/// Custom attention, causal or not, with a zero-initialized projection.
struct Own : Module {
  Own(Index width, bool causal_, Index out_width)
      : causal(causal_), out(width, out_width, {true, Init::constant(0)}) {}
  Tensor forward(const Tensor& x, Pass& pass) const override {
    return out(tapehead::multi_head_attention(x, x, x, 1, 1, {causal}), pass);
  }
  void visit(Visitor& v) override { v("out", out); }

  bool causal;
  Linear out;
};

/// Checks this attention in a gpt, as the command does.
void make(bool causal, Index extra_width, Index context = 16) {
  ModelOptions options;
  options.vocabulary = 5, options.context = context, options.heads = 2, options.width = 8;
  check_own_attention(
      "mine",
      [=](const AttentionLayerOptions& o) {
        return std::make_unique<Own>(o.width, causal, o.width + extra_width);
      },
      options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(causal_attention_that_keeps_the_width_is_taken) {
  BOOST_CHECK_NO_THROW(make(true, 0));
  BOOST_CHECK_NO_THROW(make(true, 0, 1));
}

BOOST_AUTO_TEST_CASE(attention_that_sees_the_future_is_refused) {
  EXPECT_ERROR(ValueError, make(false, 0),
               "attention 'mine' is not causal: its output at position 0 depends on the later "
               "position 7, which --arch gpt must not see");
}

BOOST_AUTO_TEST_CASE(attention_that_changes_the_width_is_refused) {
  EXPECT_ERROR(ValueError, make(true, 1),
               "attention 'mine' returned shape (1, 8, 9) for (1, 8, 8), expected the same shape");
}

BOOST_AUTO_TEST_CASE(a_large_layer_is_tried_at_a_smaller_width) {
  static Index tried = 0;
  struct Seen : Own {
    using Own::Own;
    Tensor forward(const Tensor& x, Pass& pass) const override {
      tried = x.dim(2);
      return Own::forward(x, pass);
    }
  };
  const auto width_tried = [](Index width, Index heads, Index least) {
    ModelOptions options;
    options.vocabulary = 5, options.context = 16, options.heads = heads, options.width = width;
    check_own_attention(
        "mine",
        [=](const AttentionLayerOptions& o) {
          if (o.width < least) throw ValueError("too narrow");
          return std::make_unique<Seen>(o.width, true, o.width);
        },
        options);
    return tried;
  };
  BOOST_TEST(width_tried(1 << 14, 2, 1) == 1 << 9);
  BOOST_TEST(width_tried(12 * 256, 12, 1) == 12 * 64);
  BOOST_TEST(width_tried(1 << 11, 2, 1 << 10) == 1 << 10);  // no narrower than the layer allows
}

BOOST_AUTO_TEST_SUITE_END()
