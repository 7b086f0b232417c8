#pragma once
// A model as a graph: components that write to the residual stream, and edges to the components
// that read it.
#include "../../../nn/attention/attention.hpp"
#include "../../../nn/transformer.hpp"
#include "../../../train/model/architecture.hpp"

namespace tapehead {

/// A component that reads or writes the residual stream. The stream is the sum of the outputs of
/// the embedding (tokens and positions), the heads (after their columns of the output projection)
/// and the MLPs (with their biases), and of the attention layers' output biases, which are
/// constants.
struct CircuitNode {
  enum class Kind { embedding, head, mlp, logits };
  Kind kind;
  Index layer = 0, head = 0;
  Index level = 0;  ///< order in the forward pass; a node reads nodes of lower levels

  std::string name() const;  ///< embedding, head 0.1, mlp 0, logits
};

/// An input of a node. A head reads the stream three times: for its query, key and value.
struct NodeReader {
  enum class Part { all, query, key, value };
  std::size_t node;
  Part part;
};

/// A direct path: the output of one node in the input of a later node.
struct Edge {
  std::size_t from;    ///< the node that writes
  std::size_t reader;  ///< the number of the input that reads
};

/// The nodes and edges of a gpt or encoder with standard attention.
class EdgeGraph {
 public:
  /// Keeps a reference to the model. Throws UsageError with the requirement that the model doesn't
  /// meet.
  explicit EdgeGraph(const TaskModel& model);

  std::string reader_name(std::size_t reader) const;  ///< head 0.1 query, mlp 0, logits
  std::string edge_name(const Edge& edge) const;      ///< embedding → head 0.1 query
  std::size_t node_of(const Edge& edge) const { return readers[edge.reader].node; }

  std::vector<CircuitNode> nodes;       ///< in the order of the forward pass
  std::vector<NodeReader> readers;      ///< by node; a head's are query, key and value
  std::vector<Edge> edges;              ///< by reader, then by the node that writes
  std::vector<std::size_t> first_edge;  ///< [reader] number of its first edge; then all edges

  const TaskModel& model;
  const std::vector<Block>& blocks;
  const TokenEmbedding& embedding;
  /// Returns the logits for the residual stream after the last block, (batch, time, width).
  Tensor read_out(const Tensor& stream, Pass& pass) const;
};

/// Returns the attention layer of a block of an EdgeGraph.
const MultiHeadAttention& attention_of(const Block& block);

/// A function that returns what a reader reads, given the residual stream there (batch, time,
/// width) and the outputs of all earlier nodes.
using ReaderInput = std::function<Tensor(std::size_t reader, const Tensor& stream,
                                         const std::vector<Tensor>& outputs)>;

/// Runs the model on a batch without padding; `input` replaces what each reader reads. Returns each
/// node's output, (batch, time, width), and last the logits. If `input` always returns `stream`,
/// the logits equal the model's up to rounding.
std::vector<Tensor> edge_forward(const EdgeGraph& graph, const Batch& batch,
                                 const ReaderInput& input);

}  // namespace tapehead
