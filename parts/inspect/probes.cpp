#include "probes.hpp"
#include "../../core/ops.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../train/evaluate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace tapehead {
namespace {

std::string name_of(const HookPoint& point) {
  return fmt::format("{}.{}", point.module, point.name);
}

/// Returns the label of a token at a position in the control task: a random one of all labels.
class ControlLabels {
 public:
  explicit ControlLabels(std::vector<int> all) : all_(std::move(all)) {}
  int operator()(Index token, Index position) const {
    Random random({static_cast<std::uint64_t>(token), Draw::sample, 0, 1,
                   static_cast<std::uint32_t>(position)});
    return all_[random.below(static_cast<Index>(all_.size()))];
  }

 private:
  std::vector<int> all_;  // the labels of all positions, so that frequent labels are likelier
};

/// The labelled positions of a batch.
struct LabelledRows {
  std::vector<double> rows, labels, tokens, positions;
};

LabelledRows labelled(const Batch& batch, const Tensor& labels) {
  LabelledRows found;
  const Index time = batch.inputs.dim(1);
  if (labels.shape() != batch.inputs.shape())
    throw ShapeError("probe: labels {} for inputs {}, expected the same shape", labels.shape(),
                     batch.inputs.shape());
  for (Index i = 0; i < labels.size(); ++i) {
    const bool padded = !batch.lengths.empty() && i % time >= batch.lengths[i / time];
    if (padded || batch.inputs(i) < 0 || labels(i) < 0) continue;
    found.rows.push_back(static_cast<double>(i));
    found.labels.push_back(labels(i));
    found.tokens.push_back(batch.inputs(i));
    found.positions.push_back(static_cast<double>(i % time));
  }
  return found;
}

/// Two least-squares problems with the same inputs: for the labels and for the control labels.
struct Fit {
  Tensor gram;                     // f64 (n + 1, n + 1)
  std::array<Tensor, 2> products;  // f64 (n + 1, classes)
  std::array<Tensor, 2> weights;
  std::array<Index, 2> right = {};
};

void accumulate(Tensor& sum, const Tensor& more) { sum = sum ? sum + more : more; }

/// Runs batches of the examples [first, end), and calls use(point's number, x, labels): x is f64
/// (positions, n + 1), the labels and control labels are i32 (positions).
class ProbeRun {
 public:
  ProbeRun(const TaskModel& model, const Task& task, const std::vector<std::string>& points,
           const ProbeLabels& labels)
      : model_(model), task_(task), points_(points), labels_(labels) {}

  Batch batch(Index first, Index end) const {
    std::vector<Example> examples;
    for (Index i = first; i < end; ++i) examples.push_back(held_out_example(task_, i));
    return model_.batch(examples);
  }

  template <class F>
  void each(Index first, Index end, const ControlLabels& control, const F& use) const {
    const Index rows = evaluation_batch_size(task_);
    for (; first < end; first += rows) {
      const Batch some = batch(first, std::min(first + rows, end));
      const LabelledRows found = labelled(some, labels_(some));
      if (found.rows.empty()) continue;
      std::vector<double> controls;
      for (std::size_t i = 0; i < found.rows.size(); ++i)
        controls.push_back(
            control(static_cast<Index>(found.tokens[i]), static_cast<Index>(found.positions[i])));
      const std::array<Tensor, 2> labels = {tensor(found.labels, DType::i32),
                                            tensor(controls, DType::i32)};
      const Tensor at = tensor(found.rows, DType::i32);
      Pass pass = Pass::evaluation();
      pass.hook = [&](const HookPoint& point, const Tensor& x) {
        const auto number = std::find(points_.begin(), points_.end(), name_of(point));
        if (number == points_.end()) return x;
        const Tensor values = cast(gather_rows(reshape(x, {-1, x.dim(-1)}), at), DType::f64);
        use(number - points_.begin(), concat({values, ones({values.dim(0), 1}, DType::f64)}, 1),
            labels);
        return x;
      };
      logits_of(*model_.module, some, pass);
    }
  }

  /// Returns the labels of the examples [first, end), and adds their pairs of token and position.
  std::vector<int> all_labels(Index first, Index end,
                              std::set<std::pair<double, double>>& pairs) const {
    std::vector<int> all;
    const Index rows = evaluation_batch_size(task_);
    for (; first < end; first += rows) {
      const Batch some = batch(first, std::min(first + rows, end));
      const LabelledRows found = labelled(some, labels_(some));
      for (std::size_t i = 0; i < found.labels.size(); ++i) {
        all.push_back(static_cast<int>(found.labels[i]));
        pairs.emplace(found.tokens[i], found.positions[i]);
      }
    }
    return all;
  }

 private:
  const TaskModel& model_;
  const Task& task_;
  const std::vector<std::string>& points_;
  const ProbeLabels& labels_;
};

/// Adds a small multiple of the identity, since activations may be linearly dependent.
Tensor regularised(const Tensor& gram) {
  const Index n = gram.dim(0);
  double trace = 0;
  for (Index i = 0; i < n; ++i) trace += gram(i * n + i);
  const Tensor identity = one_hot(arange(n), n, DType::f64);
  return gram + identity * (1e-9 * trace / static_cast<double>(n));
}

}  // namespace

