// The expected numbers are from PyTorch in double precision, unless a name says otherwise.
#include "values.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(losses)

namespace {

Tensor one(double value) { return scalar(value, DType::f64); }
Tensor ids(const std::vector<double>& values) { return tensor(values, DType::i32); }

CrossEntropyOptions smooth(double label_smoothing) {
  CrossEntropyOptions options;
  options.label_smoothing = label_smoothing;
  return options;
}
CrossEntropyOptions summed() {
  CrossEntropyOptions options;
  options.reduction = Reduction::sum;
  return options;
}
CrossEntropyOptions unreduced(double label_smoothing) {
  CrossEntropyOptions options = smooth(label_smoothing);
  options.reduction = Reduction::none;
  return options;
}
Function against(const Tensor& targets, const CrossEntropyOptions& options = {}) {
  return [=](const Operands& in) { return cross_entropy(in[0], targets, options); };
}
/// Returns the gradient with recorded backward, which uses the decomposition.
Tensor gradient_through_decomposition(const Tensor& logits, const Tensor& targets) {
  Tape tape;
  tape.watch(logits);
  return tape.backward(cross_entropy(logits, targets), {true})[logits];
}
Tensor average(const Operands& in) { return mse(in[0], in[1]); }
Tensor total(const Operands& in) { return mse(in[0], in[1], Reduction::sum); }

}  // namespace

BOOST_AUTO_TEST_CASE(cross_entropy_values) {
  const Tensor logits = f64({1, 2, 3, 0, -1, 0.5, 4, 2, 0, 0, 0, 0, 2, -2, 1, -1}, {4, 4});
  const Tensor targets = ids({2, 0, 3, 1}), some = ids({2, -1, 3, 1}), none = ids({-1, -1});
  // The second row is ignored; its infinities and NaN must have no effect.
  const Tensor poisoned = f64({0, 0, NAN, infinity}, {2, 2});
  const Tensor far = tensor({1e4, 9998, 9999, 0}, {1, 4}), sure = tensor({20, 0, 0}, {1, 3});
  const double log2 = std::log(2.0);
  expect("mean", cross_entropy(logits, targets), one(2.836818915575101), 1e-15);
  expect("its gradient", gradient(against(targets), {logits}, one(1)),
         f64({0.02178607968550814, 0.05922070452247754, -0.08902143502800691, 0.008014650820021247,
              -0.2485630564051119, 0.006439934403902045, 0.2132613383695481, 0.02886178363166188,
              0.0625, 0.0625, 0.0625, -0.1875, 0.1740968717986315, -0.246811304564478,
              0.06404665990697679, 0.008667772858869714},
             {4, 4}),
         1e-15);
  expect("sum", cross_entropy(logits, targets, summed()), one(11.3472756623004), 1e-15);
  expect("smoothed", cross_entropy(logits, targets, smooth(0.1)), one(2.764943915575101), 1e-15);
  expect("its gradient", gradient(against(targets, smooth(0.1)), {logits}, one(1)),
         f64({0.01553607968550814, 0.05297070452247754, -0.07027143502800692, 0.001764650820021247,
              -0.229813056405112, 0.0001899344039020447, 0.207011338369548, 0.02261178363166188,
              0.05625, 0.05625, 0.05625, -0.16875, 0.1678468717986315, -0.228061304564478,
              0.05779665990697679, 0.002417772858869714},
             {4, 4}),
         1e-15);
  expect("the mean is over targets that count", cross_entropy(logits, some), one(2.062777699591017),
         1e-15);
  expect("ignored and smoothed", cross_entropy(logits, some, smooth(0.1)), one(2.046111032924351),
         1e-15);
  expect("its gradient", gradient(against(some, smooth(0.1)), {logits}, one(1)),
         f64({0.02071477291401086, 0.07062760602997006, -0.09369524670400921, 0.00235286776002833,
              0, 0, 0, 0, 0.075, 0.075, 0.075, -0.225, 0.2237958290648421, -0.3040817394193041,
              0.07706221320930241, 0.003223697145159622},
             {4, 4}),
         1e-15);
  expect("NaN in an ignored row", cross_entropy(poisoned, ids({0, -1})), one(log2), 1e-15);
  expect("passes nothing back", gradient(against(ids({0, -1})), {poisoned}, one(1)),
         f64({-0.5, 0.5, 0, 0}, {2, 2}));
  expect("nor through the decomposition", gradient_through_decomposition(poisoned, ids({0, -1})),
         f64({-0.5, 0.5, 0, 0}, {2, 2}), 1e-15);
  expect("a mean over no target", cross_entropy(poisoned, none), one(NAN));
  expect("its gradient", gradient(against(none), {poisoned}, one(1)), zeros({2, 2}, DType::f64));
  expect("a mean over no row", cross_entropy(zeros({0, 3}), ids({})), scalar(NAN));
  expect("a sum over no row", cross_entropy(zeros({0, 3}), ids({}), summed()), scalar(0));
  expect("f32 far from zero", cross_entropy(far, ids({1})), scalar(2.407605964444381), 2e-7);
  expect("its gradient", gradient(against(ids({1})), {far}, scalar(1)),
         tensor({0.6652409557748218, -0.9099694268296196, 0.2447284710547976, 0}, {1, 4}), 2e-7);
  expect("f32, a target far above: log(1 + 2 exp(-20))", cross_entropy(sure, ids({0})) * 1e9,
         scalar(4.1223072363804075), 3e-7);
  expect("its gradient", gradient(against(ids({0})), {sure}, scalar(1e9)),
         tensor({-4.122307227883698, 2.061153613941849, 2.061153613941849}, {1, 3}), 3e-7);
  const Tensor weights = f64({2, 5, -1, 0.5});
  expect("of each target", cross_entropy(logits, some, unreduced(0)),
         f64({0.44018969856119533, 0, 1.3862943611198906, 4.361849039091965}), 1e-15);
  expect("its gradient", gradient(against(some, unreduced(0)), {logits}, weights),
         f64({0.17428863748406515, 0.4737656361798203, -0.7121714802240553, 0.06411720656016998, 0,
              0, 0, 0, -0.25, -0.25, -0.25, 0.75, 0.348193743597263, -0.49362260912895606,
              0.12809331981395358, 0.017335545717739428},
             {4, 4}),
         1e-15);
  expect("of each, smoothed", cross_entropy(logits, some, unreduced(0.1)),
         f64({0.5901896985611954, 0, 1.3862943611198906, 4.1618490390919645}), 1e-15);
  expect("its gradient", gradient(against(some, unreduced(0.1)), {logits}, weights),
         f64({0.12428863748406514, 0.4237656361798203, -0.5621714802240554, 0.014117206560169973, 0,
              0, 0, 0, -0.225, -0.225, -0.225, 0.675, 0.335693743597263, -0.4561226091289561,
              0.11559331981395359, 0.004835545717739427},
             {4, 4}),
         1e-15);
  expect("of each in f32", cross_entropy(sure, ids({-1}), unreduced(0)), tensor({0}));
  expect("of each of two axes",
         cross_entropy(reshape(logits, {2, 2, 4}), reshape(some, {2, 2}), unreduced(0)),
         f64({0.44018969856119533, 0, 1.3862943611198906, 4.361849039091965}, {2, 2}), 1e-15);
  expect("of one row of no axis",
         cross_entropy(f64({0, 0}), tensor({0}, {}, DType::i32), unreduced(0)), one(log2), 1e-15);
  expect("NaN in one row alone", cross_entropy(poisoned, ids({0, 0}), unreduced(0)),
         f64({log2, NAN}), 1e-15);
  expect("of each of no row", cross_entropy(zeros({0, 3}), ids({}), unreduced(0)), zeros({0}));
  expect("a class of minus infinity", cross_entropy(tensor({0, -infinity, 0}, {1, 3}), ids({0})),
         scalar(log2), 1e-7);
  expect("as the target", cross_entropy(tensor({0, -infinity, 0}, {1, 3}), ids({1})),
         scalar(infinity));
  expect("infinity", cross_entropy(tensor({infinity, 0}, {1, 2}), ids({1})), scalar(NAN));
  expect("NaN", cross_entropy(tensor({NAN, 0}, {1, 2}), ids({1})), scalar(NAN));
}

