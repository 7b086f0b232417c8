// Records the graph of two passes with different tokens and batch sizes. If the graphs differ, the
// model can't be exported: a layer's ops depend on the values of its input.
#include "onnx.hpp"
#include "../../cli/extensions.hpp"
#include "../../core/ops.hpp"
#include "../../core/trace.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/protobuf.hpp"
#include "../../train/step/not_finite.hpp"

#include <algorithm>
#include <unordered_map>

namespace tapehead {
namespace {

using Tensors = std::vector<Tensor>;
using Names = std::vector<std::string>;

// Field and type numbers, as defined in onnx.proto.
constexpr int is_bool = 9, is_i64 = 7;
int type_number(DType dtype) { return dtype == DType::f32 ? 1 : dtype == DType::f64 ? 11 : 6; }

/// Returns a TensorProto without its name.
std::string tensor_proto(int type, const Shape& shape, const void* elements, std::size_t size) {
  std::string sizes;
  for (const Index n : shape) sizes += int_field(1, n);
  return sizes + int_field(2, type) + bytes_field(9, {static_cast<const char*>(elements), size});
}
std::string tensor_proto(const Tensor& x) {
  return tensor_proto(type_number(x.dtype()), x.shape(), x.bytes().data(), x.bytes().size());
}

/// Returns a ValueInfoProto with a free batch size.
std::string value_proto(const std::string& name, const Tensor& x) {
  std::string shape = bytes_field(1, bytes_field(2, "batch"));
  for (int axis = 1; axis < x.rank(); ++axis) shape += bytes_field(1, int_field(1, x.dim(axis)));
  const std::string tensor = int_field(1, type_number(x.dtype())) + bytes_field(2, shape);
  return bytes_field(1, name) + bytes_field(2, bytes_field(1, tensor));
}

/// Returns an AttributeProto: an integer or a list of integers.
std::string attribute(const std::string& name, const std::vector<int>& values) {
  const bool list = name == "perm" || name == "axes";
  std::string all = bytes_field(1, name) + int_field(20, list ? 7 : 2);
  for (const int value : values) all += int_field(list ? 8 : 3, value);
  return all;
}

/// Returns x, reduced to size 1 along each of its first `axes` axes along which all values repeat.
Tensor without_leading_axes(Tensor x, int axes) {
  for (int axis = 0; axis < axes; ++axis) {
    if (x.dim(axis) == 0) continue;
    const Tensor first = slice(x, axis, 0, 1);
    if (bitwise_equal(broadcast_to(first, x.shape()), x)) x = first;
  }
  return x;
}

/// A node or constant of the graph, and the module whose pass added it.
struct Added {
  const char* module;
  std::string text;
};

class Recording : public TapeListener {
 public:
  Recording(const TaskModel& model, const Tensor& ids) {
    walk(*model.module, [&](const std::string& path, Parameter& p) {
      p.trainable = false;  // the tape then stores no activations for gradients
      parameters_[p.value().id()] = path;
    });
    graph_ = bytes_field(11, value_proto("tokens", ids));
    become(ids, "tokens");
  }

  void computed(const OpCall& call, const Tensor& y, const Tensors& inputs) override {
    const Pause pause;  // ops called here don't belong to the model
    op_ = call.name;
    // The result of an op on only constants and parameters is a constant, so it needs no node.
    bool any = any_of(inputs, [&](const Tensor& x) { return known(x); });
    for (const Attribute& attribute : call) {
      const auto* x = std::get_if<Tensor>(&attribute.value);
      any = any || (x && known(*x));
    }
    if (any && y.size() > 0) become(y, translated(call, y, inputs));
  }

  /// Returns a GraphProto with the output y, without a name and parameters. Called after the pass.
  std::string finish(const Tensor& y) {
    node("Identity", {name(y)}, {}, "logits");
    for (const auto& [tensor, name] : constants_)
      graph_ += bytes_field(5, tensor + bytes_field(8, name));
    return graph_ + bytes_field(12, value_proto("logits", y));
  }

  const std::vector<Added>& added() const { return added_; }

 private:
  bool known(const Tensor& x) const { return results_.count(x.id()) > 0; }
  void become(const Tensor& y, const std::string& name) { results_[y.id()] = name; }

