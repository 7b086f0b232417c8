// A listener hears of an op's result and inputs, and not of its options: which axes, from where to
// where. They are those with which the op gives this result from these inputs. Two passes, of
// different tokens and batches, must give the same graph; so what depends on either, and isn't
// told, is found out.
#include "onnx.hpp"
#include "../../core/ops.hpp"
#include "../../core/trace.hpp"
#include "../../train/runs/protobuf.hpp"
#include "../../train/watch/not_finite.hpp"

#include <algorithm>
#include <unordered_map>

namespace tapehead {
namespace {

using Tensors = std::vector<Tensor>;
using Names = std::vector<std::string>;

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() && a.bytes() == b.bytes();
}

// Numbers of fields and of types are those of onnx.proto.
constexpr int is_bool = 9, is_i64 = 7;
int number_of(DType dtype) { return dtype == DType::f32 ? 1 : dtype == DType::f64 ? 11 : 6; }

/// A TensorProto, but for its name.
std::string tensor_proto(int type, const Shape& shape, const void* elements, std::size_t size) {
  std::string sizes;
  for (const Index n : shape) sizes += int_field(1, n);
  return sizes + int_field(2, type) + bytes_field(9, {static_cast<const char*>(elements), size});
}
std::string tensor_proto(const Tensor& x) {
  return tensor_proto(number_of(x.dtype()), x.shape(), x.bytes().data(), x.bytes().size());
}

/// A ValueInfoProto, with a batch of any size.
std::string value_proto(const std::string& name, const Tensor& x) {
  std::string shape = bytes_field(1, bytes_field(2, "batch"));
  for (int axis = 1; axis < x.rank(); ++axis) shape += bytes_field(1, int_field(1, x.dim(axis)));
  const std::string tensor = int_field(1, number_of(x.dtype())) + bytes_field(2, shape);
  return bytes_field(1, name) + bytes_field(2, bytes_field(1, tensor));
}

/// An AttributeProto: a whole number, or a list of them.
std::string attribute(const std::string& name, const std::vector<int>& values) {
  const bool list = name == "perm" || name == "axes";
  std::string all = bytes_field(1, name) + int_field(20, list ? 7 : 2);
  for (const int value : values) all += int_field(list ? 8 : 3, value);
  return all;
}

/// x with size 1 along the axes on which it repeats itself.
Tensor shrunk(Tensor x) {
  for (int axis = 0; axis < x.rank(); ++axis) {
    const Tensor first = slice(x, axis, 0, 1);
    if (same_bits(broadcast_to(first, x.shape()), x)) x = first;
  }
  return x;
}

/// The first axis along which the sizes differ; the last one if none do.
int axis_apart(const Shape& a, const Shape& b) {
  int axis = 0;
  while (axis + 1 < a.rank() && a[axis] == b[axis]) ++axis;
  return axis;
}

class Recording : public TapeListener {
 public:
  Recording(const TaskModel& model, const Tensor& ids) : options_(model.options) {
    walk(*model.module, [&](const std::string& path, Parameter& p) {
      p.trainable = false;  // so that a tape keeps nothing for its gradient
      parameters_[p.value().id()] = path;
    });
    graph_ = bytes_field(11, value_proto("tokens", ids));
    become(ids, "tokens");
  }

  void computed(const char* op, const Tensor& y, const Tensors& inputs) override {
    const Pause pause;  // what is tried here is no part of the model
    op_ = op;
    if (op_ == "gather_rows") return looked_up(y, inputs[0]);
    // What is made of constants and parameters alone is a constant itself.
    const bool any = std::any_of(inputs.begin(), inputs.end(), [&](auto& x) { return known(x); });
    if (any) become(y, translated(y, inputs));
  }

  /// A GraphProto, once the pass has given y; without a name and parameters.
  std::string finish(const Tensor& y) {
    node("Identity", {name(y)}, {}, "logits");
    for (const auto& [tensor, name] : constants_)
      graph_ += bytes_field(5, tensor + bytes_field(8, name));
    return graph_ + bytes_field(12, value_proto("logits", y));
  }

