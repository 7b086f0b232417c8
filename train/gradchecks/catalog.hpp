#pragma once
// The table of all ops: what each is for, and what it is tested with. `tapehead ops`, `tapehead
// gradcheck` and the tests run over it; adding an op means adding its row.
#include "../../core/gradcheck.hpp"
#include "../../core/ops.hpp"

namespace tapehead {

/// Inputs and a function of them whose gradient is compared with finite differences.
struct OpSample {
  std::string what;            ///< "a row broadcast over a matrix"
  std::vector<Tensor> inputs;  ///< f64, away from kinks
  Function f;
  Function decomposition = {};  ///< a fused op's decomposition, for values and gradients
  bool second = true;           ///< compare the gradient of the gradient too
};
/// A call and the values that it must give: special values, edges, semantics.
struct OpValue {
  std::string what;
  std::function<Tensor()> call;
  Tensor expected;       ///< shape and type count; NaN equals NaN
  double tolerance = 0;  ///< relative, or absolute below 1
};
/// A wrong call and the text of its error, exactly.
struct OpError {
  std::function<void()> call;
  std::string message;
};
struct OpRow {
  std::string name;     ///< as in core/ops.hpp
  std::string family;   ///< "arithmetic", "layout", ...
  std::string formula;  ///< one line: "y = a b"
  std::string rule;     ///< its gradient in one line: "da = dy b, db = dy a"; empty if it has none
  std::vector<OpSample> samples;
  std::vector<OpValue> values;
  std::vector<OpError> errors;
};

/// One function a family, each in a file catalog_FAMILY.cpp.
std::vector<OpRow> arithmetic_rows();  // with function_rows, of one operand, and selection_rows
std::vector<OpRow> function_rows();
std::vector<OpRow> selection_rows();  // choosing, and comparing
std::vector<OpRow> activation_rows();
std::vector<OpRow> reduction_rows();
std::vector<OpRow> layout_rows();  // with part_rows: what joins, parts, picks, and constants
std::vector<OpRow> part_rows();
std::vector<OpRow> product_rows();
std::vector<OpRow> normalisation_rows();  // with softmax_rows; norms, dropout
std::vector<OpRow> softmax_rows();
std::vector<OpRow> loss_rows();
std::vector<OpRow> attention_rows();  // with head_rows: heads side by side, and turned by place
std::vector<OpRow> head_rows();

/// All rows, in the order of core/ops.hpp.
const std::vector<OpRow>& op_catalog();

/// Random f64 inputs, the same at every call with equal arguments.
Tensor normal_sample(const Shape& shape, std::uint64_t seed);
Tensor uniform_sample(const Shape& shape, double low, double high, std::uint64_t seed);
/// Normal, every element moved at least `distance` away from zero.
Tensor nonzero_sample(const Shape& shape, std::uint64_t seed, double distance = 0.1);

/// What any function of one tensor, element by element, is checked with. x makes its inputs.
std::vector<OpSample> elementwise_samples(const Function& f,
                                          Tensor (*x)(const Shape& shape, std::uint64_t seed));

/// For an OpValue: gives the gradient of inputs[which], where that of f(inputs) is dy.
std::function<Tensor()> gradient_call(const Function& f, const std::vector<Tensor>& inputs,
                                      const Tensor& dy, std::size_t which = 0);

}  // namespace tapehead
