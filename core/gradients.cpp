#include "gradients.hpp"
#include "ops.hpp"
#include "ops/elementwise.hpp"
#include "runtime/parallel.hpp"

namespace tapehead {

const Gradients::Entry& Gradients::entry(const Tensor& x) const {
  check_present("gradient", x);
  const auto found = slots_.find(x.id());
  if (found == slots_.end())
    throw TapeError(
        "gradient: a tensor of shape {} was not watched by the tape; call "
        "tape.watch(x) before it is used",
        x.shape());
  return entries_[found->second];
}

Tensor Gradients::operator[](const Tensor& x) const {
  const Entry& e = entry(x);
  if (!e.reached && !zeros_)
    throw TapeError(
        "gradient: the loss doesn't depend on this tensor of shape {}; a step gives each parameter "
        "a new one, so it may be an old value; backward's option `zeros` gives zeros here",
        x.shape());
  if (!e.gradient) return zeros(e.shape, e.dtype);
  return factor_ == 1 ? e.gradient : e.gradient * factor_;
}

const Tensor& Gradients::stored(const Tensor& x) const { return entry(x).gradient; }

std::vector<Tensor> Gradients::all() const {
  std::vector<Tensor> gradients;
  for (const Entry& entry : entries_)
    if (entry.gradient) gradients.push_back(entry.gradient);
  return gradients;
}

Gradients Gradients::scaled(double factor) && {
  factor_ *= factor;
  return std::move(*this);
}

Gradients Gradients::of(const std::vector<std::pair<Tensor, Tensor>>& all) {
  Gradients result;
  for (const auto& [x, gradient] : all) {
    result.slots_[x.id()] = result.entries_.size();
    result.entries_.push_back({x.id(), x.shape(), x.dtype(), true, gradient});
  }
  return result;
}

Gradients Gradients::sum(std::vector<Gradients> parts) {
  if (parts.empty()) throw ValueError("gradients: a sum of none; at least one is needed");
  Gradients whole = std::move(parts.front());
  std::vector<std::vector<Tensor>> more(whole.entries_.size());  // further gradients of each entry
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    if (part->factor_ != whole.factor_)
      throw TapeError("gradients: only those with the same factor can be added");
    for (Entry& theirs : part->entries_) {
      const auto [found, is_new] = whole.slots_.try_emplace(theirs.id, whole.entries_.size());
      if (is_new) {
        whole.entries_.push_back(std::move(theirs));
        more.emplace_back();
        continue;
      }
      Entry& entry = whole.entries_[found->second];
      entry.reached = entry.reached || theirs.reached;
      Tensor& mine = entry.gradient;
      if (!mine)
        mine = std::move(theirs.gradient);
      else if (theirs.gradient)
        more[found->second].push_back(std::move(theirs.gradient));
    }
  }
  parallel_for(static_cast<Index>(more.size()), [&](Index i) {
    const Pause pause;
    Tensor& mine = whole.entries_[i].gradient;
    mine = accumulated(std::move(mine), more[i].data(), more[i].data() + more[i].size());
  });
  return whole;
}

}  // namespace tapehead
