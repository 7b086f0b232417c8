#include "../../core/ops.hpp"
#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// Numbers as tokens: each of `count` equal bins stands for its center. The outermost bins include
/// all numbers beyond them.
struct Bins {
  static constexpr double limit = 4;  // exceeded by 1 in 16,000 normal numbers
  Index count;

  double width() const { return 2 * limit / static_cast<double>(count); }
  double centre(Index bin) const { return (static_cast<double>(bin) + 0.5) * width() - limit; }
  int of(double value) const {
    const auto bin = static_cast<Index>(std::floor((value + limit) / width()));
    return static_cast<int>(std::clamp<Index>(bin, 0, count - 1));
  }
};

/// Ridge regression: the weights (d) that minimize |X w - y|^2 + ridge |w|^2. Solves the normal
/// equations by Gaussian elimination; the ridge makes them positive definite.
class Ridge {
 public:
  Ridge(std::size_t dimensions, double ridge)
      : normal_(dimensions, std::vector<double>(dimensions + 1)) {
    for (std::size_t i = 0; i < dimensions; ++i) normal_[i][i] = ridge;
  }

  void add(const std::vector<double>& x, double y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) normal_[i][j] += x[i] * x[j];
      normal_[i].back() += x[i] * y;
    }
  }

  std::vector<double> weights() const {
    std::vector<std::vector<double>> rows = normal_;
    const std::size_t n = rows.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t below = i + 1; below < n; ++below)
        for (std::size_t j = n + 1; j-- > i;)
          rows[below][j] -= rows[below][i] / rows[i][i] * rows[i][j];
    std::vector<double> w(n);
    for (std::size_t i = n; i-- > 0;) {
      double sum = rows[i][n];
      for (std::size_t j = i + 1; j < n; ++j) sum -= rows[i][j] * w[j];
      w[i] = sum / rows[i][i];
    }
    return w;
  }

 private:
  std::vector<std::vector<double>> normal_;  // [X'X + ridge | X'y]
};

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// x1 y1 x2 y2 ..., then the last y. y = w.x / sqrt(d), where x and, for each example, w are
/// normally distributed. Every y is a target.
class Regression : public Sequences {
 public:
  Regression(Index dimensions, Bins bins, SequenceRules rules)
      : Sequences(std::move(rules)), dimensions_(dimensions), bins_(bins) {}

  bool has_curves() const override { return true; }

  /// Returns squared errors of the predicted mean and of ridge regression. The ridge is the
  /// variance of rounding y to bins, which gives the posterior mean of the weights.
  AnswerCurves curves(const Example& example, const Tensor& logits) const override {
    const std::vector<double> weights = softmax(logits).values();  // (n, bins)
    Ridge ridge(static_cast<std::size_t>(dimensions_),
                static_cast<double>(dimensions_) * bins_.width() * bins_.width() / 12);
    AnswerCurves::Line model{"model", {}}, least{"least squares", {}}, zero{"always 0", {}};
    const auto square = [](double x) { return x * x; };
    for (std::size_t n = 0; n < example.target_positions.size(); ++n) {
      std::vector<double> x;
      for (Index i = example.target_positions[n] - dimensions_; i < example.target_positions[n];
           ++i)
        x.push_back(bins_.centre(example.tokens[i]));
      const double y = bins_.centre(example.tokens[example.target_positions[n]]);
      double mean = 0;
      for (Index bin = 0; bin < bins_.count; ++bin)
        mean += weights[n * static_cast<std::size_t>(bins_.count) + static_cast<std::size_t>(bin)] *
                bins_.centre(bin);
      model.values.push_back(square(mean - y));
      least.values.push_back(square(product(ridge.weights(), x) - y));
      zero.values.push_back(square(y));
      ridge.add(x, y);
    }
    return {"squared error", "examples before", {model, least, zero}};
  }

 private:
  Index dimensions_;
  Bins bins_;
};

/// Draws an example. If `positive`, takes absolute values of x.
Example draw(Random& random, Index dimensions, Index examples, Bins bins, bool positive) {
  const auto normal = [&] { return random.normal(); };
  const double scale = 1 / std::sqrt(static_cast<double>(dimensions));
  std::vector<double> w(dimensions), x(dimensions);
  std::generate(w.begin(), w.end(), normal);
  Example example;
  for (Index n = 0; n < examples; ++n) {
    for (double& each : x) {
      const double drawn = normal();
      example.tokens.push_back(bins.of(positive ? std::abs(drawn) : drawn));
      each = bins.centre(example.tokens.back());
    }
    example.target_positions.push_back(static_cast<Index>(example.tokens.size()));
    example.tokens.push_back(bins.of(scale * product(w, x)));
  }
  example.question = example.target_positions.back();
  return example;
}

std::unique_ptr<Task> make_regression(const TaskOptions& options) {
  const Index dimensions = whole_option(options, "dimensions", 1, 16);
  const Index examples = whole_option(options, "examples", 2, 128);
  const Bins bins{whole_option(options, "bins", 8, 256)};
  SequenceRules rules;
  rules.name = "regression";
  for (Index bin = 0; bin < bins.count; ++bin)
    rules.texts.push_back(fmt::format("{:.2f}", bins.centre(bin)));
  rules.draw = [=](Random& random) { return draw(random, dimensions, examples, bins, false); };
  // The sign of y is a parity of signs. Models learn the size of y but not its sign unless some
  // examples show the sign of w directly.
  rules.draw_training = [=](Random& random) {
    return draw(random, dimensions, examples, bins, random.below(2) == 0);
  };
  rules.spelled = false;
  rules.describe_unknown = [=](const std::string&) {
    return fmt::format("isn't one of the {} numbers from {:.2f} to {:.2f}, {:g} apart", bins.count,
                       bins.centre(0), bins.centre(bins.count - 1), bins.width());
  };
  const Index length = examples * (dimensions + 1) - 1;
  rules.question = fmt::format("{} numbers, each {} of x followed by their y, without the last y",
                               length, dimensions);
  rules.is_question = [=](const std::vector<int>& tokens) {
    return are_below(tokens, length, bins.count);
  };
  return std::make_unique<Regression>(dimensions, bins, std::move(rules));
}

}  // namespace

/// In-context linear regression (Garg and others, "What can transformers learn in-context?").
/// Numbers are predicted as bins (Müller and others, "Transformers can do Bayesian inference").
TaskEntry regression_task() {
  return {
      "regression",
      "predict y = w.x from examples of x and y, in context",
      "in-context learning: a forward pass fits a model, nearly as well as least squares",
      "squared error close to least squares",
      muon_defaults("--layers 3 --heads 4 --width 64 --steps 1500 --eval-every 300"),
      {},
      {{"dimensions", "dimensions of x, 1 to 16", "2"},
       {"examples", "number of pairs of x and y, 2 to 128", "12"},
       {"bins", "number of bins for the values of x and y, each bin with a token, 8 to 256", "32"}},
      "examples",
      {"gpt"},
      make_regression};
}

}  // namespace tapehead
