#include "curves.hpp"
#include "../../../train/config/config.hpp"
#include "../../../train/config/goal.hpp"
#include "../../../train/files/json.hpp"
#include "../../../train/files/strings.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tapehead {
namespace {

/// A metric that training writes. The list `known` has the order of the charts. If a metric is an
/// object with a value for each module, `key` is the name of the object.
struct KnownCurve {
  const char *key, *chart, *unit, *name;
};
constexpr KnownCurve known[] = {
    {"loss", "Loss", "nats per token", "training"},
    {"val_loss", "Loss", "nats per token", "validation"},
    {"exact_match", "Exact match", "fraction of validation examples", ""},
    {"lr", "Learning rate", "", ""},
    {"grad_norm", "Gradient norm", "before clipping", ""},
    {"metrics.sharpness", "Sharpness", "largest eigenvalue of the Hessian", ""},
    {"time.tokens_per_second", "Speed", "tokens per second", ""},
    {"update_ratio", "Update-to-weight ratio", "norm of the change / norm of the weights", ""},
    {"attention_entropy", "Attention entropy", "nats", ""},
    {"patience_left", "Patience left", "evaluations without improvement", ""},
};

/// Converts a metric's key to a title: gradient_noise -> Gradient noise.
std::string words_of_key(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  if (!key.empty() && key[0] >= 'a' && key[0] <= 'z')
    key[0] = static_cast<char>(key[0] - 'a' + 'A');
  return key;
}

/// The path to a number in a line of metrics.jsonl: keys and array indices.
using Path = std::vector<std::string>;

/// Returns whether a path has the form attention_scale, module, scores, head.
bool is_score_scale(const Path& path) {
  return path.size() == 4 && path[0] == "attention_scale" && path[2] == "scores";
}

/// Returns a curve without points for the number at `path`. `indexed`: the path ends with an array
/// index. `temperature`: the curve shows the inverse of the number, a learned attention scale.
Curve make_curve(const Path& path, bool indexed, bool temperature) {
  const int first = path[0] == "time" && path.size() > 1 ? 1 : 0;
  Curve curve;
  curve.key = fmt::format("{}", fmt::join(path, "."));
  curve.chart = words_of_key(path[first]);
  for (const KnownCurve& one : known) {
    if (curve.key != one.key && path[0] != one.key) continue;
    curve.chart = one.chart;
    curve.unit = one.unit;
    curve.name = one.name;
    if (curve.key == one.key) return curve;
  }
  Path rest(path.begin() + first + 1, path.end());
  const bool of_heads = starts_with(path[0], "attention");
  if (indexed && !rest.empty()) rest.back() = (of_heads ? "head " : "") + rest.back();
  if (is_score_scale(path)) rest.erase(rest.begin() + 1);
  if (temperature) {
    curve.chart = "Attention temperature";
    curve.unit = "1 / learned scale";
    curve.key = fmt::format("attention_temperature.{}.{}", path[1], path[3]);
  }
  curve.name = fmt::format("{}", fmt::join(rest, " · "));
  return curve;
}

/// Sorts curves by the order of their charts: first the known ones.
void sort(std::vector<Curve>& curves) {
  const auto rank = [](const Curve& curve) {
    const auto* const end = std::end(known);
    const auto* const found = std::find_if(
        std::begin(known), end, [&](const KnownCurve& one) { return curve.key == one.key; });
    return found - std::begin(known);
  };
  std::stable_sort(curves.begin(), curves.end(),
                   [&](const Curve& a, const Curve& b) { return rank(a) < rank(b); });
}

class Reader {
 public:
  explicit Reader(bool temperatures) : temperatures_(temperatures) {}

  void add(const Json& line) {
    step_ = *line["step"].integer();
    for (const auto& [key, value] : line.members())
      if (key != "step" && key != "curves" && key != "histograms") visit({key}, value, false);
  }
  std::vector<Curve> curves() {
    sort(curves_);
    return std::move(curves_);
  }