std::vector<std::string> probe_points(const TaskModel& model, const Task& task) {
  if (model.options.source > 0 || !model.position_names().empty())
    throw UsageError("inspect probe supports --arch gpt and encoder, got {}", model.arch);
  std::vector<std::string> points;
  const Batch batch = model.batch({held_out_example(task, 0)});
  Pass pass = Pass::evaluation();
  pass.hook = [&](const HookPoint& point, const Tensor& x) {
    if (x.rank() == 3 && x.dim(1) == batch.inputs.dim(1)) points.push_back(name_of(point));
    return x;
  };
  logits_of(*model.module, batch, pass);
  return points;
}

Probes probe(const TaskModel& model, const Task& task, const std::vector<std::string>& points,
             const ProbeLabels& labels, Index examples,
             const std::function<void(double)>& on_progress) {
  const Pause pause;
  Probes found;
  found.examples = std::min(examples, held_out_size(task)) / 2;
  if (found.examples < 1) throw UsageError("inspect probe needs at least 2 examples");
  const ProbeRun run(model, task, points, labels);
  std::set<std::pair<double, double>> pairs;
  const std::vector<int> fitted = run.all_labels(0, found.examples, pairs);
  const std::vector<int> measured = run.all_labels(found.examples, 2 * found.examples, pairs);
  std::map<int, Index> counts;
  for (int label : fitted) ++counts[label];
  if (counts.size() < 2 || measured.empty())
    throw UsageError("inspect probe needs labels of at least 2 classes, got {}", counts.size());
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  found.positions = static_cast<Index>(measured.size());
  found.classes = static_cast<Index>(counts.size());
  found.pairs = static_cast<Index>(pairs.size());
  found.majority = static_cast<double>(std::count(measured.begin(), measured.end(), most)) /
                   static_cast<double>(measured.size());
  const Index outputs = 1 + std::max(*std::max_element(fitted.begin(), fitted.end()),
                                     *std::max_element(measured.begin(), measured.end()));
  const ControlLabels control(fitted);
  std::vector<Fit> fits(points.size());
  using Labels = std::array<Tensor, 2>;
  run.each(0, found.examples, control, [&](Index point, const Tensor& x, const Labels& of) {
    Fit& fit = fits[point];
    const Tensor columns = transpose(x);
    accumulate(fit.gram, matmul(columns, x));
    for (std::size_t i : {0, 1})
      accumulate(fit.products[i], matmul(columns, one_hot(of[i], outputs, DType::f64)));
  });
  if (on_progress) on_progress(0.5);
  for (Fit& fit : fits)
    for (std::size_t i : {0, 1})
      fit.weights[i] = solve_positive(regularised(fit.gram), fit.products[i]);
  if (on_progress) on_progress(0.7);
  run.each(found.examples, 2 * found.examples, control,
           [&](Index point, const Tensor& x, const Labels& of) {
             Fit& fit = fits[point];
             for (std::size_t i : {0, 1})
               fit.right[i] += static_cast<Index>(
                   sum(cast(equal(argmax(matmul(x, fit.weights[i])), of[i]), DType::f64)).item());
           });
  const auto total = static_cast<double>(measured.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    found.points.push_back({points[i], static_cast<double>(fits[i].right[0]) / total,
                            found.pairs < found.classes
                                ? std::numeric_limits<double>::quiet_NaN()
                                : static_cast<double>(fits[i].right[1]) / total});
  return found;
}

Tensor solve_positive(const Tensor& a, const Tensor& b) {
  const Index n = a.dim(0), columns = b.dim(1);
  std::vector<double> l = a.values(), x = b.values();
  for (Index j = 0; j < n; ++j)  // A = L L^T, in place, below the diagonal
    for (Index i = j; i < n; ++i) {
      double sum = l[i * n + j];
      for (Index k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
      if (i == j && !(sum > 0)) throw Error("solve_positive: the matrix isn't positive definite");
      l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
    }
  const auto eliminate = [&](Index i, Index k, double factor) {  // row i -= factor * row k
    for (Index c = 0; c < columns; ++c) x[i * columns + c] -= factor * x[k * columns + c];
  };
  const auto divide = [&](Index i) {
    for (Index c = 0; c < columns; ++c) x[i * columns + c] /= l[i * n + i];
  };
  for (Index i = 0; i < n; ++i) {  // L y = b
    for (Index k = 0; k < i; ++k) eliminate(i, k, l[i * n + k]);
    divide(i);
  }
  for (Index i = n; i-- > 0;) {  // L^T x = y
    for (Index k = i + 1; k < n; ++k) eliminate(i, k, l[k * n + i]);
    divide(i);
  }
  return tensor(x, b.shape(), DType::f64);
}

}  // namespace tapehead
