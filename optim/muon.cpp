#include "muon.hpp"
#include "../core/kernels/kernels.hpp"
#include "moments.hpp"
#include "newton_schulz.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

void check_matrices(const Parameter& parameter) {
  const auto& rows = parameter.matrices;
  if (parameter.shape.rank() != 2 ||
      std::accumulate(rows.begin(), rows.end(), Index{0}) != parameter.shape[0])
    throw ValueError("Muon: parameter '{}' is {}, and not matrices of {} rows", parameter.path,
                     parameter.shape, fmt::join(rows, " + "));
}

}  // namespace

Muon::Muon(Trained all, const MuonOptions& options) : Optimizer(std::move(all)), options_(options) {
  lr = options.lr;
  if (!(options.lr > 0 && std::isfinite(options.lr)))
    throw ValueError("Muon: lr is {}, and must be finite and above 0", options.lr);
  check_option("Muon", "momentum", options.momentum, 0, 1);
  check_option("Muon", "weight_decay", options.weight_decay, 0, HUGE_VAL);
  check_adamw("Muon: AdamW", options.adam);
  const auto is_matrix = [](const Parameter* p) { return !p->matrices.empty(); };
  if (options.needs_matrices && !trained().empty() &&
      std::none_of(trained().begin(), trained().end(), is_matrix))
    throw ValueError(
        "Muon: lr applies to none of the {} parameters, because none is a matrix; set "
        "Parameter::matrices to {{rows}}, or use AdamW",
        trained().size());
  for (const Parameter* p : trained()) {
    const bool whole = !p->matrices.empty();
    if (whole) check_matrices(*p);
    const auto kept = [&](bool wanted) {
      return wanted ? zeros(p->shape, p->value().dtype()) : Tensor();
    };
    momentum_.push_back(kept(whole));
    first_.push_back(kept(!whole));
    second_.push_back(kept(!whole));
  }
}

std::vector<Optimizer::State> Muon::state() {
  std::vector<State> states = named_states("momentum", trained(), momentum_);
  for (State& state : named_states("first", trained(), first_)) states.push_back(std::move(state));
  for (State& state : named_states("second", trained(), second_))
    states.push_back(std::move(state));
  return states;
}

void Muon::update(std::size_t i, const Tensor& gradient, double factor) {
  if (momentum_[i])
    return dispatch_float("Muon", gradient.dtype(),
                          [&](auto zero) { update_matrices<decltype(zero)>(i, gradient, factor); });
  AdamWOptions now = options_.adam;
  now.lr *= lr / options_.lr;
  adamw_step(*trained()[i], first_[i], second_[i], gradient, factor, steps, now);
}

template <class T>
void Muon::update_matrices(std::size_t i, const Tensor& gradient, double factor) {
  Parameter& parameter = *trained()[i];
  const double momentum = options_.momentum;
  const double keep = 1 - lr * (parameter.decay ? options_.weight_decay : 0);
  Tensor move = Tensor::empty(parameter.shape, gradient.dtype());
  T *p = parameter.change<T>(), *m = momentum_[i].mutable_data<T>(), *u = move.mutable_data<T>();
  const T* g = gradient.data<T>();
  const Kernels<T>& k = kernels<T>();
  k.mix(m, gradient.size(), factor, g, momentum);
  std::copy_n(m, gradient.size(), u);
  k.mix(u, gradient.size(), factor, g, momentum);  // the gradient, one step ahead

  const Index columns = parameter.shape[1];
  for (const Index rows : parameter.matrices) {
    const Index size = rows * columns;
    orthogonalise(matrix(u, rows, columns));
    const double tall = std::max(1.0, static_cast<double>(rows) / static_cast<double>(columns));
    k.mix(p, size, -lr * std::sqrt(tall), u, keep);
    p += size;
    u += size;
  }
}

}  // namespace tapehead