 private:
  [[noreturn]] void refuse(const char* why) const { throw ValueError("onnx: {}: {}", op_, why); }
  bool known(const Tensor& x) const { return results_.count(x.id()) > 0; }

  void become(const Tensor& y, const std::string& name) {
    results_[y.id()] = name;
    if (y.dtype() == DType::i32) ids_.push_back(y);
  }

  std::string node(const char* type, const Names& inputs, const Names& attributes = {},
                   std::string output = "") {
    if (output.empty()) output = fmt::format("{}_{}", op_, operators_++);
    std::string all = bytes_field(2, output) + bytes_field(4, type);
    all += bytes_field(3, fmt::format("{}/{}", Scope::current(), output));
    for (const std::string& input : inputs) all += bytes_field(1, input);
    for (const std::string& one : attributes) all += bytes_field(5, one);
    graph_ += bytes_field(1, all);
    return output;
  }

  /// Of a result, a parameter, or a constant, which is there once however often it is used.
  std::string name(const Tensor& x) {
    if (known(x)) return results_.at(x.id());
    const auto parameter = parameters_.find(x.id());
    return parameter != parameters_.end() ? parameter->second : constant(tensor_proto(x));
  }
  std::string constant(const std::string& tensor) {
    return constants_.emplace(tensor, fmt::format("constant_{}", constants_.size())).first->second;
  }
  std::string list(const std::vector<Index>& values) {
    const auto n = static_cast<Index>(values.size());
    return constant(tensor_proto(is_i64, Shape{n}, values.data(), n * sizeof(Index)));
  }

  /// The one choice of axes of x with which f gives y; axes of size 1 make no difference.
  template <class F>
  Axes found(const Tensor& x, const Tensor& y, const std::vector<Axes>& choices, F f) const {
    std::map<Axes, Axes> right;
    for (const Axes& choice : choices) {
      if (!same_bits(f(choice), y)) continue;
      Axes large;
      for (const int axis : choice)
        if (x.dim(axis) > 1) large.push_back(axis);
      right.emplace(large, choice);
    }
    if (right.size() != 1) refuse("its axes can't be told from its result");
    return right.begin()->second;
  }

  void looked_up(const Tensor& y, const Tensor& table) {  // by ids, of which it doesn't tell
    for (const Tensor& ids : Tensors(ids_))
      if (ids.shape() == y.shape().slice(0, y.rank() - table.rank() + 1) &&
          same_bits(gather_rows(table, ids), y))
        return become(y, node("Gather", {name(table), name(ids)}));
  }

