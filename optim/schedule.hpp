#pragma once
#include "../core/fields.hpp"

namespace tapehead {

/// A learning-rate schedule: lr (step + 1) / (warmup + 1) up to step `warmup`, then a decay to
/// `min_lr` at step `steps`, where it stays. The last step of training is `steps - 1`, so its rate
/// is above `min_lr`. The kinds of decay:
///   constant  no decay; ignores `min_lr`
///   linear    by the same amount at each step
///   cosine    half a period of a cosine
///   wsd warmup-stable-decay: constant, then linear over the last fraction `decay` of the steps
struct Schedule {
  enum class Kind { constant, linear, cosine, wsd };

  double lr = 1e-3, min_lr = 0;
  Index warmup = 0, steps = 0;
  Kind kind = Kind::cosine;
  double decay = 0.2;  ///< wsd: the last fraction of `steps`, in which the rate decays

  void options(Fields& f) {
    if (kind == Kind::constant) return;
    f("min-lr", min_lr, Range::not_negative(),
      "learning rate at the end of the schedule, one step after the last");
    if (kind == Kind::wsd)
      f("decay", decay, Range::fraction(),
        "fraction of the steps in which the learning rate decays");
  }

  double operator()(Index step) const;  ///< the rate of a step, counted from 0
};

}  // namespace tapehead
