#include "../../core/checks/op_gradients.hpp"
#include "../../core/ops.hpp"
#include "../../core/trace.hpp"
#include "../shared/support.hpp"

#include <algorithm>
#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(op_gradients)

namespace {

using Operands = std::vector<Tensor>;
using Value = std::function<Tensor(const Operands&)>;
using OwnBackward = std::function<Grads(const Operands&, const Tensor& y, const Tensor& dy)>;

/// Records an op with any backward function, right or wrong. The ops that compute it aren't
/// recorded.
Tensor own(const Operands& in, const Value& value, const OwnBackward& backward) {
  Tensor y;
  {
    const Pause pause;
    y = value(in);
  }
  return record("faulty", y, in, [=](const Tensor& dy) { return backward(in, y, dy); });
}

/// A fault: an op of the library with a wrong backward function.
struct Fault {
  const char* kind;
  std::vector<Shape> shapes;
  Value value;
  OwnBackward rule;
};

const Tensor ids = cast(tensor({2, 0, 2}), DType::i32);
const Tensor causal = tril_mask(3, 3);
Tensor t(const Tensor& x) { return transpose(x); }
Tensor weights(const Operands& in) {
  return softmax(masked_fill(matmul(in[0], t(in[1])), causal, -infinity));
}
Tensor drop(const Tensor& x, std::uint64_t seed) {
  return dropout(x, 0.5, {seed, Draw::test, 1, 1});
}

const std::vector<Fault> faults = {
    {"a missing factor",
     {{2, 3}, {2, 3}},
     [](auto& x) { return x[0] * x[1]; },
     [](auto& x, auto&, auto& dy) {
       return Grads{dy * x[1], dy};
     }},
    {"a wrong sign",
     {{2, 3}, {2, 3}},
     [](auto& x) { return x[0] - x[1]; },
     [](auto&, auto&, auto& dy) {
       return Grads{dy, dy};
     }},
    {"a transposed factor",
     {{3, 3}, {3, 3}},
     [](auto& x) { return matmul(x[0], x[1]); },
     [](auto& x, auto&, auto& dy) {
       return Grads{matmul(dy, x[1]), matmul(t(x[0]), dy)};
     }},
    {"a transposed result",
     {{3, 3}, {3, 3}},
     [](auto& x) { return matmul(x[0], x[1]); },
     [](auto& x, auto&, auto& dy) {
       return Grads{matmul(dy, t(x[1])), matmul(t(dy), x[0])};
     }},
    {"an overwritten sum",
     {{4}},
     [](auto& x) { return x[0] * x[0]; },
     [](auto& x, auto&, auto& dy) { return Grads{dy * x[0]}; }},
    {"a mask's polarity",
     {{6}},
     [](auto& x) { return relu(x[0]); },
     [](auto& x, auto&, auto& dy) { return Grads{where(x[0] < 0, dy, dy * 0)}; }},
    {"a forgotten broadcast sum",
     {{4, 3}, {3}},
     [](auto& x) { return x[0] + x[1]; },
     [](auto&, auto&, auto& dy) {
       return Grads{dy, reshape(slice(dy, 0, 0, 1), {3})};
     }},
    {"a mean where a sum belongs",
     {{4, 3}, {3}},
     [](auto& x) { return x[0] + x[1]; },
     [](auto&, auto&, auto& dy) {
       return Grads{dy, mean(dy, {0})};
     }},
    {"a softmax without its sum",
     {{2, 3}},
     [](auto& x) { return softmax(x[0]); },
     [](auto&, auto& y, auto& dy) { return Grads{y * dy}; }},
    {"the wrong axis",
     {{3, 3}},
     [](auto& x) { return softmax(x[0]); },
     [](auto&, auto& y, auto& dy) { return Grads{y * (dy - sum(dy * y, {0}, true))}; }},
    {"a norm without its mean",
     {{2, 4}},
     [](auto& x) { return layer_norm(x[0]); },
     [](auto& x, auto& y, auto& dy) {
       return Grads{(dy - y * mean(dy * y, {-1}, true)) / sqrt(var(x[0], {-1}, true) + 1e-5)};
     }},
    {"a norm without its projection",
     {{2, 4}},
     [](auto& x) { return layer_norm(x[0]); },
     [](auto& x, auto&, auto& dy) {
       return Grads{(dy - mean(dy, {-1}, true)) / sqrt(var(x[0], {-1}, true) + 1e-5)};
     }},
    {"a norm's root inverted",
     {{2, 4}},
     [](auto& x) { return rms_norm(x[0]); },
     [](auto& x, auto& y, auto& dy) {
       return Grads{(dy - y * mean(dy * y, {-1}, true)) * sqrt(mean(x[0] * x[0], {-1}, true))};
     }},
    {"an offset that is one off",
     {{5}},
     [](auto& x) { return slice(x[0], 0, 1, 4); },
     [](auto&, auto&, auto& dy) { return Grads{pad(dy, 0, 2, 0)}; }},
    {"the order where its inverse belongs",
     {{2, 2, 2}},
     [](auto& x) {
       return permute(x[0], {1, 2, 0});
     },
     [](auto&, auto&, auto& dy) {
       return Grads{permute(dy, {1, 2, 0})};
     }},
    {"rows that are used twice",
     {{3, 2}},
     [](auto& x) { return gather_rows(x[0], ids); },
     [](auto&, auto&, auto& dy) {
       return Grads{scatter_rows(slice(dy, 0, 0, 2), slice(ids, 0, 0, 2), 3)};
     }},
    {"a mean without its n",
     {{2, 3}},
     [](auto& x) { return mean(x[0], {-1}, true); },
     [](auto& x, auto&, auto& dy) { return Grads{broadcast_to(dy, x[0].shape())}; }},
    {"n for n - 1",
     {{2, 3}},
     [](auto& x) { return var(x[0], {-1}, true, 1); },
     [](auto& x, auto&, auto& dy) {
       return Grads{dy * (x[0] - mean(x[0], {-1}, true)) * (2.0 / 3)};
     }},
    {"a dropout that isn't scaled",
     {{4, 5}},
     [](auto& x) { return drop(x[0], 1); },
     [](auto&, auto&, auto& dy) { return Grads{drop(dy, 1) * 0.5}; }},
    {"another draw",
     {{4, 5}},
     [](auto& x) { return drop(x[0], 1); },
     [](auto&, auto&, auto& dy) { return Grads{drop(dy, 2)}; }},
    {"an input for a result",
     {{4}},
     [](auto& x) { return exp(x[0]); },
     [](auto& x, auto&, auto& dy) { return Grads{dy * x[0]}; }},
    {"a forgotten square",
     {{4}},
     [](auto& x) { return tanh(x[0]); },
     [](auto&, auto& y, auto& dy) { return Grads{dy * (1 - y)}; }},
    {"a quotient's sign",
     {{4}, {4}},
     [](auto& x) { return x[0] / exp(x[1]); },
     [](auto& x, auto& y, auto& dy) {
       return Grads{dy / exp(x[1]), dy * y};
     }},
    {"a loss without its target",
     {{3, 4}},
     [](auto& x) { return cross_entropy(x[0], ids); },
     [](auto& x, auto&, auto& dy) { return Grads{dy * softmax(x[0]) / 3}; }},
    {"a clamp that lets all pass",
     {{6}},
     [](auto& x) { return clamp(x[0], -0.2, 0.2); },
     [](auto&, auto&, auto& dy) { return Grads{dy}; }},
    {"a maximum shared by all",
     {{2, 3}},
     [](auto& x) { return amax(x[0], {-1}, true); },
     [](auto& x, auto&, auto& dy) { return Grads{broadcast_to(dy / 3, x[0].shape())}; }},
    {"parts in the wrong order",
     {{2, 2}, {2, 2}},
     [](auto& x) {
       return concat({x[0], x[1]}, 1);
     },
     [](auto&, auto&, auto& dy) {
       return Grads{slice(dy, 1, 2, 4), slice(dy, 1, 0, 2)};
     }},
    {"a product rule with one half",
     {{5}},
     [](auto& x) { return silu(x[0]); },
     [](auto& x, auto&, auto& dy) { return Grads{dy * sigmoid(x[0])}; }},
    {"a mask that backward forgets",
     {{3, 2}, {3, 2}, {3, 2}},
     [](auto& x) { return matmul(weights(x), x[2]); },
     [](auto& x, auto&, auto& dy) {
       const Tensor w = weights(x), dw = matmul(dy, t(x[2])), all = softmax(matmul(x[0], t(x[1]))),
                    ds = all * (dw - sum(dw * all, {-1}, true));
       return Grads{matmul(ds, x[1]), matmul(t(ds), x[0]), matmul(t(w), dy)};
     }},
    {"a rotation that isn't turned back",
     {{1, 3, 4}},
     [](auto& x) { return rotary(x[0], 1, 4); },
     [](auto&, auto&, auto& dy) { return Grads{rotary(dy, 1, 4)}; }},
    {"one element",
     {{100}},
     [](auto& x) { return sin(x[0]); },
     [](auto& x, auto&, auto& dy) {
       return Grads{dy * cos(x[0]) +
                    cast(equal(arange(100), scalar(77, DType::i32)), DType::f64) * dy * 1e-3};
     }},
};

/// Returns numbers of both signs, none near 0.2 or 0.
Operands inputs_of(const Fault& fault) {
  Operands inputs;
  double at = 1;
  for (const Shape& shape : fault.shapes) {
    std::vector<double> values;
    for (Index i = 0; i < shape.size(); ++i, at += 1) values.push_back(1.3 * std::sin(at * 1.7));
    inputs.push_back(tensor(values, shape, DType::f64));
  }
  return inputs;
}

/// Returns a function with the op between others: each input is x + x^2 / 8, and the result is the
/// mean of the sine.
Function between(const Value& op) {
  return [=](const Operands& in) {
    Operands through;
    for (const Tensor& x : in) through.push_back(x + x * x / 8);
    const ModuleScope scope("middle");
    const Tensor y = op(through);
    return mean(sin(y)) + sum(y * y) * 0.1;
  };
}

/// Returns the error of a fault's gradient for one element and a random cotangent.
double off(const Fault& fault, std::size_t input, Index element) {
  Operands x;
  for (const Tensor& each : inputs_of(fault)) x.push_back(each + each * each / 8);
  Tape tape;
  for (const Tensor& each : x) tape.watch(each);
  const Tensor y = fault.value(x);
  const Tensor dy = random_normal(y.shape(), {5}, DType::f64);
  const Tensor right = tape.backward(y, dy, {false, false, true})[x[input]];
  const Tensor given = sum_to(fault.rule(x, y, dy).at(input), x[input].shape());
  return std::abs(given(element) - right(element));
}

}  // namespace