  std::string translated(const Tensor& y, const Tensors& inputs) {
    static const std::map<std::string, const char*> direct = {
        {"add", "Add"},     {"sub", "Sub"},     {"mul", "Mul"},      {"div", "Div"},
        {"pow", "Pow"},     {"neg", "Neg"},     {"exp", "Exp"},      {"log", "Log"},
        {"sqrt", "Sqrt"},   {"abs", "Abs"},     {"sin", "Sin"},      {"cos", "Cos"},
        {"erf", "Erf"},     {"tanh", "Tanh"},   {"relu", "Relu"},    {"sigmoid", "Sigmoid"},
        {"maximum", "Max"}, {"minimum", "Min"}, {"matmul", "MatMul"}};
    const Tensor& x = inputs[0];
    if (const auto type = direct.find(op_); type != direct.end()) {
      Names names;
      for (const Tensor& input : inputs) names.push_back(name(input));
      return node(type->second, names);
    }
    if (op_ == "linear") {
      const std::string weight = node("Transpose", {name(inputs[1])}, {attribute("perm", {1, 0})});
      const std::string product = node("MatMul", {name(x), weight});
      return inputs.size() < 3 ? product : node("Add", {product, name(inputs[2])});
    }
    if (op_ == "cast") return node("Cast", {name(x)}, {attribute("to", {number_of(y.dtype())})});
    if (op_ == "reshape") {  // axis 0 is the batch, or has it as a factor
      std::vector<Index> sizes(y.shape().begin(), y.shape().end());
      sizes.at(0) = -1;
      return node("Reshape", {name(x), list(sizes)});
    }
    if (op_ == "where") return chosen(y, inputs);
    if (op_ == "permute") return permuted(y, x);
    if (op_ == "slice" || op_ == "pad") return bounded(y, x);
    if (op_ == "concat") return joined(y, inputs);
    if (op_ == "rotary") return turned(y, x);
    if (op_ == "sum") {
      std::vector<Axes> choices;
      for (int axis = 0; axis < x.rank(); ++axis) choices.push_back({axis});
      const bool keep = x.rank() == y.rank();
      const Axes axes = found(x, y, choices, [&](const Axes& a) { return sum(x, a, keep); });
      return node("ReduceSum", {name(x), list({axes[0]})}, {attribute("keepdims", {keep})});
    }
    if (op_ == "softmax") {  // of a row of minus infinities it is zeros, and ONNX's is NaN
      const std::string most = node("ReduceMax", {name(x)}, {attribute("axes", {-1})});
      const std::string none = node("Equal", {most, name(scalar(-infinity, x.dtype()))});
      const std::string all = node("Softmax", {name(x)}, {attribute("axis", {-1})});
      return node("Where", {none, name(scalar(0, x.dtype())), all});
    }
    refuse("has no translation");
  }

  /// By a mask, of which it doesn't tell.
  std::string chosen(const Tensor& y, const Tensors& inputs) {
    const Tensor b = broadcast_to(inputs[1], y.shape());
    std::vector<double> taken;
    const std::size_t width = bytes_of(y.dtype());
    for (std::size_t i = 0; i < y.size() * width; i += width)
      taken.push_back(y.bytes().substr(i, width) != b.bytes().substr(i, width));
    const Tensor mask = shrunk(tensor(taken, y.shape(), DType::i32));
    const std::string truth = node("Cast", {name(mask)}, {attribute("to", {is_bool})});
    return node("Where", {truth, name(inputs[0]), name(inputs[1])});
  }

  std::string permuted(const Tensor& y, const Tensor& x) {
    Axes order;
    for (int axis = 0; axis < x.rank(); ++axis) order.push_back(axis);
    std::vector<Axes> orders;
    do orders.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
    order = found(x, y, orders, [&](const Axes& axes) { return permute(x, axes); });
    return node("Transpose", {name(x)}, {attribute("perm", order)});
  }

  /// Where a part begins in the whole, by the line in the middle of the axes before.
  Index begin_of(Tensor part, Tensor whole, int axis) const {
    for (int i = 0; i < axis; ++i)
      for (Tensor* const x : {&part, &whole}) *x = slice(*x, i, x->dim(i) / 2, x->dim(i) / 2 + 1);
    std::vector<Index> begins;
    for (Index begin = 0, end = part.dim(axis); end <= whole.dim(axis); ++begin, ++end)
      if (same_bits(slice(whole, axis, begin, end), part)) begins.push_back(begin);
    if (begins.size() != 1) refuse("where it begins can't be told from its result");
    return begins[0];
  }

  std::string bounded(const Tensor& y, const Tensor& x) {
    if (same_bits(x, y)) return name(x);
    const int axis = axis_apart(x.shape(), y.shape());
    if (op_ == "slice") {
      const Index begin = begin_of(y, x, axis);
      return node("Slice", {name(x), list({begin}), list({begin + y.dim(axis)}), list({axis})});
    }
    std::vector<Index> pads(2 * x.rank());  // before each axis, then after
    pads[axis] = begin_of(x, y, axis);
    pads[x.rank() + axis] = y.dim(axis) - x.dim(axis) - pads[axis];
    return node("Pad", {name(x), list(pads)});
  }