BOOST_AUTO_TEST_CASE(cross_entropy_errors) {
  const Tensor logits = zeros({2, 3});
  EXPECT_REFUSED(cross_entropy(logits, ids({0, 3})),
                 "cross_entropy: target 3 at position 1 is out of range for 3 classes");
  EXPECT_REFUSED(cross_entropy(logits, ids({-2, 0})),
                 "cross_entropy: target -2 at position 0 is out of range for 3 classes; set "
                 "ignored=-2 to ignore it");
  EXPECT_REFUSED(cross_entropy(logits, ids({0, -100})),
                 "cross_entropy: target -100 at position 1 is out of range for 3 classes; set "
                 "ignored=-100 to ignore it");
  EXPECT_REFUSED(cross_entropy(logits, ids({0, 1, 2})),
                 "cross_entropy: logits are (2, 3), so targets must be (2), not (3)");
  EXPECT_REFUSED(cross_entropy(logits, logits),
                 "cross_entropy: targets are f32, expected i32; convert them with cast(targets, "
                 "DType::i32)");
  EXPECT_REFUSED(cross_entropy(logits, ids({0, 1}), smooth(1)),
                 "cross_entropy: label smoothing is 1, expected a number in [0, 1)");
  EXPECT_REFUSED(cross_entropy(logits, ids({0, 1}), smooth(NAN)),
                 "cross_entropy: label smoothing is nan, expected a number in [0, 1)");
  EXPECT_REFUSED(cross_entropy(scalar(1), tensor({0}, {}, DType::i32)),
                 "cross_entropy: axis -1 is out of range for shape (), which has 0 axes");
  EXPECT_REFUSED(cross_entropy(ids({1, 0}), tensor({0}, {}, DType::i32)),
                 "cross_entropy: expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_CASE(mse_values) {
  const Operands given{f64({1, 2, 3, -1, 0.5, 4}, {2, 3}),
                       f64({0.5, -1, 2, 1, 0.25, -0.5}, {2, 3})};
  expect("mean", average(given), one(5.760416666666667), 1e-15);
  expect("sum", total(given), one(34.5625), 1e-15);
  expect("of each", mse(given[0], given[1], Reduction::none),
         f64({0.25, 9, 1, 4, 0.0625, 20.25}, {2, 3}));
  expect("the target's gradient", gradient(total, given, one(1), 1),
         f64({-1, -6, -2, 4, -0.5, -9}, {2, 3}));
  expect("x against itself", mse(given[0], given[0]), one(0));
  expect("a mean of nothing", mse(zeros({0}), zeros({0})), scalar(NAN));
}

BOOST_AUTO_TEST_CASE(mse_errors) {
  EXPECT_REFUSED(mse(zeros({2, 3}), zeros({3})),
                 "mse: x is (2, 3) and the target (3), expected equal shapes");
  EXPECT_REFUSED(mse(zeros({2}), zeros({2}, DType::f64)),
                 "mse: types f32 and f64 differ; convert one with cast(x, DType::f32)");
  EXPECT_REFUSED(mse(ids({1, 2}), ids({1, 2}), Reduction::none),
                 "mse: expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_SUITE_END()
