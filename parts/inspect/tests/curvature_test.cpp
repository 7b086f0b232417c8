#include "../curvature.hpp"
#include "../../../core/derivatives.hpp"
#include "../../../core/runtime/parallel.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../tests/shared/tasks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(curvature, Elsewhere)

namespace {

/// An f64 matrix (n, n).
struct Matrix {
  Index n;
  std::vector<double> elements;
  double& at(Index i, Index j) { return elements[i * n + j]; }
};

/// Returns the eigenvalues of a symmetric matrix in descending order, by Jacobi rotations of its
/// off-diagonal elements.
std::vector<double> eigenvalues(Matrix a) {
  double beside = 1;
  for (int sweep = 0; sweep < 30 && beside > 1e-26; ++sweep) {
    beside = 0;
    for (Index p = 0; p < a.n; ++p)
      for (Index q = p + 1; q < a.n; ++q) {
        const double apq = a.at(p, q);
        beside += apq * apq;
        if (apq == 0) continue;
        const double half = (a.at(q, q) - a.at(p, p)) / (2 * apq);
        const double t = std::copysign(1 / (std::abs(half) + std::hypot(half, 1)), half);
        const double c = 1 / std::hypot(t, 1), s = c * t;
        for (Index k = 0; k < a.n; ++k) {
          const double kp = a.at(k, p), kq = a.at(k, q);
          a.at(k, p) = c * kp - s * kq, a.at(k, q) = s * kp + c * kq;
        }
        for (Index k = 0; k < a.n; ++k) {
          const double pk = a.at(p, k), qk = a.at(q, k);
          a.at(p, k) = c * pk - s * qk, a.at(q, k) = s * pk + c * qk;
        }
      }
  }
  std::vector<double> all;
  for (Index i = 0; i < a.n; ++i) all.push_back(a.at(i, i));
  std::sort(all.rbegin(), all.rend());
  return all;
}

Product product_of(const Matrix& a) {
  const Tensor matrix = tensor(a.elements, {a.n, a.n}, DType::f64);
  return [=](const Tensor& v) { return reshape(matmul(matrix, reshape(v, {-1, 1})), {-1}); };
}

Matrix diagonal(const std::vector<double>& values) {
  const auto n = static_cast<Index>(values.size());
  Matrix a{n, std::vector<double>(values.size() * values.size())};
  for (Index i = 0; i < n; ++i) a.at(i, i) = values[i];
  return a;
}

ModelOptions tiny() {
  ModelOptions options = small_options(5, 5, 1, DType::f64);
  options.width = 4;
  return options;
}

std::vector<Example> examples(Index count = 6) {
  std::vector<Example> all;
  for (Index i = 0; i < count; ++i) {
    Random random({3, Draw::test, 0, 0, static_cast<std::uint32_t>(i)});
    Example example{std::vector<int>(6), 3};
    for (int& token : example.tokens) token = static_cast<int>(random.below(5));
    all.push_back(example);
  }
  return all;
}

/// Computes the Hessian of all parameters by its definition.
Matrix dense(const TaskModel& model, const std::vector<Example>& examples) {
  const Batch batch = model.batch(examples);
  const std::vector<Tensor> x = values(parameters(std::as_const(*model.module)));
  const auto blocks = hessian(
      [&](const std::vector<Tensor>&) {
        Pass pass = Pass::evaluation();
        return cross_entropy((*model.module)(batch.inputs, pass), batch.targets);
      },
      x, Unused::zeros);
  std::vector<Tensor> rows;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<Tensor> row;
    for (std::size_t j = 0; j < x.size(); ++j)
      row.push_back(reshape(blocks[i][j], {x[i].size(), x[j].size()}));
    rows.push_back(concat(row, 1));
  }
  const Tensor all = concat(rows, 0);
  return {all.dim(0), all.values()};
}

Matrix block_slice(Matrix& whole, Index first, Index size) {
  Matrix part{size, std::vector<double>(size * size)};
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j) part.at(i, j) = whole.at(first + i, first + j);
  return part;
}

void expect_close(double x, double expected, double tolerance) {
  BOOST_TEST(std::abs(x - expected) <= tolerance * std::abs(expected), x << " " << expected);
}

Tensor basis_vector(Index size, Index i) {
  return reshape(one_hot(full({}, i, DType::i32), size, DType::f64), {size});
}

double trace_of(Matrix& a) {
  double trace = 0;
  for (Index i = 0; i < a.n; ++i) trace += a.at(i, i);
  return trace;
}

}  // namespace

