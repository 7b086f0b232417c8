#pragma once
#include "heads.hpp"

namespace tapehead::zoo {

/// SwitchHead (Csordas et al., "SwitchHead: Accelerating Transformers with Mixture-of-Experts
/// Attention", arXiv 2312.07987, equations 7 to 10). A head's value and output projections are each
/// a mixture of experts, of which a token uses the `active` ones with the highest gates; so a few
/// heads, and matrices of attention, can do the work of many.
///   v_h = sum over its experts e of s_e (W_v,h,e x), s = sigmoid(W_s,h x)
///   y = sum over heads and experts of t_e (W_o,h,e a_h), t = sigmoid(W_t,h x)
/// where a_h is what head h has gathered, and gates below the highest are 0. All experts are
/// computed, and those that are not used multiplied by 0: a kernel could leave them out.
struct SwitchHead : Module {
  explicit SwitchHead(AttentionLayerOptions options, Index experts = 4, Index active = 2);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (batch, time, width) -> same
  void visit(Visitor& v) override {
    v("query", query);
    v("key", key);
    v("value_router", value_router);
    v("out_router", out_router);
    v("value", value);
    if (positions) positions->visit(v);
    v("out", out);
  }
  /// Of x (batch, time, width), of values or of outputs: (batch, time, heads, experts), 0 where an
  /// expert isn't used.
  Tensor gates(const Linear& router, const Tensor& x, Pass& pass) const;

  AttentionLayerOptions options;  // as `causal` gives them, with as many heads of keys
  Index experts, active;
  std::unique_ptr<PositionScheme> positions;  // null for none
  Linear query, key;                          // width -> heads d
  Linear value_router, out_router;            // width -> heads experts
  Linear value;                               // width -> heads experts d
  Linear out;                                 // heads experts d -> width
};

}  // namespace tapehead::zoo