  std::string node(const char* type, const Names& inputs, const Names& attributes = {},
                   std::string output = "") {
    if (output.empty()) output = fmt::format("{}_{}", op_, operators_++);
    std::string all = bytes_field(2, output) + bytes_field(4, type);
    all += bytes_field(3, fmt::format("{}/{}", ModuleScope::current(), output));
    for (const std::string& input : inputs) all += bytes_field(1, input);
    for (const std::string& one : attributes) all += bytes_field(5, one);
    graph_ += bytes_field(1, all);
    added_.push_back({ModuleScope::current(), all});
    return output;
  }

  /// Returns the name in the graph of a result, parameter or constant. Adds a new constant; equal
  /// constants are stored once.
  std::string name(const Tensor& x) {
    if (known(x)) return results_.at(x.id());
    const auto parameter = parameters_.find(x.id());
    return parameter != parameters_.end() ? parameter->second : constant(tensor_proto(x));
  }
  /// Returns the name of an operand that is broadcast to y. Reduces a constant to size 1 along axes
  /// along which its values repeat.
  std::string name_among(const Tensor& x, const Tensor& y) {
    const bool is_parameter = parameters_.count(x.id()) > 0;
    return known(x) || is_parameter || x.rank() < y.rank() ? name(x)
                                                           : name(without_leading_axes(x, 1));
  }
  std::string constant(const std::string& tensor) {
    added_.push_back({ModuleScope::current(), tensor});
    return constants_.emplace(tensor, fmt::format("constant_{}", constants_.size())).first->second;
  }
  std::string list(const std::vector<Index>& values) {
    const auto n = static_cast<Index>(values.size());
    return constant(tensor_proto(is_i64, Shape{n}, values.data(), n * sizeof(Index)));
  }

  std::string translated(const OpCall& call, const Tensor& y, const Tensors& inputs) {
    static const std::map<std::string, const char*> direct = {
        {"add", "Add"},     {"sub", "Sub"},     {"mul", "Mul"},       {"div", "Div"},
        {"pow", "Pow"},     {"neg", "Neg"},     {"exp", "Exp"},       {"log", "Log"},
        {"sqrt", "Sqrt"},   {"abs", "Abs"},     {"sin", "Sin"},       {"cos", "Cos"},
        {"erf", "Erf"},     {"tanh", "Tanh"},   {"relu", "Relu"},     {"sigmoid", "Sigmoid"},
        {"maximum", "Max"}, {"minimum", "Min"}, {"matmul", "MatMul"}, {"softplus", "Softplus"}};
    static const std::map<std::string, const char*> comparisons = {
        {"less", "Less"}, {"equal", "Equal"}, {"less_equal", "LessOrEqual"}};
    const Tensor& x = inputs[0];
    const auto all_among_y = [&] {
      Names names;
      for (const Tensor& input : inputs) names.push_back(name_among(input, y));
      return names;
    };
    if (const auto type = direct.find(op_); type != direct.end())
      return node(type->second, all_among_y());
    if (const auto type = comparisons.find(op_); type != comparisons.end())
      return node("Cast", {node(type->second, all_among_y())},
                  {attribute("to", {type_number(DType::i32)})});
    if (op_ == "linear") {
      const std::string weight = node("Transpose", {name(inputs[1])}, {attribute("perm", {1, 0})});
      const std::string product = node("MatMul", {name(x), weight});
      return inputs.size() < 3 ? product : node("Add", {product, name(inputs[2])});
    }
    if (op_ == "cast") return node("Cast", {name(x)}, {attribute("to", {type_number(y.dtype())})});
    if (op_ == "reshape") {  // axis 0 has the batch size, or a multiple of it
      std::vector<Index> sizes(y.shape().begin(), y.shape().end());
      sizes.at(0) = -1;
      return node("Reshape", {name(x), list(sizes)});
    }
    if (op_ == "gather_rows") return node("Gather", {name(x), name(call.get<Tensor>("ids"))});
    if (op_ == "where") return chosen(call.get<Tensor>("mask"), y, inputs);
    if (op_ == "permute") {
      const auto& order = call.get<Attribute::List>("order");
      return node("Transpose", {name(x)}, {attribute("perm", {order.begin(), order.end()})});
    }
    if (op_ == "slice")
      return node("Slice", {name(x), list({call.get<Index>("begin")}),
                            list({call.get<Index>("end")}), list({call.get<Index>("axis")})});
    if (op_ == "pad") return padded(call, x);
    if (op_ == "concat") return joined(static_cast<int>(call.get<Index>("axis")), inputs);
    if (op_ == "rotary") return turned(call, x);
    if (op_ == "clamp") {
      const Tensor low = scalar(call.get<double>("low"), x.dtype());
      const Tensor high = scalar(call.get<double>("high"), x.dtype());
      return node("Clip", {name(x), name(low), name(high)});
    }
    if (op_ == "sum")
      return node("ReduceSum", {name(x), list(call.get<Attribute::List>("axes"))},
                  {attribute("keepdims", {call.get<bool>("keep")})});
    if (op_ == "softmax") {  // a row of -inf gives zeros here, but NaN in ONNX
      const std::string most = node("ReduceMax", {name(x)}, {attribute("axes", {-1})});
      const std::string none = node("Equal", {most, name(scalar(-infinity, x.dtype()))});
      const std::string all = node("Softmax", {name(x)}, {attribute("axis", {-1})});
      return node("Where", {none, name(scalar(0, x.dtype())), all});
    }
    throw ValueError(
        "onnx: op {} can't be exported; use other ops in this layer, or export safetensors", op_);
  }

