#include "patching.hpp"
#include "../../core/ops.hpp"
#include "../../nn/recompute.hpp"
#include "../../train/evaluate.hpp"
#include "../../train/files/strings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace tapehead {
namespace {

/// The elements [first, end) of one batch row's activation that a patch replaces.
struct Run {
  Index first, end;
};
struct PatchJob {
  Site::Place place;
  Patched result;
  std::vector<Run> runs;  // one per share of the result
};

/// Activations by module and hook point.
using Activations = std::map<std::pair<std::string, std::string>, Tensor>;

double difference(const Tensor& logits, Index row, const PatchPair& pair) {
  const Index classes = logits.dim(-1), time = logits.size() / logits.dim(0) / classes;
  const Index at = (row * time + pair.position) * classes;
  return logits(at + pair.right) - logits(at + pair.wrong);
}

bool has_patterns(const std::vector<PatchJob>& parts) {
  return any_of(parts,
                [](const PatchJob& part) { return part.result.kind == Patched::Kind::pattern; });
}

/// Returns the activations at the hook points of all parts in one pass. Sets `found` to the pass's
/// logit difference.
Activations activations_of(const TaskModel& model, const Batch& batch,
                           const std::vector<PatchJob>& parts, double& found,
                           const PatchPair& pair) {
  Activations all;
  Pass pass = Pass::evaluation();
  pass.hook_patterns = has_patterns(parts);
  pass.hook = [&](const HookPoint& point, const Tensor& x) {
    for (const PatchJob& part : parts)
      if (is_at(part.place, point)) all[{point.module, point.name}] = x;
    return x;
  };
  found = difference(logits_of(*model.module, batch, pass), 0, pair);
  return all;
}

/// Returns the parts of the model to patch, still without runs and shares.
std::vector<PatchJob> patch_jobs(const TaskModel& model, const PatchPair& pair) {
  using Kind = Patched::Kind;
  std::vector<PatchJob> parts;
  const auto add = [&](Kind kind, const std::string& name, const Site::Place& place) {
    parts.push_back({place, {kind, name, place.module, {}, {}}, {}});
  };
  std::set<std::string> stacks;  // stacks of blocks; the first block of each reads the embedding
  for (const Site& site : find_sites(model, pair.clean)) {
    const Site::Place& place = site.places[0];
    if (site.kind == Site::Kind::head) {
      add(Kind::head, site.name(), place);
      add(Kind::pattern, site.name(), {place.module, "pattern", site.head, site.head + 1});
    } else if (site.kind == Site::Kind::mlp) {
      add(Kind::mlp, site.name(), place);
    } else if (site.kind == Site::Kind::block) {
      if (stacks.insert(place.module.substr(0, place.module.rfind('.'))).second)
        add(Kind::stream, "embedding", {place.module, "in", place.first, place.end});
      add(Kind::stream, site.name(), {place.module, "out", place.first, place.end});
    }
  }
  return parts;
}

/// Finds the elements of activation x that each patch of a part replaces. x is (1, time, width), or
/// (1, heads, queries, keys) for attention weights.
void find_runs(PatchJob& part, const Tensor& x, Index source) {
  if (part.result.kind == Patched::Kind::pattern) {
    const Index plane = x.dim(2) * x.dim(3);
    part.runs = {{part.place.first * plane, part.place.end * plane}};
    return;
  }
  const bool padded = source > 0 && starts_with(part.place.module, "encoder.");
  const Index width = x.dim(2), time = padded ? source : x.dim(1);
  for (Index t = 0; t < time; ++t)
    part.runs.push_back({t * width + part.place.first, t * width + part.place.end});
}

/// Returns a copy of x with run i replaced in row i. `from`, which has one row, holds the new
/// values.
Tensor with_runs(const Tensor& x, const Tensor& from, const std::vector<Run>& runs) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  const Index row = x.size() / x.dim(0);
  with_floats("patch", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = y.mutable_data<T>();
    std::copy(x.data<T>(), x.data<T>() + x.size(), to);
    for (const Run& run : runs) {
      std::copy(from.data<T>() + run.first, from.data<T>() + run.end, to + run.first);
      to += row;
    }
  });
  return y;
}

