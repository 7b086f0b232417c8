#pragma once
#include "module.hpp"

namespace tapehead {

struct LinearOptions {
  bool bias = true;
  Init init = Init::uniform(0);  ///< initial weights; uniform(0): uniform in +-1/sqrt(in)
};
/// A linear layer, y = x W^T + b. `init` draws the initial W; b starts at 0.
struct Linear : Module {
  Linear(Index in, Index out, const LinearOptions& options = {});
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (..., in) -> (..., out)
  void visit(Visitor& v) override {
    v("weight", weight);
    v("bias", bias);
  }

  Parameter weight;  // (out, in)
  Parameter bias;    // (out)
};

/// A table from which each id selects a row: i32 (...) -> (..., width).
struct Embedding : Module {
  Embedding(Index rows, Index width, Init init = Init::normal(0.02));
  Tensor forward(const Tensor& ids, Pass& pass) const override;
  void visit(Visitor& v) override { v("weight", weight); }

  Parameter weight;  // (rows, width)
};

/// Layer norm; see layer_norm in core/ops.hpp.
struct LayerNorm : Module {
  explicit LayerNorm(Index width, double epsilon = 1e-5);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (..., width) -> same
  void visit(Visitor& v) override {
    v("gain", gain);
    v("bias", bias);
  }

  Parameter gain, bias;  // (width)
  double epsilon;
};

/// RMS norm; see rms_norm in core/ops.hpp.
struct RMSNorm : Module {
  explicit RMSNorm(Index width, double epsilon = 1e-5, bool with_gain = true);
  Tensor forward(const Tensor& x, Pass& pass) const override;  ///< (..., width) -> same
  void visit(Visitor& v) override { v("gain", gain); }

  Parameter gain;  // (width), or absent
  double epsilon;
};

/// Dropout, active only in training; see dropout in core/ops.hpp.
struct Dropout : Module {
  explicit Dropout(double p);  ///< throws ValueError outside [0, 1)
  Tensor forward(const Tensor& x, Pass& pass) const override;
  void visit(Visitor&) override {}

  double p;
};

}  // namespace tapehead