BOOST_AUTO_TEST_CASE(finds_the_largest_eigenvalues) {
  std::vector<double> known(40);
  std::iota(known.begin(), known.end(), -20.0);
  const Matrix a = diagonal(known);
  const Eigenvalues found = largest_eigenvalues(40, product_of(a), {3, 1e-9});
  BOOST_TEST(found.products <= 40);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(std::abs(found.largest[i] - (19 - i)) < 1e-12);
    BOOST_TEST(found.residuals[i] < 2e-8);
  }
  BOOST_TEST(found.smallest >= -20 - 1e-12);
  // Asking for more eigenvalues than exist returns all.
  const Eigenvalues two = largest_eigenvalues(2, product_of(diagonal({1, -3})), {5});
  BOOST_TEST(two.largest.size() == 2u);
  BOOST_TEST(std::abs(two.largest[1] + 3) < 1e-12);
  BOOST_TEST(two.smallest == two.largest[1]);
}

BOOST_AUTO_TEST_CASE(leaves_invariant_subspaces) {
  // Two distinct eigenvalues: the first Krylov space finds each once.
  std::vector<double> known(10, 2.0);
  known[4] = 7;
  const Eigenvalues found = largest_eigenvalues(10, product_of(diagonal(known)), {4});
  BOOST_TEST(found.largest.size() == 4u);
  expect_close(found.largest[0], 7, 1e-12);
  for (int i = 1; i < 4; ++i) expect_close(found.largest[i], 2, 1e-12);
  BOOST_TEST(largest_eigenvalues(3, product_of(diagonal({0, 0, 0}))).largest[0] == 0);
}

BOOST_AUTO_TEST_CASE(non_finite_products_are_an_error) {
  EXPECT_ERROR(Error, largest_eigenvalues(2, product_of(diagonal({1, std::nan("")}))),
               "the second derivatives of the loss aren't finite; the training probably diverged");
}

BOOST_AUTO_TEST_CASE(eigenvalues_and_traces_match_the_dense_hessian) {
  const auto model = opinionated_model(tiny());
  const LossHessian hessian(*model, examples(), 2);
  Matrix whole = dense(*model, examples());
  BOOST_TEST(hessian.size() == whole.n);
  BOOST_TEST((whole.n > 250 && whole.n < 350), whole.n);
  const std::vector<double> known = eigenvalues(whole);
  const Eigenvalues found = largest_eigenvalues(hessian.size(), std::cref(hessian), {5, 1e-9});
  BOOST_TEST(found.products < 100);
  for (int i = 0; i < 5; ++i) expect_close(found.largest[i], known[i], 1e-8);
  BOOST_TEST(found.smallest >= known.back() * (1 + 1e-12));

  double trace = 0;
  for (Index i = 0; i < hessian.size(); ++i) {
    const Tensor e = basis_vector(hessian.size(), i);
    trace += dot(e, hessian(e));
  }
  expect_close(trace, trace_of(whole), 1e-12);

  const Curvature all = tapehead::curvature(hessian, 5);
  std::vector<std::string> names;
  Index first = 0;
  double sum = 0;
  for (const Curvature::BlockCurvature& part : all.parts) {
    names.push_back(part.name);
    const bool is_whole = part.name == "all";
    Matrix block = is_whole ? whole : block_slice(whole, first, part.parameters);
    expect_close(part.sharpness, eigenvalues(block)[0], 1e-6);
    BOOST_TEST(std::abs(part.trace - trace_of(block)) < 4 * part.error, part.name);
    if (!is_whole) first += part.parameters, sum += part.trace;
  }
  BOOST_TEST(names == (std::vector<std::string>{"all", "tokens", "positions", "blocks.0", "norm"}),
             boost::test_tools::per_element());
  BOOST_TEST(first == whole.n);
  expect_close(sum, all.parts[0].trace, 1e-12);
}