 private:
  void visit(const Path& path, const Json& value, bool indexed) {
    constexpr std::size_t deepest = 8;
    if (path.size() > deepest) return;
    if (value.is_number()) return point(path, value.number(), indexed);
    for (const auto& [key, inner] : value.members()) visit(longer(path, key), inner, false);
    for (std::size_t i = 0; i < value.items().size(); ++i)
      visit(longer(path, fmt::format("{}", i)), value.items()[i], true);
  }
  static Path longer(Path path, const std::string& key) {
    path.push_back(key);
    return path;
  }

  void point(const Path& path, double value, bool indexed) {
    const std::string key = fmt::format("{}", fmt::join(path, "."));
    const bool inverse = temperatures_ && is_score_scale(path);
    if (inverse) value = 1 / value;
    if (!std::isfinite(value) || key == "time.seconds") return;
    const auto [found, is_new] = numbers_.try_emplace(key, curves_.size());
    if (is_new) curves_.push_back(make_curve(path, indexed, inverse));
    Curve& curve = curves_[found->second];
    curve.steps.push_back(step_);
    curve.values.push_back(value);
  }

  bool temperatures_;
  Index step_ = 0;
  std::vector<Curve> curves_;
  std::map<std::string, std::size_t> numbers_;  // indices of the curves by key
};

void note_skipped(const Json& line, Metrics& metrics) {
  const std::string& why = line["skipped"].string();
  if (why.empty()) return;
  if (metrics.skipped++ > 0) return;
  metrics.first_skipped = metrics.steps;
  metrics.why_skipped = why;
}

void note_evaluation(const Json& line, Metrics& metrics) {
  Evaluation evaluation = evaluation_in(line);
  if (has_evaluation(line)) {
    metrics.evaluated_at = metrics.steps;
    metrics.is_finite = std::isfinite(evaluation.loss);
  }
  if (!std::isfinite(evaluation.loss)) return;
  if (const Json& own = line["loss_is"]; !own.is_null()) {
    evaluation.loss_name = own["name"].string();
    evaluation.unit = own["unit"].string();
  }
  metrics.has_answers = metrics.has_answers || line["exact_match"].is_number();
  metrics.last = evaluation;
  metrics.last_step = metrics.steps;
  if (!metrics.evaluated || is_better(evaluation, metrics.best, metrics.has_answers)) {
    metrics.best = evaluation;
    metrics.best_step = metrics.steps;
  }
  metrics.evaluated = true;
}

/// Combines one quantity's curves of several runs.
Band band_of(const std::vector<const Curve*>& curves) {
  const Curve& first = *curves[0];
  Band band{first.key, first.chart, first.unit, first.name, {}, {}, {}, {}};
  std::map<Index, std::vector<double>> values;  // values by step
  for (const Curve* curve : curves)
    for (std::size_t i = 0; i < curve->steps.size(); ++i)
      values[curve->steps[i]].push_back(curve->values[i]);
  for (const auto& [step, all] : values) {
    if (all.size() < curves.size()) continue;  // a mean of fewer runs would make the curve jump
    double mean = 0;
    for (const double value : all) mean += value / static_cast<double>(all.size());
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    band.steps.push_back(step);
    band.mean.push_back(mean);
    band.low.push_back(*low);
    band.high.push_back(*high);
  }
  return band;
}

}  // namespace

const Curve* Metrics::find(const std::string& key) const {
  for (const Curve& curve : curves)
    if (curve.key == key) return &curve;
  return nullptr;
}

Metrics read_metrics(const RunFolder& folder, bool temperatures) {
  Metrics metrics;
  Reader reader(temperatures);
  double before = 0;  // seconds in the line before; they restart at 0 at a resumption
  Index before_step = 0;
  std::pair<Index, double> first = {0, 0};  // step and seconds at the start or last resumption
  for (const std::string& text : folder.read_metrics()) {
    ++metrics.reports;
    Json& line = metrics.last_line = parse_json(text).value();
    metrics.steps = *line["step"].integer();
    reader.add(line);
    note_evaluation(line, metrics);
    note_skipped(line, metrics);
    if (!line["curves"].is_null()) metrics.answer = line["curves"];
    if (!line["histograms"].is_null()) metrics.histograms.push_back(line);
    if (const std::string& digest = line["digest"].string(); !digest.empty())
      metrics.digest = digest;
    const double now = line["time"]["seconds"].number();
    if (!std::isfinite(now)) continue;
    metrics.seconds += now < before ? now : now - before;
    if (now < before) first = {before_step, 0};
    if (metrics.steps > first.first)
      metrics.seconds_per_step =
          (now - first.second) / static_cast<double>(metrics.steps - first.first);
    before = now;
    before_step = metrics.steps;
  }
  metrics.curves = reader.curves();
  for (Curve& curve : metrics.curves)
    if (curve.chart == "Loss" && metrics.evaluated) curve.unit = metrics.last.unit;
  return metrics;
}

