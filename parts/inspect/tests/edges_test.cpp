#include "../../../core/ops.hpp"
#include "../../../core/runtime/parallel.hpp"
#include "../../../nn/gpt.hpp"
#include "../../../tests/shared/small_models.hpp"
#include "../../../tests/shared/support.hpp"
#include "../edges/pruning.hpp"
#include "../edges/scores.hpp"

#include <cmath>
#include <numeric>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(edges)

namespace {

constexpr Index vocabulary = 7;

/// Returns random ids, i32 (rows, time).
Tensor random_ids(Index rows, Index time, std::uint32_t number) {
  Random random({9, Draw::test, number});
  std::vector<double> ids;
  for (Index i = 0; i < rows * time; ++i)
    ids.push_back(static_cast<double>(random.below(vocabulary)));
  return tensor(ids, {rows, time}, DType::i32);
}

/// Returns two batches of the same lengths, with targets at the last two positions.
std::vector<EdgeBatch> batches() {
  std::vector<EdgeBatch> all;
  for (std::uint32_t i : {0u, 1u}) {
    const Index rows = 3, time = 4 + i;
    const auto batch = [&](std::uint32_t number) {
      const Tensor hidden = full({rows, time - 2}, -1, DType::i32);
      return Batch{random_ids(rows, time, number),
                   concat({hidden, random_ids(rows, 2, number + 1)}, 1)};
    };
    all.push_back({batch(4 * i), batch(4 * i + 2)});
  }
  return all;
}

std::unique_ptr<TaskModel> model_of(const std::function<void(ModelOptions&)>& change = {},
                                    const char* arch = "gpt") {
  ModelOptions o = small_options(vocabulary, 8, 2, DType::f64);
  if (change) change(o);
  auto model = opinionated_model(o, arch);
  std::uint32_t number = 0;
  for (Parameter* p : parameters(*model->module))  // gains and biases that differ from 1 and 0
    if (p->shape.rank() == 1)
      p->set(p->value() +
             random_normal(p->shape, {3, Draw::test, 0, 0, ++number}, DType::f64) * 0.3);
  return model;
}

EdgeTrial trial_of(const TaskModel& model, ReplaceBy by = ReplaceBy::resample,
                   EdgeMetric metric = EdgeMetric::logit) {
  return {model, batches(), by, metric};
}

std::vector<double> uniform(const EdgeTrial& trial, double weight) {
  return std::vector<double>(trial.graph.edges.size(), weight);
}

double largest_difference(const Tensor& a, const Tensor& b) {
  return amax(abs(cast(a, DType::f64) - cast(b, DType::f64))).item();
}

std::size_t edge(const EdgeGraph& graph, const std::string& name) {
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    if (graph.edge_name(graph.edges[e]) == name) return e;
  BOOST_FAIL("no edge " << name);
  return 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(graph_lists_nodes_and_edges) {
  const auto model = model_of();
  const EdgeGraph graph(*model);
  std::vector<std::string> names;
  for (const CircuitNode& node : graph.nodes) names.push_back(node.name());
  const std::vector<std::string> expected = {"embedding", "head 0.0", "head 0.1", "mlp 0",
                                             "head 1.0",  "head 1.1", "mlp 1",    "logits"};
  BOOST_TEST(names == expected, per_element());
  // Readers of layer 0 read the embedding, its MLP also two heads, and so on.
  BOOST_TEST(graph.edges.size() == 6u + 3 + 6 * 4 + 6 + 7);
  BOOST_TEST(graph.edge_name(graph.edges[0]) == "embedding → head 0.0 query");
  BOOST_TEST(graph.edge_name(graph.edges.back()) == "mlp 1 → logits");
}

BOOST_AUTO_TEST_CASE(unchanged_inputs_give_the_logits_of_the_model) {
  const std::vector<std::pair<const char*, std::function<void(ModelOptions&)>>> changes = {
      {"gpt", {}},
      {"encoder", {}},
      {"encoder", [](ModelOptions& o) { o.pooled = true; }},
      {"gpt", [](ModelOptions& o) { o.norm = nullptr; }},
      {"gpt", [](ModelOptions& o) { o.mlp = nullptr; }},
      {"gpt", [](ModelOptions& o) { o.convolution = 2; }},
      {"gpt", [](ModelOptions& o) { o.tied = false, o.recompute = true; }},
      {"encoder", [](ModelOptions& o) { o.hide_self = true; }},
      {"gpt", [](ModelOptions& o) { o.temperature = Temperature::lsa; }},
      {"gpt", [](ModelOptions& o) { o.temperature = Temperature::head; }},
      {"gpt", [](ModelOptions& o) { o.kv_heads = 1, o.qk_norm = true; }},
      {"gpt", [](ModelOptions& o) { o.tied_kv = o.qk_norm = true, o.kv_heads = 1; }},
      {"gpt", [](ModelOptions& o) { o.layers = 3, o.share_layers = 1; }},
      {"gpt", [](ModelOptions& o) { o.head_width = 3, o.window = 2; }}};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto& [arch, change] = changes[i];
    BOOST_TEST_CONTEXT(arch << " " << i) {
      const auto model = model_of(change, arch);
      const EdgeGraph graph(*model);
      const Batch batch{random_ids(3, 6, 5)};
      Pass pass = Pass::evaluation();
      const Tensor logits = logits_of(*model->module, batch, pass);
      const auto same = [](std::size_t, const Tensor& x, const auto&) { return x; };
      BOOST_TEST(largest_difference(edge_forward(graph, batch, same).back(), logits) < 1e-12);
      // Equal but separate inputs: each head runs on its own.
      const auto copy = [](std::size_t, const Tensor& x, const auto&) { return x * 1.0; };
      BOOST_TEST(largest_difference(edge_forward(graph, batch, copy).back(), logits) < 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_stream_is_the_sum_of_outputs_and_biases) {
  const auto model = model_of();
  const EdgeGraph graph(*model);
  Tensor last;
  const std::vector<Tensor> outputs =
      edge_forward(graph, {random_ids(2, 5, 1)},
                   [&](std::size_t, const Tensor& x, const auto&) { return last = x; });
  Tensor sum = outputs[0];
  for (std::size_t i = 1; i + 1 < outputs.size(); ++i) sum = sum + outputs[i];
  for (const Block& block : graph.blocks) sum = sum + attention_of(block).out->bias.value();
  BOOST_TEST(largest_difference(sum, last) < 1e-12);
}

BOOST_AUTO_TEST_CASE(replacing_all_edges_gives_the_other_example) {
  for (EdgeMetric metric :
       {EdgeMetric::logit, EdgeMetric::loss, EdgeMetric::kl, EdgeMetric::square}) {
    const auto model = model_of();
    const EdgeTrial trial = trial_of(*model, ReplaceBy::resample, metric);
    double total = 0, targets = 0;
    for (const EdgeBatch& batch : batches()) {
      Pass pass = Pass::evaluation();
      const auto rows = [&](const Batch& of) {
        return reshape(logits_of(*model->module, of, pass), {-1, vocabulary});
      };
      const Tensor own = rows(batch.own), other = rows(batch.other);
      for (Index i = 0; i < batch.own.targets.size(); ++i) {
        const auto right = static_cast<Index>(batch.own.targets(i));
        const auto wrong = static_cast<Index>(batch.other.targets(i));
        if (right < 0 || (metric == EdgeMetric::logit && right == wrong)) continue;
        ++targets;
        const auto row = [&](const Tensor& x) { return slice(x, 0, i, i + 1); };
        const Tensor p = log_softmax(row(own)), q = log_softmax(row(other));
        const Tensor apart = row(own) - row(other);
        if (metric == EdgeMetric::logit) total += row(other)(right) - row(other)(wrong);
        if (metric == EdgeMetric::loss) total -= q(right);
        if (metric == EdgeMetric::kl) total += sum(exp(p) * (p - q)).item();
        if (metric == EdgeMetric::square) total += sum(apart * apart).item();
      }
    }
    BOOST_TEST(trial.targets() == targets);
    BOOST_TEST(trial.none() == total / targets, boost::test_tools::tolerance(1e-9));
    if (metric == EdgeMetric::kl || metric == EdgeMetric::square)
      BOOST_TEST(std::abs(trial.whole()) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(replacing_all_edges_by_means_gives_the_mean_stream) {
  const auto model = model_of();
  const EdgeTrial trial = trial_of(*model, ReplaceBy::mean, EdgeMetric::loss);
  std::vector<Tensor> streams;  // before the logits, with 4 and 5 positions
  for (const EdgeBatch& batch : batches()) {
    Tensor last;
    edge_forward(trial.graph, batch.own,
                 [&](std::size_t, const Tensor& x, const auto&) { return last = x; });
    streams.push_back(last);
  }
  const Tensor both = mean(concat({streams[0], slice(streams[1], 1, 0, 4)}, 0), {0}, true);
  const Tensor means = concat({both, mean(slice(streams[1], 1, 4, 5), {0}, true)}, 1);
  double total = 0, targets = 0;
  for (const EdgeBatch& batch : batches()) {
    Pass pass = Pass::evaluation();
    const Index time = batch.own.inputs.dim(1);
    const Tensor logs = log_softmax(trial.graph.read_out(slice(means, 1, 0, time), pass));
    for (Index i = 0; i < batch.own.targets.size(); ++i)
      if (const auto right = static_cast<Index>(batch.own.targets(i)); right >= 0)
        total -= logs(i % time * vocabulary + right), ++targets;
  }
  BOOST_TEST(trial.none() == total / targets, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(an_edge_to_an_mlp_changes_only_what_it_reads) {
  const auto model = model_of();
  const EdgeTrial trial = trial_of(*model);
  const std::size_t e = edge(trial.graph, "head 0.1 → mlp 1");
  double total = 0, targets = 0;
  for (const EdgeBatch& batch : batches()) {
    // By hand, with hooks: the MLP reads the stream plus the change of the head's output.
    const auto& block = dynamic_cast<const GPT&>(*model->module).blocks[1];
    const auto plain = [](std::size_t, const Tensor& x, const auto&) { return x; };
    const Tensor change = edge_forward(trial.graph, batch.other, plain)[2] -
                          edge_forward(trial.graph, batch.own, plain)[2];
    Tensor in, attended;
    Pass pass = Pass::evaluation();
    pass.hook = [&](const HookPoint& point, const Tensor& x) {
      if (point.module != std::string("blocks.1")) return x;
      if (point.name == std::string("in")) in = x;
      if (point.name == std::string("attention_out")) attended = x;
      if (point.name != std::string("mlp_out")) return x;
      Pass inner = Pass::evaluation();
      return (*block.mlp)((*block.mlp_norm)(in + attended + change, inner), inner);
    };
    const Tensor logits = reshape(logits_of(*model->module, batch.own, pass), {-1, vocabulary});
    for (Index i = 0; i < batch.own.targets.size(); ++i) {
      const auto right = static_cast<Index>(batch.own.targets(i));
      const auto wrong = static_cast<Index>(batch.other.targets(i));
      if (right < 0 || right == wrong) continue;
      ++targets;
      total += logits(i * vocabulary + right) - logits(i * vocabulary + wrong);
    }
  }
  BOOST_TEST(path_effects(trial, {e})[0] == total / targets - trial.whole(),
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(slopes_equal_finite_differences) {
  const auto model = model_of();
  for (ReplaceBy by : {ReplaceBy::resample, ReplaceBy::mean, ReplaceBy::zero})
    for (EdgeMetric metric : {EdgeMetric::logit, EdgeMetric::loss, EdgeMetric::kl}) {
      const EdgeTrial trial = trial_of(*model, by, metric);
      const std::vector<double> at = uniform(trial, 0.3);
      const std::vector<double> slopes = trial.slopes(at);
      for (std::size_t e = 0; e < slopes.size(); e += 5) {
        constexpr double step = 1e-5;
        const auto moved = [&](double by_step) {
          std::vector<double> weights = at;
          weights[e] += by_step;
          return trial.measure(weights);
        };
        BOOST_TEST(std::abs((moved(step) - moved(-step)) / (2 * step) - slopes[e]) < 1e-7);
      }
    }
}

BOOST_AUTO_TEST_CASE(estimates_are_exact_in_a_linear_model) {
  // Without norms and MLPs, values and logits are linear in the edges; queries and keys aren't.
  const auto model = model_of([](ModelOptions& o) {
    o.norm = nullptr;
    o.mlp = nullptr;
  });
  const EdgeTrial trial = trial_of(*model);
  std::vector<std::size_t> all(trial.graph.edges.size());
  std::iota(all.begin(), all.end(), 0u);
  const std::vector<double> exact = path_effects(trial, all);
  const EdgeAttribution found = attribute_edges(trial, 1);
  Index linear = 0;
  double logits = 0;
  for (std::size_t e : all) {
    const NodeReader& reader = trial.graph.readers[trial.graph.edges[e].reader];
    const CircuitNode& node = trial.graph.nodes[reader.node];
    const bool last = node.kind == CircuitNode::Kind::logits;
    if (last) logits += exact[e];
    if (!last && (reader.part != NodeReader::Part::value || node.layer == 0)) continue;
    ++linear;
    BOOST_TEST(std::abs(exact[e] - found.gradients[e]) < 1e-9);
  }
  BOOST_TEST(linear == 2 * 3 + 5);
  // The effects of all edges into the logits add up to the total effect.
  BOOST_TEST(logits == trial.none() - trial.whole(), boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(integrated_attributions_sum_to_the_total_effect) {
  const auto model = model_of();
  for (EdgeMetric metric : {EdgeMetric::logit, EdgeMetric::kl}) {
    const EdgeTrial trial = trial_of(*model, ReplaceBy::resample, metric);
    const auto gap = [&](Index steps) {
      const std::vector<double> found = attribute_edges(trial, steps).integrated;
      return std::abs(std::accumulate(found.begin(), found.end(), 0.0) -
                      (trial.none() - trial.whole()));
    };
    BOOST_TEST(gap(200) < 1e-3);
    BOOST_TEST(gap(200) < gap(5));
  }
  BOOST_TEST(attribute_edges(trial_of(*model), 0).integrated.empty());
}

BOOST_AUTO_TEST_CASE(pruning_keeps_edges_by_their_effect) {
  const auto model = model_of();
  const EdgeTrial trial = trial_of(*model, ReplaceBy::resample, EdgeMetric::kl);
  for (PruneBy by : {PruneBy::acdc, PruneBy::attribution}) {
    const PrunedCircuit all = prune(trial, by, -1e9, 4);
    BOOST_TEST(all.kept_edges().size() == trial.graph.edges.size());
    BOOST_TEST(std::abs(all.faithfulness - 1) < 1e-12);
    BOOST_TEST(std::abs(all.completeness - 1) < 1e-12);
    const PrunedCircuit none = prune(trial, by, 1e9, 4);
    BOOST_TEST(none.kept_edges().empty());
    BOOST_TEST(std::abs(none.faithfulness) < 1e-12);
    BOOST_TEST(std::isnan(none.minimality));
    const PrunedCircuit some = prune(trial, by, 0.2, 4);
    BOOST_TEST(!some.kept_edges().empty());
    BOOST_TEST(some.kept_edges().size() < all.kept_edges().size());
    BOOST_TEST(some.faithfulness > none.faithfulness);
    BOOST_TEST(some.minimality >= 0);
    double least = 1e9;
    for (std::size_t e = 0; e < some.kept.size(); ++e)
      if (some.kept[e]) least = std::min(least, some.costs[e]);
    BOOST_TEST(some.minimality == least);
  }
  // By attribution, the distance is at most the threshold, and no kept edge has a smaller score
  // than one that was dropped.
  const PrunedCircuit found = prune(trial, PruneBy::attribution, 0.1, 8);
  BOOST_TEST(found.circuit <= 0.1 * trial.none());
  double kept = 1e9, dropped = 0;
  for (std::size_t e = 0; e < found.kept.size(); ++e)
    found.kept[e] ? kept = std::min(kept, found.scores[e])
                  : dropped = std::max(dropped, found.scores[e]);
  BOOST_TEST(kept >= dropped);
}

BOOST_AUTO_TEST_CASE(bitwise_identical_for_any_number_of_threads) {
  const auto model = model_of();
  const EdgeTrial trial = trial_of(*model);
  std::vector<std::size_t> all(trial.graph.edges.size());
  std::iota(all.begin(), all.end(), 0u);
  const auto run = [&] {
    std::vector<double> found = path_effects(trial, all);
    const std::vector<double> more = attribute_edges(trial, 3).integrated;
    found.insert(found.end(), more.begin(), more.end());
    const std::vector<double> scores = prune(trial, PruneBy::acdc, 0.01, 0).scores;
    found.insert(found.end(), scores.begin(), scores.end());
    return found;
  };
  const std::vector<double> alone = run();
  set_threads(3);
  const std::vector<double> together = run();
  set_threads(1);
  BOOST_TEST(alone == together, per_element());
}

BOOST_AUTO_TEST_CASE(other_models_are_refused) {
  const auto refused = [](const TaskModel& model, const std::string& text) {
    BOOST_CHECK_EXCEPTION(EdgeGraph{model}, UsageError, [&](const UsageError& error) {
      BOOST_TEST(std::string(error.what()).find(text) != std::string::npos, error.what());
      return true;
    });
  };
  ModelOptions o = small_options(vocabulary, 5, 1);
  o.source = 4;
  refused(*opinionated_model(o, "encoder-decoder"), "need --arch gpt or encoder");
  o.source = 0;
  o.residual = false;
  refused(*opinionated_model(o), "need a residual stream");
}

BOOST_AUTO_TEST_SUITE_END()