  /// A part that isn't a result is the same for each sequence.
  std::string joined(const Tensor& y, const Tensors& parts) {
    const int axis = axis_apart(parts[0].shape(), y.shape());
    Names names;
    for (const Tensor& part : parts) {
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

  /// Rotary positions: x A + its partners B, by tables that are what the op makes of the first and
  /// of the second elements of the pairs.
  std::string turned(const Tensor& y, const Tensor& x) {
    const Index width = head_width_of(options_), columns = x.dim(2);
    for (Index turning = 1; turning * width <= columns; ++turning) {
      const auto turn = [&](const Tensor& of) {
        return rotary(of, turning, width, 0, options_.positions.rotary_base);
      };
      if (!same_bits(turn(x), y)) continue;
      std::vector<double> later, partners;
      for (Index i = 0; i < columns; ++i) {
        const bool turns = i < turning * width, second = turns && i % width >= width / 2;
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
    refuse("its heads can't be told from its result");
  }

  const ModelOptions& options_;
  std::string op_;
  std::string graph_;
  Index operators_ = 0;
  std::unordered_map<std::uint64_t, std::string> results_, parameters_;  // names by tensors' ids
  std::map<std::string, std::string> constants_;                         // names by what is named
  Tensors ids_;  // results that may look up rows
};

/// Ids of each kind that the model reads, in no order: i32 (batch, time).
Tensor example(const TaskModel& model, Index batch) {
  const auto [first, end] = model.ids_read();
  Random random(RandomKey{static_cast<std::uint64_t>(batch)});
  std::vector<double> ids;
  for (Index i = 0; i < batch * onnx_time(model); ++i)
    ids.push_back(static_cast<double>(first + random.below(end - first)));
  return tensor(ids, {batch, onnx_time(model)}, DType::i32);
}

/// NaN looks the same wherever an op moves it, so that its recording can't be understood.
void check_finite(const TaskModel& model) {
  Pass pass = Pass::evaluation();
  if (!is_finite((*model.module)(example(model, 2), pass)))
    throw ValueError(
        "onnx: the output of the model isn't finite, so its graph can't be recorded; export a "
        "checkpoint of a step before it diverged");
}

std::string recorded(const TaskModel& model, Index batch) {
  const Tensor ids = example(model, batch);
  Recording recording(model, ids);
  const Tape tape;
  const Primitive primitive;
  const Listening listening(&recording);
  Pass pass = Pass::evaluation();
  const Tensor logits = (*model.module)(ids, pass);
  if (pass.reads_batch)
    throw ValueError(
        "onnx: {}: a layer reads what belongs to the batch, by Pass::from_batch, and the file's "
        "graph has tokens alone",
        model.arch);
  return recording.finish(logits);
}

}  // namespace

Index onnx_time(const TaskModel& model) { return model.options.source + model.options.context; }

std::string to_onnx(const TaskModel& model) {
  check_finite(model);
  std::string graph = recorded(model, 2);
  if (recorded(model, 3) != graph)
    throw ValueError("onnx: {}: what it computes depends on its tokens in ways that no op tells",
                     model.arch);
  walk(*model.module, [&](const std::string& path, Parameter& p) {
    if (graph.find(bytes_field(1, path)) != std::string::npos)  // it is the input of a node
      graph += bytes_field(5, tensor_proto(p.value()) + bytes_field(8, path));
  });
  graph += bytes_field(2, model.arch);
  const std::string opset = bytes_field(8, bytes_field(1, "") + int_field(2, 17));
  const std::string file =
      int_field(1, 8) + bytes_field(2, "tapehead") + opset + bytes_field(7, graph);
  if (file.size() >> 31 != 0)
    throw ValueError("onnx: the model has {} bytes, and a file less than 2^31", file.size());
  return file;
}

}  // namespace tapehead
