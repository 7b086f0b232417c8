#include "graph.hpp"
#include "../../../core/ops.hpp"
#include "../../../nn/encoder.hpp"
#include "../../../nn/gpt.hpp"

#include <map>

namespace tapehead {
namespace {

using Kind = CircuitNode::Kind;
using Input = NodeReader::Part;

const char* const requirement = "inspect path, edges and circuit";

/// Calls f with the model's GPT or Encoder.
template <class F>
decltype(auto) with_model(const TaskModel& model, const F& f) {
  if (const auto* gpt = dynamic_cast<const GPT*>(model.module.get())) return f(*gpt);
  if (const auto* encoder = dynamic_cast<const Encoder*>(model.module.get())) return f(*encoder);
  throw UsageError("{} need --arch gpt or encoder, but the run has --arch {}", requirement,
                   model.arch);
}

void check_blocks(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    const auto* attention = dynamic_cast<const MultiHeadAttention*>(block.attention.get());
    if (!attention || !attention->out || attention->projection.norm)
      throw UsageError("{} need --attention standard, but the run uses another attention layer",
                       requirement);
    if (!block.residual)
      throw UsageError("{} need a residual stream, but the run was trained with --residual false",
                       requirement);
  }
}

}  // namespace

std::string CircuitNode::name() const {
  switch (kind) {
    case Kind::embedding:
      return "embedding";
    case Kind::head:
      return fmt::format("head {}.{}", layer, head);
    case Kind::mlp:
      return fmt::format("mlp {}", layer);
    case Kind::logits:
      break;
  }
  return "logits";
}

const MultiHeadAttention& attention_of(const Block& block) {
  return static_cast<const MultiHeadAttention&>(*block.attention);
}

EdgeGraph::EdgeGraph(const TaskModel& given)
    : model(given),
      blocks(with_model(
          given, [](const auto& m) -> const auto& { return m.blocks; })),
      embedding(with_model(
          given, [](const auto& m) -> const auto& { return m.embedding; })) {
  check_blocks(blocks);
  nodes = {{Kind::embedding}};
  Index level = 0;
  const auto add = [&](Kind kind, Index layer, Index head) {
    nodes.push_back({kind, layer, head, level});
    for (Input part : {Input::all, Input::query, Input::key, Input::value})
      if ((kind == Kind::head) != (part == Input::all)) readers.push_back({nodes.size() - 1, part});
  };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto layer = static_cast<Index>(i);
    ++level;
    for (Index head = 0; head < attention_of(blocks[i]).options.heads; ++head)
      add(Kind::head, layer, head);
    ++level;
    if (blocks[i].mlp) add(Kind::mlp, layer, 0);
  }
  ++level;
  add(Kind::logits, 0, 0);
  for (std::size_t reader = 0; reader < readers.size(); ++reader) {
    first_edge.push_back(edges.size());
    for (std::size_t from = 0; nodes[from].level < nodes[readers[reader].node].level; ++from)
      edges.push_back({from, reader});
  }
  first_edge.push_back(edges.size());
}

std::string EdgeGraph::reader_name(std::size_t reader) const {
  constexpr const char* parts[] = {"", " query", " key", " value"};
  return nodes[readers[reader].node].name() + parts[static_cast<int>(readers[reader].part)];
}

std::string EdgeGraph::edge_name(const Edge& edge) const {
  return nodes[edge.from].name() + " → " + reader_name(edge.reader);
}

Tensor EdgeGraph::read_out(const Tensor& stream, Pass& pass) const {
  if (const auto* gpt = dynamic_cast<const GPT*>(model.module.get()))
    return logits(gpt->head, gpt->embedding.tokens, apply_optional(gpt->norm, stream, pass), pass);
  const auto& encoder = static_cast<const Encoder&>(*model.module);
  const Tensor x = apply_optional(encoder.norm, stream, pass);
  return encoder.head(encoder.options.pooled ? mean(x, {1}) : x, pass);
}

namespace {

/// Runs the heads of one attention layer on separate inputs.
class HeadRunner {
 public:
  HeadRunner(const Block& block, Pass& pass)
      : block_(block), attention_(attention_of(block)), pass_(pass) {}

  /// Returns a head's output, (batch, time, width), for inputs taken from the residual stream.
  Tensor run(Index head, const Tensor& query, const Tensor& key, const Tensor& value) {
    const Tensor all = all_heads(query, key, value);
    const Index width = attention_.options.value_width;
    const Index first = head * width, end = first + width;
    return linear(slice(all, 2, first, end), slice(attention_.out->weight, 1, first, end), {},
                  pass_.precision);
  }

 private:
  /// Returns the concatenated outputs of all heads for these inputs; runs equal inputs once.
  const Tensor& all_heads(const Tensor& query, const Tensor& key, const Tensor& value) {
    Tensor& found = outputs_[{query.id(), key.id(), value.id()}];
    if (found) return found;
    Pass pass = pass_;
    pass.hook = [&](const HookPoint& point, const Tensor& x) {
      if (point.name == std::string("heads")) found = x;
      return x;
    };
    const Tensor &q = normed(query), &k = normed(key), &v = normed(value);
    AttentionMasks masks;
    const AttentionLayerOptions& o = attention_.options;
    // The layer hides a query's own position only if queries and keys are the same tensor.
    if ((o.hide_self || o.temperature == Temperature::lsa) && !is_same_tensor(q, k)) {
      const Index time = q.dim(1);
      masks.mask = tril_mask(time, time, -1) + triu_mask(time, time, 1);
    }
    attention_(q, k, v, pass, masks);
    return found;
  }

  /// Returns what the attention layer reads for a stream x: the norm, and a convolution if any.
  const Tensor& normed(const Tensor& x) {
    Tensor& found = normed_[x.id()];
    if (!found)
      found = apply_optional(block_.attention_convolution,
                             apply_optional(block_.attention_norm, x, pass_), pass_);
    return found;
  }

  const Block& block_;
  const MultiHeadAttention& attention_;
  Pass& pass_;
  std::map<std::array<std::uint64_t, 3>, Tensor> outputs_;
  std::map<std::uint64_t, Tensor> normed_;
};

}  // namespace

std::vector<Tensor> edge_forward(const EdgeGraph& graph, const Batch& batch,
                                 const ReaderInput& input) {
  Pass pass = Pass::evaluation();
  pass.named = &batch.named;
  std::vector<Tensor> outputs = {graph.embedding(batch.inputs, pass)};
  Tensor stream = outputs[0];
  std::size_t reader = 0;
  for (const Block& block : graph.blocks) {
    HeadRunner heads(block, pass);
    const MultiHeadAttention& attention = attention_of(block);
    const std::vector<Tensor> before = outputs;
    Tensor sum = stream;
    for (Index head = 0; head < attention.options.heads; ++head, reader += 3) {
      const Tensor query = input(reader, stream, before);
      const Tensor key = input(reader + 1, stream, before);
      outputs.push_back(heads.run(head, query, key, input(reader + 2, stream, before)));
      sum = sum + outputs.back();
    }
    const Parameter& bias = attention.out->bias;
    stream = bias.present ? sum + bias : sum;
    if (!block.mlp) continue;
    const Tensor read = input(reader++, stream, outputs);
    outputs.push_back((*block.mlp)(
        apply_optional(block.mlp_convolution, apply_optional(block.mlp_norm, read, pass), pass),
        pass));
    stream = stream + outputs.back();
  }
  outputs.push_back(graph.read_out(input(reader, stream, outputs), pass));
  return outputs;
}

}  // namespace tapehead