void add_points(Metrics& metrics, const std::string& metric,
                const std::map<Index, double>& points) {
  Curve curve = make_curve({"metrics", metric}, false, false);
  std::vector<Curve>& curves = metrics.curves;
  const auto found = find_if(curves, [&](const Curve& each) { return each.key == curve.key; });
  std::map<Index, double> all = points;
  if (found != curves.end())
    for (std::size_t i = 0; i < found->steps.size(); ++i) all[found->steps[i]] = found->values[i];
  for (const auto& [step, value] : all) {
    if (!std::isfinite(value)) continue;
    curve.steps.push_back(step);
    curve.values.push_back(value);
  }
  if (curve.steps.empty()) return;
  if (found != curves.end()) return void(*found = std::move(curve));
  curves.push_back(std::move(curve));
  sort(curves);
}

void add_stability_limit(Metrics& metrics, const TrainConfig& config) {
  const auto sharpness =
      find_if(metrics.curves, [](const Curve& curve) { return curve.key == "metrics.sharpness"; });
  const Curve* const rate = metrics.find("lr");
  if (sharpness == metrics.curves.end() || !rate) return;
  const auto momentum = config.own.texts.find("momentum");
  if (config.optimizer != "sgd" || momentum == config.own.texts.end() || momentum->second != "0")
    return;
  const double most = 2 * *std::max_element(sharpness->values.begin(), sharpness->values.end());
  Curve limit = *sharpness;
  limit.key = "stability_limit";
  limit.name = "2 / learning rate";
  limit.steps.clear(), limit.values.clear();
  for (std::size_t i = 0; i < rate->steps.size(); ++i)
    if (const double value = 2 / rate->values[i]; value <= most) {
      limit.steps.push_back(rate->steps[i]);
      limit.values.push_back(value);
    }
  if (limit.steps.empty()) return;
  sharpness->name = "sharpness";
  metrics.curves.insert(sharpness + 1, std::move(limit));
}

Curve downsample(const Curve& curve, std::size_t most) {
  const std::size_t count = curve.steps.size();
  if (count <= most || most < 4) return curve;
  Curve result = curve;
  result.steps.clear();
  result.values.clear();
  const auto keep = [&](std::size_t i) {
    if (!result.steps.empty() && curve.steps[i] == result.steps.back()) return;
    result.steps.push_back(curve.steps[i]);
    result.values.push_back(curve.values[i]);
  };
  keep(0);
  const std::size_t stretches = (most - 2) / 2;
  for (std::size_t i = 0; i < stretches; ++i) {
    const auto begin = curve.values.begin() + i * count / stretches;
    const auto end = curve.values.begin() + (i + 1) * count / stretches;
    auto [least, largest] = std::minmax_element(begin, end);
    if (largest < least) std::swap(least, largest);
    for (const auto at : {least, largest}) keep(at - curve.values.begin());
  }
  keep(count - 1);
  return result;
}

std::vector<Band> bands(const std::vector<Metrics>& runs) {
  std::vector<Band> all;
  for (const char* key : {"val_loss", "exact_match", "loss"}) {
    std::vector<const Curve*> curves;
    for (const Metrics& run : runs)
      if (const Curve* curve = run.find(key)) curves.push_back(curve);
    if (curves.empty() || curves.size() < runs.size()) continue;
    if (Band band = band_of(curves); !band.steps.empty()) all.push_back(std::move(band));
  }
  return all;
}

}  // namespace tapehead
