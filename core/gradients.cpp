#include "gradients.hpp"
#include "higher_order.hpp"
#include "ops.hpp"
#include "ops/elementwise.hpp"
#include "runtime/parallel.hpp"

#include <algorithm>

namespace tapehead {

const Gradients::Watched& Gradients::find(const Tensor& x) const {
  check_present("gradient", x);
  const auto found = index_by_id_.find(x.id());
  if (found == index_by_id_.end())
    throw TapeError(
        "gradient: a tensor of shape {} was not watched by the tape; call "
        "tape.watch(x) before it is used",
        x.shape());
  return watched_[found->second];
}

void Gradients::add(Watched x) {
  index_by_id_[x.id] = watched_.size();
  watched_.push_back(std::move(x));
}

Tensor GradientSums::take(std::size_t input) {
  if (!gradients_ || inputs_[input] < 0) return {};
  Tensor& sum = (*gradients_)[inputs_[input]];
  return sum && !sum.shared() ? std::exchange(sum, {}) : Tensor();
}

Tensor Gradients::operator[](const Tensor& x) const {
  const Watched& found = find(x);
  if (!found.reached && !zeros_)
    throw TapeError(
        "gradient: the loss doesn't depend on this tensor of shape {}; it may be the value that a "
        "parameter had before a step; set `zeros` to get zeros",
        x.shape());
  if (!found.gradient) return zeros(found.shape, found.dtype);
  return factor_ == 1 ? found.gradient : found.gradient * factor_;
}

const Tensor& Gradients::stored(const Tensor& x) const { return find(x).gradient; }

std::vector<Tensor> Gradients::all() const {
  std::vector<Tensor> gradients;
  for (const Watched& x : watched_)
    if (x.gradient) gradients.push_back(x.gradient);
  return gradients;
}

Gradients Gradients::scaled(double factor) && {
  factor_ *= factor;
  return std::move(*this);
}

Gradients Gradients::from_pairs(const std::vector<std::pair<Tensor, Tensor>>& all) {
  Gradients result;
  for (const auto& [x, gradient] : all) result.add({x.id(), x.shape(), x.dtype(), true, gradient});
  return result;
}

Gradients Gradients::sum(std::vector<Gradients> parts) {
  if (parts.empty()) throw ValueError("gradients: nothing to sum, expected at least one Gradients");
  const double factor = parts.front().factor_;
  if (std::any_of(parts.begin(), parts.end(), [&](auto& part) { return part.factor_ != factor; })) {
    const Pause pause;
    for (Gradients& part : parts) {
      const double own = std::exchange(part.factor_, 1);
      for (Watched& x : part.watched_)
        if (x.gradient && own != 1) x.gradient = x.gradient * own;
    }
  }
  Gradients whole = std::move(parts.front());
  // For each tensor: its gradients from the other parts.
  std::vector<std::vector<Tensor>> more(whole.watched_.size());
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    for (Watched& theirs : part->watched_) {
      const auto found = whole.index_by_id_.find(theirs.id);
      if (found == whole.index_by_id_.end()) {
        whole.add(std::move(theirs));
        more.emplace_back();
        continue;
      }
      Watched& ours = whole.watched_[found->second];
      ours.reached = ours.reached || theirs.reached;
      if (!ours.gradient)
        ours.gradient = std::move(theirs.gradient);
      else if (theirs.gradient)
        more[found->second].push_back(std::move(theirs.gradient));
    }
  }
  parallel_for(static_cast<Index>(more.size()), [&](Index i) {
    const Pause pause;  // tapes must not record the addition
    Tensor& sum = whole.watched_[i].gradient;
    sum = accumulated(std::move(sum), more[i].data(), more[i].data() + more[i].size());
  });
  return whole;
}

}  // namespace tapehead