  std::string chosen(const Tensor& given, const Tensor& y, const Tensors& inputs) {
    const Tensor mask =
        known(given) ? given : without_leading_axes(broadcast_to(given, y.shape()), y.rank());
    const std::string truth = node("Cast", {name(mask)}, {attribute("to", {is_bool})});
    return node("Where", {truth, name_among(inputs[0], y), name_among(inputs[1], y)});
  }

  std::string padded(const OpCall& call, const Tensor& x) {
    std::vector<Index> pads(2 * x.rank());  // the padding before each axis, then after each
    const Index axis = call.get<Index>("axis");
    pads[axis] = call.get<Index>("before");
    pads[x.rank() + axis] = call.get<Index>("after");
    return node("Pad", {name(x), list(pads)});
  }

  /// Concatenates along an axis. Operands that aren't results are repeated for each sequence of the
  /// batch.
  std::string joined(int axis, const Tensors& parts) {
    Names names;
    for (const Tensor& part : parts) {
      if (part.size() == 0) continue;
      const bool repeated = !known(part) && axis > 0;
      names.push_back(name(repeated ? slice(part, 0, 0, 1) : part));
      if (!repeated) continue;
      const std::string batch = node("Shape", {"tokens"}, {attribute("end", {1})});
      const std::string others = list(std::vector<Index>(part.rank() - 1, 1));
      const std::string shape = node("Concat", {batch, others}, {attribute("axis", {0})});
      names.back() = node("Expand", {names.back(), shape});
    }
    return node("Concat", names, {attribute("axis", {axis})});
  }

  /// Translates rotary positions as x * A + partner(x) * B, where partner(x) swaps the elements of
  /// each pair. The tables A and B are rotated pairs (1, 0) and (0, 1).
  std::string turned(const OpCall& call, const Tensor& x) {
    const Index heads = call.get<Index>("heads"), width = call.get<Index>("width");
    const auto turn = [&](const Tensor& of) {
      return rotary(of, heads, width, call.get<Index>("first"), call.get<double>("base"),
                    call.get<bool>("back"));
    };
    std::vector<double> later, partners;
    for (Index i = 0; i < x.dim(2); ++i) {
      const bool turns = i < heads * width, second = turns && i % width >= width / 2;
      later.push_back(second);
      partners.push_back(static_cast<double>(i + (!turns ? 0 : second ? -width / 2 : width / 2)));
    }
    const Tensor seconds = broadcast_to(tensor(later, x.dtype()), x.shape().with(0, 1));
    const Tensor firsts = 1 - seconds, a = turn(firsts), b = turn(seconds);
    const std::string other =
        node("Gather", {name(x), name(tensor(partners, DType::i32))}, {attribute("axis", {2})});
    return node("Add", {node("Mul", {name(x), name(firsts * a + seconds * b)}),
                        node("Mul", {other, name(firsts * b + seconds * a)})});
  }

