#include "calls.hpp"
#include "../../core/op_table.hpp"
#include "../../train/config/options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>

namespace tapehead {
namespace {

using Arguments = const CallArguments&;

/// The axes that a reduction of the first tensor was given, or all of them.
Axes axes(Arguments c) {
  std::vector<Index> list = c.list("axes");
  for (int axis = 0; !c.has("axes") && axis < c[0].rank(); ++axis) list.push_back(axis);
  return {list.begin(), list.end()};
}
Reduction reduction(Arguments c) {
  constexpr Reduction all[] = {Reduction::mean, Reduction::sum, Reduction::none};
  return all[c.choice("reduction", {"mean", "sum", "none"})];
}
Shape shape(Arguments c) { return Shape(c.list("shape")); }

/// f of tensors (batch, time, columns), where a matrix is one example.
template <class F>
Tensor of_examples(const std::vector<Tensor>& tensors, F f) {
  std::vector<Tensor> examples;
  for (const Tensor& x : tensors)
    examples.push_back(x.rank() == 2 ? reshape(x, {1, x.dim(0), x.dim(1)}) : x);
  const Tensor y = f(examples);
  return tensors[0].rank() == 2 ? reshape(y, {y.dim(1), y.dim(2)}) : y;
}

AttentionOptions attention_options(Arguments c) {
  AttentionOptions options;
  options.causal = c.flag("causal");
  options.hide_self = c.flag("hide_self");
  options.window = c.index("window");
  return options;
}

using Run = std::function<Tensor(Arguments)>;

/// An op as its row says that it is called: `softmax(x, axis=-1)`.
Callable callable(const std::string& name, const Run& run) {
  const std::string call = find_op(name)->call;
  static const std::regex word(R"(([\w.?]+)(=?)([^,)]*))");
  Callable result{name, {}, {}, run};
  const auto first = call.begin() + static_cast<std::ptrdiff_t>(name.size());
  for (std::sregex_iterator at(first, call.end(), word), end; at != end; ++at) {
    const std::smatch& found = *at;
    if (found.length(2) == 0) {
      result.tensors.push_back(found[1]);
      continue;
    }
    result.options.push_back(found[1]);
    if (found.length(3) > 0) result.defaults[found[1]] = std::strtod(found.str(3).c_str(), nullptr);
  }
  return result;
}

/// What each op is given.
const std::vector<std::pair<const char*, Run>>& runs() {
  static const std::vector<std::pair<const char*, Run>> all = {
      {"add", [](Arguments c) { return add(c[0], c[1]); }},
      {"sub", [](Arguments c) { return sub(c[0], c[1]); }},
      {"mul", [](Arguments c) { return mul(c[0], c[1]); }},
      {"div", [](Arguments c) { return div(c[0], c[1]); }},
      {"pow", [](Arguments c) { return pow(c[0], c[1]); }},
      {"maximum", [](Arguments c) { return maximum(c[0], c[1]); }},
      {"minimum", [](Arguments c) { return minimum(c[0], c[1]); }},
      {"neg", [](Arguments c) { return neg(c[0]); }},
      {"exp", [](Arguments c) { return exp(c[0]); }},
      {"log", [](Arguments c) { return log(c[0]); }},
      {"log1p", [](Arguments c) { return log1p(c[0]); }},
      {"sqrt", [](Arguments c) { return sqrt(c[0]); }},
      {"abs", [](Arguments c) { return abs(c[0]); }},
      {"sin", [](Arguments c) { return sin(c[0]); }},
      {"cos", [](Arguments c) { return cos(c[0]); }},
      {"erf", [](Arguments c) { return erf(c[0]); }},
      {"clamp", [](Arguments c) { return clamp(c[0], c.number("low"), c.number("high")); }},
      {"where", [](Arguments c) { return where(c[0], c[1], c[2]); }},
      {"masked_fill", [](Arguments c) { return masked_fill(c[0], c[1], c.number("value")); }},
      {"cast",
       [](Arguments c) {
         constexpr DType types[] = {DType::f64, DType::f32, DType::i32};
         return cast(c[0], types[c.choice("type", {"f64", "f32", "i32"})]);
       }},
      {"equal", [](Arguments c) { return equal(c[0], c[1]); }},
      {"less", [](Arguments c) { return less(c[0], c[1]); }},
      {"less_equal", [](Arguments c) { return less_equal(c[0], c[1]); }},
      {"tanh", [](Arguments c) { return tanh(c[0]); }},
      {"sigmoid", [](Arguments c) { return sigmoid(c[0]); }},
      {"relu", [](Arguments c) { return relu(c[0]); }},
      {"silu", [](Arguments c) { return silu(c[0]); }},
      {"softplus", [](Arguments c) { return softplus(c[0]); }},
      {"gelu",
       [](Arguments c) {
         return gelu(c[0], c.choice("form", {"tanh", "erf"}) == 1 ? Gelu::erf : Gelu::tanh);
       }},
      {"sum", [](Arguments c) { return sum(c[0], axes(c), c.flag("keep")); }},
      {"mean", [](Arguments c) { return mean(c[0], axes(c), c.flag("keep")); }},
      {"amax", [](Arguments c) { return amax(c[0], axes(c), c.flag("keep")); }},
      {"var",
       [](Arguments c) {
         return var(c[0], axes(c), c.flag("keep"), static_cast<int>(c.index("correction")));
       }},
      {"sum_to", [](Arguments c) { return sum_to(c[0], shape(c)); }},
      {"cumsum",
       [](Arguments c) { return cumsum(c[0], static_cast<int>(c.index("axis")), c.flag("back")); }},
      {"argmax",
       [](Arguments c) { return argmax(c[0], static_cast<int>(c.index("axis")), c.flag("keep")); }},
      {"top_k",
       [](Arguments c) {
         const TopK top = top_k(c[0], c.index("k"));
         return c.choice("part", {"values", "ids"}) == 1 ? top.ids : top.values;
       }},
      {"reshape", [](Arguments c) { return reshape(c[0], c.list("shape")); }},
      {"permute",
       [](Arguments c) {
         const std::vector<Index> order = c.list("order");
         return permute(c[0], Axes(order.begin(), order.end()));
       }},
      {"transpose",
       [](Arguments c) {
         return transpose(c[0], static_cast<int>(c.index("a")), static_cast<int>(c.index("b")));
       }},
      {"broadcast_to", [](Arguments c) { return broadcast_to(c[0], shape(c)); }},
      {"slice",
       [](Arguments c) {
         const int axis = static_cast<int>(c.index("axis"));
         const Index end =
             c.has("end") ? c.index("end") : c[0].dim(axis_of("slice", c[0].shape(), axis));
         return slice(c[0], axis, c.index("begin"), end);
       }},
      {"pad",
       [](Arguments c) {
         return pad(c[0], static_cast<int>(c.index("axis")), c.index("before"), c.index("after"));
       }},
      {"concat", [](Arguments c) { return concat(c.tensors, static_cast<int>(c.index("axis"))); }},
      {"stack", [](Arguments c) { return stack(c.tensors, static_cast<int>(c.index("axis"))); }},
      {"split",
       [](Arguments c) {
         const std::vector<Tensor> parts =
             split(c[0], c.index("parts"), static_cast<int>(c.index("axis")));
         const Index part = c.index("part");
         if (part < 0 || part >= static_cast<Index>(parts.size()))
           throw UsageError("explain: split: part {} of {} doesn't exist", part, parts.size());
         return parts[part];
       }},
      {"gather_rows", [](Arguments c) { return gather_rows(c[0], c[1]); }},
      {"scatter_rows", [](Arguments c) { return scatter_rows(c[0], c[1], c.index("rows")); }},
      {"gather", [](Arguments c) { return gather(c[0], c[1], static_cast<int>(c.index("axis"))); }},
      {"arange", [](Arguments c) { return arange(c.index("n"), DType::f64); }},
      {"one_hot", [](Arguments c) { return one_hot(c[0], c.index("classes"), DType::f64); }},
      {"tril_mask",
       [](Arguments c) {
         return tril_mask(c.index("rows"), c.index("columns"), c.index("diagonal"));
       }},
      {"triu_mask",
       [](Arguments c) {
         return triu_mask(c.index("rows"), c.index("columns"), c.index("diagonal"));
       }},
      {"matmul", [](Arguments c) { return matmul(c[0], c[1]); }},
      {"linear", [](Arguments c) { return linear(c[0], c[1], c[2]); }},
      {"softmax", [](Arguments c) { return softmax(c[0], static_cast<int>(c.index("axis"))); }},
      {"log_softmax",
       [](Arguments c) { return log_softmax(c[0], static_cast<int>(c.index("axis"))); }},
      {"logsumexp",
       [](Arguments c) {
         return logsumexp(c[0], static_cast<int>(c.index("axis")), c.flag("keep"));
       }},
      {"layer_norm", [](Arguments c) { return layer_norm(c[0], c[1], c[2], c.number("epsilon")); }},
      {"rms_norm", [](Arguments c) { return rms_norm(c[0], c[1], c.number("epsilon")); }},
      {"dropout",
       [](Arguments c) {
         return dropout(c[0], c.number("p"),
                        {static_cast<std::uint64_t>(c.index("seed")), Draw::test, 1, 1});
       }},
      {"cross_entropy",
       [](Arguments c) {
         CrossEntropyOptions options;
         options.reduction = reduction(c);
         options.label_smoothing = c.number("label_smoothing");
         options.ignored = c.index("ignored");
         return cross_entropy(c[0], c[1], options);
       }},
      {"mse", [](Arguments c) { return mse(c[0], c[1], reduction(c)); }},
      {"attention",
       [](Arguments c) {
         AttentionOptions options = attention_options(c);
         options.mask = c[3], options.temperature = c[4], options.key_mask = c[5];
         options.bias = c[6], options.relative_keys = c[7], options.relative_values = c[8];
         options.scale = c[9], options.extra = c.index("extra");
         options.mask_before_scale = c.flag("mask_before_scale");
         // A matrix is one head of one example.
         const auto head = [](const Tensor& x) {
           return x.rank() == 2 ? reshape(x, {1, 1, x.dim(0), x.dim(1)}) : x;
         };
         const Tensor y = attention(head(c[0]), head(c[1]), head(c[2]), options);
         return c[0].rank() == 2 ? reshape(y, {y.dim(2), y.dim(3)}) : y;
       }},
      {"multi_head_attention",
       [](Arguments c) {
         const Index heads = c.index("heads");
         return of_examples(c.tensors, [&](const auto& x) {
           return multi_head_attention(x[0], x[1], x[2], heads,
                                       c.has("kv_heads") ? c.index("kv_heads") : heads,
                                       attention_options(c));
         });
       }},
      {"self_attention",
       [](Arguments c) {
         const Index heads = c.index("heads");
         return of_examples(c.tensors, [&](const auto& x) {
           return self_attention(x[0], heads, c.has("kv_heads") ? c.index("kv_heads") : heads,
                                 attention_options(c));
         });
       }},
      {"rotary",
       [](Arguments c) {
         const Index heads = c.index("heads");
         return of_examples(c.tensors, [&](const auto& x) {
           if (heads < 1) throw ValueError("rotary: heads must be at least 1, got {}", heads);
           return rotary(x[0], heads, c.has("width") ? c.index("width") : x[0].dim(-1) / heads,
                         c.index("first"), c.number("base"), c.flag("back"));
         });
       }},
  };
  return all;
}

std::vector<Callable>& table() {
  static std::vector<Callable> all = [] {
    std::vector<Callable> some;
    for (const auto& [name, run] : runs()) some.push_back(callable(name, run));
    return some;
  }();
  return all;
}

/// Returns an option's number as an index. Throws UsageError for a fraction, and above 1e9.
Index whole(const std::string& op, const char* option, double value) {
  constexpr double most = 1e9;
  if (std::abs(value) > most)
    throw UsageError("explain: {}: {} is {}, which is too large; at most {} is supported", op,
                     option, value, most);
  if (value != std::floor(value))
    throw UsageError("explain: {}: {} is {}, expected a whole number", op, option, value);
  return static_cast<Index>(value);
}

}  // namespace

double CallArguments::number(const char* option) const {
  const auto found = options.find(option);
  if (found == options.end()) return find_callable(op).defaults.at(option);
  if (found->second.numbers.size() != 1)
    throw UsageError("explain: {}: {} is one number", op, option);
  return found->second.numbers[0];
}

Index CallArguments::index(const char* option) const {
  const double value = number(option);
  return whole(op, option, value);
}

std::vector<Index> CallArguments::list(const char* option) const {
  const auto found = options.find(option);
  if (found == options.end()) return {};
  std::vector<Index> result;
  for (const double value : found->second.numbers) result.push_back(whole(op, option, value));
  return result;
}

std::size_t CallArguments::choice(const char* option, const std::vector<std::string>& words) const {
  const auto found = options.find(option);
  if (found == options.end()) return 0;
  const auto word = std::find(words.begin(), words.end(), found->second.word);
  if (word == words.end())
    throw UsageError("explain: {}: {} is {}", op, option, fmt::join(words, " or "));
  return word - words.begin();
}

std::size_t Callable::required() const {
  return std::count_if(tensors.begin(), tensors.end(),
                       [](const std::string& tensor) { return tensor.back() != '?'; });
}

Tensor Callable::converted(std::size_t i, const Tensor& x) const {
  if (variadic() || !takes_whole(i)) return x;
  const bool is_mask = tensors[i] == "mask";
  const std::vector<double> values = x.values();
  const auto other = std::find_if(values.begin(), values.end(), [&](double value) {
    return is_mask ? value != 0 && value != 1 : value != std::floor(value);
  });
  if (other != values.end())
    throw ValueError("{}: the {} {} at position {}, expected {}", name, tensors[i],
                     fmt::format(is_mask ? "has {}" : "have {}", *other), other - values.begin(),
                     is_mask ? "0 or 1" : "whole numbers");
  return cast(x, DType::i32);
}

std::string Callable::usage() const {
  std::vector<std::string> words = tensors;
  words.insert(words.end(), options.begin(), options.end());
  return fmt::format("{}({})", name, fmt::join(words, ", "));
}

const std::vector<Callable>& callables() { return table(); }

void add_callable(const Callable& callable) {
  const auto same = [&](const Callable& known) { return known.name == callable.name; };
  if (std::none_of(table().begin(), table().end(), same)) table().push_back(callable);
}

const Callable& find_callable(const std::string& name) {
  std::vector<std::string> names;
  for (const Callable& callable : table()) {
    if (name == callable.name) return callable;
    names.emplace_back(callable.name);
  }
  if (name == "max") return find_callable("maximum");
  if (name == "min") return find_callable("minimum");
  refuse_unknown("function", name, names);
}

}  // namespace tapehead