/// Patches each run of a part from the clean into the corrupted pass, in its own batch row. Returns
/// the share of the logit difference that each patch restores.
std::vector<double> shares_of(const TaskModel& model, const PatchPair& pair, const PatchJob& part,
                              const Tensor& clean, const Patching& whole) {
  const auto rows = static_cast<Index>(part.runs.size());
  Pass pass = Pass::evaluation();
  pass.hook_patterns = part.result.kind == Patched::Kind::pattern;
  pass.hook = [&](const HookPoint& point, const Tensor& x) {
    return is_at(part.place, point) ? with_runs(x, clean, part.runs) : x;
  };
  const auto repeated = [&](const Tensor& row) {  // (1, ...) -> (rows, ...)
    Shape shape = row.shape();
    shape[0] = rows;
    return broadcast_to(row, shape);
  };
  Batch batch = {repeated(pair.corrupted.inputs)};
  for (const auto& [name, row] : pair.corrupted.named) batch.named[name] = repeated(row);
  const Tensor logits = logits_of(*model.module, batch, pass);
  std::vector<double> shares;
  for (Index row = 0; row < rows; ++row)
    shares.push_back((difference(logits, row, pair) - whole.corrupted) /
                     (whole.clean - whole.corrupted));
  return shares;
}

/// Returns the gradients of the corrupted pass's logit difference with respect to the activations
/// at the hook points of all parts.
Activations gradients_of(const TaskModel& model, const PatchPair& pair,
                         const std::vector<PatchJob>& parts) {
  const KeepActivations keep;  // the tape must keep each x + zero that the hook returns
  Tape tape;
  Activations added, gradients;
  Pass pass = Pass::evaluation();
  pass.hook_patterns = has_patterns(parts);
  pass.hook = [&](const HookPoint& point, const Tensor& x) {
    Tensor y = x;
    for (const PatchJob& part : parts) {
      if (!is_at(part.place, point)) continue;
      Tensor& zero = added[{point.module, point.name}];
      if (zero) continue;  // already added for another part at this hook point
      zero = zeros(x.shape(), x.dtype());
      tape.watch(zero);
      y = x + zero;
    }
    return y;
  };
  Tensor logits = logits_of(*model.module, pair.corrupted, pass);
  const Index classes = logits.dim(-1);
  logits = slice(reshape(logits, {-1, classes}), 0, pair.position, pair.position + 1);
  const Tensor of_token = one_hot(tensor({double(pair.right), double(pair.wrong)}, DType::i32),
                                  classes, logits.dtype());  // (2, classes)
  const Tensor signs = slice(of_token, 0, 0, 1) - slice(of_token, 0, 1, 2);
  const Gradients all = tape.backward(sum(logits * signs), {false, false, true});
  for (const auto& [name, zero] : added)
    if (all.contains(zero)) gradients[name] = all[zero];
  return gradients;
}

}  // namespace

Patching patch(const TaskModel& model, const PatchPair& pair,
               const std::function<void(double)>& on_progress) {
  Patching result;
  std::vector<PatchJob> parts = patch_jobs(model, pair);
  Activations clean, corrupted;
  {
    const Pause pause;
    clean = activations_of(model, pair.clean, parts, result.clean, pair);
    corrupted = activations_of(model, pair.corrupted, parts, result.corrupted, pair);
  }
  const Activations gradients = gradients_of(model, pair, parts);
  parallel_for_with_progress(static_cast<Index>(parts.size()), on_progress, [&](Index i) {
    const Pause pause;
    PatchJob& part = parts[i];
    const auto name = std::pair(part.place.module, part.place.point);
    const Tensor& there = clean.at(name);
    find_runs(part, there, pair.source);
    part.result.shares = shares_of(model, pair, part, there, result);
    const auto gradient = gradients.find(name);
    for (const Run& run : part.runs) {
      double estimate = gradient == gradients.end() ? std::numeric_limits<double>::quiet_NaN() : 0;
      for (Index k = run.first; !std::isnan(estimate) && k < run.end; ++k)
        estimate += gradient->second(k) * (there(k) - corrupted.at(name)(k));
      part.result.estimates.push_back(estimate / (result.clean - result.corrupted));
    }
  });
  for (PatchJob& part : parts) result.parts.push_back(std::move(part.result));
  return result;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double n = 0, mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {  // Welford's algorithm
    if (std::isnan(a[i]) || std::isnan(b[i])) continue;
    ++n;
    const double da = a[i] - mean_a, db = b[i] - mean_b;
    mean_a += da / n, mean_b += db / n;
    aa += da * (a[i] - mean_a), bb += db * (b[i] - mean_b), ab += da * (b[i] - mean_b);
  }
  return n < 3 ? std::numeric_limits<double>::quiet_NaN() : ab / std::sqrt(aa * bb);
}

}  // namespace tapehead