BOOST_AUTO_TEST_CASE(finds_the_op_of_each_fault) {
  for (const Fault& fault : faults) {
    const Function f = between([&](const Operands& x) { return own(x, fault.value, fault.rule); });
    const WrongGradient wrong = find_wrong_gradient(f, inputs_of(fault));
    BOOST_TEST_CONTEXT(fault.kind << ": " << to_string(wrong)) {
      BOOST_TEST(wrong.op == "faulty");
      BOOST_TEST(wrong.module == "middle");
      BOOST_TEST(wrong.wrong == 1u);
      BOOST_TEST(wrong.checked > 5u);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_element_that_is_named_is_wrong) {
  for (const Fault& fault : faults) {
    const WrongGradient wrong = find_wrong_gradient(
        between([&](const Operands& x) { return own(x, fault.value, fault.rule); }),
        inputs_of(fault));
    BOOST_TEST(off(fault, wrong.result.input, wrong.result.element) > 1e-5,
               fault.kind << ": " << to_string(wrong));
  }
}

BOOST_AUTO_TEST_CASE(finds_no_correct_op) {
  for (const Fault& fault : faults) {
    const WrongGradient wrong = find_wrong_gradient(between(fault.value), inputs_of(fault));
    BOOST_TEST(wrong.op == "", fault.kind << ": " << to_string(wrong));
  }
}

BOOST_AUTO_TEST_CASE(a_failing_gradcheck_names_the_op_and_the_element) {
  const Fault& one = faults.back();
  const GradcheckResult result = tapehead::gradcheck(
      between([&](const Operands& x) { return own(x, one.value, one.rule); }), inputs_of(one));
  BOOST_TEST(!result.passed);
  BOOST_TEST(result.culprit.find("faulty in middle: wrong gradient at dx[77]") == 0u,
             result.culprit);
  BOOST_TEST(to_string(result).find(result.culprit) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_op_may_compute_by_recorded_ops) {
  const auto cube = [](double factor) {
    return between([=](const Operands& in) {
      const Tensor x = in[0], y = x * x * x;
      return record("cube", y.detached(), {x},
                    [=](const Tensor& dy) { return Grads{dy * x * x * factor}; });
    });
  };
  const Operands x = {tensor({0.5, -1.5}, DType::f64)};
  BOOST_TEST(find_wrong_gradient(cube(3), x).op == "");
  BOOST_TEST(find_wrong_gradient(cube(2), x).op == "cube");
}

BOOST_AUTO_TEST_CASE(does_not_change_its_inputs) {
  const Fault& fault = faults.front();
  const Operands inputs = inputs_of(fault);
  find_wrong_gradient(between(fault.value), inputs);
  const Operands again = inputs_of(fault);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    BOOST_TEST(inputs[i].values() == again[i].values(), per_element());
}

// ---- the input with the wrong gradient

namespace {

/// Returns the place that is reported for an op between others, if the gradient of an input is
/// wrong.
std::string accused(const Value& op, const Operands& inputs) {
  const WrongGradient wrong = find_wrong_gradient(between(op), inputs);
  return wrong.op + " " + wrong.at;
}
Operands three(const Shape& shape) { return inputs_of({"", {shape, shape, shape}, {}, {}}); }
/// Computes a + 2 b + 3 c, or fewer terms; the gradient of one of them is wrong.
Tensor weighed(const Operands& in, std::size_t wrong) {
  const auto value = [](const Operands& x) {
    Tensor y = x[0];
    for (std::size_t i = 1; i < x.size(); ++i) y = y + x[i] * static_cast<double>(i + 1);
    return y;
  };
  return own(in, value, [=](const Operands& x, auto&, const Tensor& dy) {
    Grads grads;
    for (std::size_t i = 0; i < x.size(); ++i)
      grads.push_back(dy * (static_cast<double>(i + 1) + (i == wrong ? 0.5 : 0)));
    return grads;
  });
}
/// Records an op of the library, with the gradient of one input multiplied by 1.5.
Tensor as_if(const char* op, const Operands& in, const Value& value, std::size_t wrong) {
  Tensor y;
  {
    const Pause pause;
    y = value(in);
  }
  return record(op, y, in, [=](const Tensor& dy) {
    std::vector<Tensor> x;
    for (const Tensor& each : in) x.push_back(each.detached());
    Tape tape;
    for (const Tensor& each : x) tape.watch(each);
    const Gradients gradients = tape.backward(value(x), dy, {false, false, true});
    Grads grads;
    for (std::size_t i = 0; i < x.size(); ++i)
      grads.push_back(gradients[x[i]] * (i == wrong ? 1.5 : 1.0));
    return grads;
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(names_the_input_whose_gradient_is_wrong) {
  const Operands x = three({2, 2});
  for (std::size_t wrong = 0; wrong < 2; ++wrong) {
    const std::string name = wrong == 0 ? "a" : "b";
    BOOST_TEST(accused(
                   [=](auto& in) {
                     return weighed({in[0], in[1]}, wrong);
                   },
                   x) == "faulty d" + name + "[0, 0]");
    // The op gets its inputs in the reverse of the order in which they were made.
    BOOST_TEST(accused(
                   [=](auto& in) {
                     return weighed({in[1], in[0]}, wrong);
                   },
                   x) == "faulty d" + name + "[0, 0]");
    // One input is a constant, which has no gradient.
    const Tensor constant = x[0];
    BOOST_TEST(
        accused(
            [=](auto& in) {
              return wrong == 0 ? weighed({in[0], constant}, 0) : weighed({constant, in[0]}, 1);
            },
            x) == "faulty d" + name + "[0, 0]");
  }
  for (std::size_t wrong = 0; wrong < 3; ++wrong)
    for (const Operands& order : {Operands{x[0], x[1], x[2]}, Operands{x[2], x[0], x[1]}})
      BOOST_TEST(accused(
                     [=](auto& in) {
                       return weighed({in[2], in[0], in[1]}, wrong);
                     },
                     order) == fmt::format("faulty d(input {})[0, 0]", wrong));
}

BOOST_AUTO_TEST_CASE(inputs_that_are_one_tensor_share_a_gradient) {
  const Operands x = three({2, 2});
  for (std::size_t wrong = 0; wrong < 3; ++wrong) {
    BOOST_TEST(accused(
                   [=](auto& in) {
                     return weighed({in[0], in[0], in[1]}, wrong);
                   },
                   x) ==
               (wrong == 2 ? "faulty d(input 2)[0, 0]" : "faulty (d(input 0) + d(input 1))[0, 0]"));
    BOOST_TEST(accused(
                   [=](auto& in) {
                     return weighed({in[0], in[1], in[0]}, wrong);
                   },
                   x) ==
               (wrong == 1 ? "faulty d(input 1)[0, 0]" : "faulty (d(input 0) + d(input 2))[0, 0]"));
  }
  BOOST_TEST(accused(
                 [=](auto& in) {
                   return weighed({in[0], in[0]}, 1);
                 },
                 x) == "faulty (da + db)[0, 0]");
  for (const auto& order : {std::vector<int>{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 0, 0}})
    BOOST_TEST(accused(
                   [&](auto& in) {
                     return weighed({in[order[0]], in[order[1]], in[order[2]]}, 9);
                   },
                   x) == " ");
}

BOOST_AUTO_TEST_CASE(reported_inputs_have_the_names_of_the_descriptor) {
  const auto place = [](const char* op, const Operands& in, const Value& value, std::size_t wrong) {
    const std::string text =
        accused([&](const Operands& x) { return as_if(op, x, value, wrong); }, in);
    return text.substr(0, text.find('['));
  };
  const Operands x = three({3, 3}), heads = three({1, 1, 3, 3});
  const Operands rows = inputs_of({"", {{2, 3}, {3}, {3}}, {}, {}});
  const auto attend = [](auto& in) { return attention(in[0], in[1], in[2]); };
  const auto norm = [](auto& in) { return layer_norm(in[0], in[1], in[2]); };
  const auto affine = [](auto& in) { return linear(in[0], in[1], in[2]); };
  const char *attention[] = {"dq", "dk", "dv"}, *layer_norm[] = {"dx", "dgain", "dbias"},
             *linear[] = {"dx", "dW", "db"};
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST(place("attention", heads, attend, i) == fmt::format("attention {}", attention[i]));
    BOOST_TEST(place("layer_norm", rows, norm, i) == fmt::format("layer_norm {}", layer_norm[i]));
    BOOST_TEST(place("linear", {x[0], x[1], rows[1]}, affine, i) ==
               fmt::format("linear {}", linear[i]));
  }
  const auto rms = [](auto& in) { return rms_norm(in[0], in[1]); };
  BOOST_TEST(place("rms_norm", rows, rms, 1) == "rms_norm dgain");
  const auto join = [](auto& in) { return concat(in, 0); };
  BOOST_TEST(place("concat", x, join, 0) == "concat d(input 0)");
  BOOST_TEST(place("concat", x, join, 2) == "concat d(input 2)");
  const auto less_of = [](auto& in) { return minimum(in[0], in[1]); };
  BOOST_TEST(place("minimum", {x[0], x[1]}, less_of, 1) == "minimum db");
}

BOOST_AUTO_TEST_SUITE_END()