  std::string op_;  // name of the op being translated
  std::string graph_;
  Index operators_ = 0;
  std::unordered_map<std::uint64_t, std::string> results_, parameters_;  // names by tensor id
  std::map<std::string, std::string> constants_;                         // names by contents
  std::vector<Added> added_;
};

/// Returns an i32 (batch, time) input of random ids from the whole range that the model reads.
Tensor example(const TaskModel& model, Index batch) {
  const auto [first, end] = model.input_id_range();
  Random random(RandomKey{static_cast<std::uint64_t>(batch)});
  std::vector<double> ids;
  for (Index i = 0; i < batch * onnx_time(model); ++i)
    ids.push_back(static_cast<double>(first + random.below(end - first)));
  return tensor(ids, {batch, onnx_time(model)}, DType::i32);
}

/// Throws ValueError for a diverged model, since NaNs would look like constants that repeat.
void check_finite(const TaskModel& model) {
  Pass pass = Pass::evaluation();
  if (!is_finite((*model.module)(example(model, 2), pass)))
    throw ValueError(
        "onnx: the model's output isn't finite, so its graph can't be recorded; export a "
        "checkpoint from before it diverged");
}

struct RecordedGraph {
  std::string graph;
  std::vector<Added> added;
};

RecordedGraph record_graph(const TaskModel& model, Index batch) {
  const Tensor ids = example(model, batch);
  Recording recording(model, ids);
  const Tape tape;
  const PrimitiveOpsScope primitive;
  const ListenerScope listening(&recording);
  Pass pass = Pass::evaluation();
  const Tensor logits = (*model.module)(ids, pass);
  if (pass.reads_batch)
    throw ValueError(
        "onnx: {}: a layer reads batch data with Pass::from_batch, but the exported graph has only "
        "tokens as input",
        model.arch);
  std::string graph = recording.finish(logits);
  return {std::move(graph), recording.added()};
}

/// Returns the path of the module at the first difference between the graphs of two passes.
std::string first_differing_module(const std::vector<Added>& a, const std::vector<Added>& b) {
  const auto same = [](const Added& x, const Added& y) { return x.text == y.text; };
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end(), same);
  return at.first != a.end() ? at.first->module : at.second != b.end() ? at.second->module : "";
}

}  // namespace

Index onnx_time(const TaskModel& model) { return model.options.source + model.options.context; }

std::string to_onnx(const TaskModel& model) {
  check_finite(model);
  RecordedGraph first = record_graph(model, 2);
  std::string& graph = first.graph;
  if (const RecordedGraph other = record_graph(model, 3); other.graph != graph) {
    const std::string module = first_differing_module(first.added, other.added);
    throw ValueError(
        "onnx: {}: {} depends on the values of its input or on the batch size outside of ops, so "
        "its graph isn't constant; compute it with ops",
        model.arch, module.empty() ? "the model" : module);
  }
  walk(*model.module, [&](const std::string& path, Parameter& p) {
    if (graph.find(bytes_field(1, path)) != std::string::npos)  // a node reads the parameter
      graph += bytes_field(5, tensor_proto(p.value()) + bytes_field(8, path));
  });
  graph += bytes_field(2, model.arch);
  const std::string opset = bytes_field(8, bytes_field(1, "") + int_field(2, 17));
  const std::string file =
      int_field(1, 8) + bytes_field(2, "tapehead") + opset + bytes_field(7, graph);
  if (file.size() >> 31 != 0)
    throw ValueError("onnx: the file would have {} bytes; ONNX files must be smaller than 2^31",
                     file.size());
  return file;
}

/// Registers `export --format onnx`.
void add_onnx(Registry& registry) {
  registry.extend(
      ExportFormat{"onnx", "ONNX model", [](const LoadedRun& run, const std::string& path) {
                     write_file(path, to_onnx(*run.model));
                     return fmt::format("from tokens (batch, {}) to logits", onnx_time(*run.model));
                   }});
}

}  // namespace tapehead