BOOST_AUTO_TEST_CASE(frozen_parameters_are_left_out) {
  const auto model = opinionated_model(tiny());
  Matrix whole = dense(*model, examples());
  Index frozen = 0;
  for (Parameter* p : parameters(*model->module))
    if (p->path == "tokens.weight") p->trainable = false, frozen = p->value().size();
  const LossHessian hessian(*model, examples(), 64);
  BOOST_TEST(hessian.size() == whole.n - frozen);
  for (const Index i : {0, 7, 100}) {
    const Tensor row = hessian(basis_vector(hessian.size(), i));
    for (Index j = 0; j < hessian.size(); ++j)
      BOOST_TEST(std::abs(row(j) - whole.at(frozen + i, frozen + j)) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(the_hessian_of_every_architecture_is_symmetric) {
  ModelOptions gated = small_options(5, 5, 2);
  gated.mlp = StandardMLP{Activation::swiglu};
  gated.kv_heads = 1, gated.dropout = 0.5, gated.recompute = true;
  for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) {
    ModelOptions options = arch == std::string("gpt") ? gated : small_options(5, 3);
    options.source = 3;
    options.dtype = DType::f64;
    const auto model = opinionated_model(options, arch);
    const LossHessian hessian(*model, examples(), 4);
    const Tensor u = normal_direction(hessian.size(), 1), v = sign_direction(hessian.size(), 2);
    const double forth = dot(u, hessian(v));
    BOOST_TEST(forth != 0);
    expect_close(dot(v, hessian(u)), forth, 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(activation_checkpointing_is_bitwise_identical) {
  ModelOptions options = small_options(5, 5, 2);
  const auto plain = opinionated_model(options);
  options.recompute = true;
  const auto again = opinionated_model(options);
  const LossHessian hessian(*plain, examples(40), 8);
  const Tensor v = normal_direction(hessian.size(), 0);
  expect_equal(LossHessian(*again, examples(40), 8)(v), hessian(v));
}

BOOST_AUTO_TEST_CASE(bitwise_identical_for_any_number_of_threads) {
  const auto model = opinionated_model(small_options(5, 5, 2));
  const LossHessian hessian(*model, examples(40), 2);
  const Tensor v = normal_direction(hessian.size(), 0);
  const Tensor alone = hessian(v);
  set_threads(3);
  expect_equal(hessian(v), alone);
  set_threads(1);
}

BOOST_AUTO_TEST_CASE(random_vectors_have_the_right_moments) {
  const Tensor signs = sign_direction(10000, 3);
  expect_equal(signs * signs, full({10000}, 1, DType::f64));
  BOOST_TEST(std::abs(sum(signs).item()) < 400);
  BOOST_TEST(std::abs(dot(signs, sign_direction(10000, 4))) < 400);
  const Tensor normal = normal_direction(10000, 3);
  BOOST_TEST(std::abs(dot(normal, normal) / 10000 - 1) < 0.06);
}

namespace {

/// Returns the values of the sharpness curve in a report's page; none if there is no such curve.
std::vector<double> shown_sharpness(const std::string& report) {
  done(report + " --out report.html");
  const std::string page = contents("report.html"), begin = R"(id="data">)";
  const std::size_t at = page.find(begin) + begin.size();
  const json data = json::parse(page.substr(at, page.find("</script>", at) - at));
  for (const json& curve : data["runs"][0]["curves"])
    if (curve["key"] == "metrics.sharpness") return curve["values"];
  return {};
}
void expect_close(const std::vector<double>& values, const std::vector<double>& expected,
                  double tolerance) {
  BOOST_TEST_REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) expect_close(values[i], expected[i], tolerance);
}

}  // namespace

BOOST_AUTO_TEST_CASE(measures_runs_during_and_after_training) {
  done(
      "train reverse --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 16 --steps 20 "
      "--eval-every 10 --eval-examples 20 --keep 9 --fixed-batch true --metric sharpness "
      "--out run");
  std::vector<double> measured;
  for (const std::string& line : lines_of(contents("run/metrics.jsonl")))
    if (const json metrics = json::parse(line); metrics.contains("metrics"))
      measured.push_back(metrics["metrics"]["sharpness"].get<double>());
  BOOST_TEST(measured.size() == 2u);
  const json found =
      json::parse(done("inspect curvature run --training --top 2 --checkpoints all --json").text);
  BOOST_TEST(has(found["notes"][0].get<std::string>(), "16 training examples"));
  BOOST_TEST(found["curves"][0]["steps"] == json({10, 20}));
  const json& curve = found["curves"][0]["lines"]["all"];
  for (int i = 0; i < 2; ++i) expect_close(curve[i].get<double>(), measured[i], 1e-5);
  BOOST_TEST(found["tables"][1]["rows"].size() == 2u);
  BOOST_TEST(found["tables"][0]["rows"][0]["sharpness"] ==
             found["tables"][1]["rows"][0]["eigenvalue"]);
  expect_close(shown_sharpness("report run"), curve, 1e-5);
  expect_refused("inspect curvature run --top 0",
                 "inspect curvature: --top must be at least 1, "
                 "not 0");
}

BOOST_AUTO_TEST_CASE(ignores_frozen_parameters_of_a_run) {
  done(
      "train reverse --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 16 --steps 5 "
      "--freeze tokens* --out run");
  const json found = json::parse(done("inspect curvature run --examples 9 --json").text);
  BOOST_TEST(has(found["notes"][0].get<std::string>(), "9 validation examples with respect to"));
  BOOST_TEST(has(found["notes"][0].get<std::string>(), "parameters that aren't frozen."));
  for (const json& row : found["tables"][0]["rows"]) BOOST_TEST(row["block"] != "tokens");
}

BOOST_AUTO_TEST_CASE(reports_measure_checkpoints_like_inspect) {
  done(
      "train reverse --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 16 --steps 10 "
      "--eval-every 5 --keep 9 --fixed-batch true --freeze tokens* --out run");
  BOOST_TEST(shown_sharpness("report run").empty());
  const json found =
      json::parse(done("inspect curvature run --training --top 1 --checkpoints all --json").text);
  expect_close(shown_sharpness("report run --metric sharpness"), found["curves"][0]["lines"]["all"],
               1e-5);
}

BOOST_AUTO_TEST_SUITE_END()
