// The expected numbers are from PyTorch in double precision, unless a name says otherwise.
#include "values.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(normalisation)

namespace {

Tensor two_rows(const std::vector<double>& values) { return f64(values, {2, 3}); }

const Tensor rows = two_rows({1, 2, 3, -1, 0.5, 4});
const Tensor dy = two_rows({0.5, -1, 2, 1, 0.25, -0.5});
const Tensor dark = f64({-infinity, -infinity, 0, 0}, {2, 2});
const double log2 = std::log(2.0);

Tensor softmax_of(const Operands& in) { return softmax(in[0]); }
Tensor log_softmax_of(const Operands& in) { return log_softmax(in[0]); }
Tensor logsumexp_of(const Operands& in) { return logsumexp(in[0]); }
Tensor plain_layer_norm(const Operands& in) { return layer_norm(in[0]); }
Tensor full_layer_norm(const Operands& in) { return layer_norm(in[0], in[1], in[2]); }
Tensor full_rms_norm(const Operands& in) { return rms_norm(in[0], in[1]); }

// The known answer of Random123 for counter 0 and key 0 begins with 6627e8d5 e169c58d. Elements
// take the lower half of a word first: 0.910, 0.399, 0.772 and 0.880 of 2^16.
const RandomKey zero{0, Draw::dropout};
constexpr double second_half = 0x6627p0;
Tensor four(double p) { return dropout(ones({1, 4}), p, zero); }
Tensor half_dropped(const Operands& in) { return dropout(in[0], 0.5, zero); }

}  // namespace

BOOST_AUTO_TEST_CASE(softmax_values) {
  expect("rows", softmax(rows),
         two_rows({0.09003057317038045, 0.2447284710547976, 0.6652409557748218, 0.00649794331566194,
                   0.0291217615374784, 0.9643802951468596}),
         1e-15);
  expect("columns", softmax(rows, 0),
         two_rows({0.8807970779778823, 0.8175744761936437, 0.2689414213699951, 0.1192029220221175,
                   0.1824255238063563, 0.7310585786300049}),
         1e-15);
  expect("its gradient", gradient(softmax_of, {rows}, dy),
         two_rows({-0.05678847003696693, -0.5214597727496746, 0.5782482427866417,
                   0.009541656405700507, 0.02092141607324034, -0.03046307247894086}),
         1e-15);
  expect("f32 far from zero", softmax(tensor({1e4, 9998, 9999, 0})),
         tensor({0.6652409557748218, 0.09003057317038045, 0.2447284710547976, 0}), 2e-7);
  expect("the largest numbers", softmax(tensor({3e38, 3e38, -3e38, 0})), tensor({0.5, 0.5, 0, 0}));
  expect("minus infinity has no weight", softmax(tensor({-infinity, 0})), tensor({0, 1}));
  expect("a row of minus infinities", softmax(dark), f64({0, 0, 0.5, 0.5}, {2, 2}));
  expect("its gradient is zero", gradient(softmax_of, {dark}, f64({3, 1, 3, 1}, {2, 2})),
         f64({0, 0, 0.5, -0.5}, {2, 2}));
  expect("infinity", softmax(tensor({infinity, 0})), tensor({NAN, NAN}));
  expect("NaN stays in its row", softmax(f64({NAN, -infinity, 0, 0}, {2, 2})),
         f64({NAN, NAN, 0.5, 0.5}, {2, 2}));
}

BOOST_AUTO_TEST_CASE(softmax_errors) {
  EXPECT_REFUSED(softmax(zeros({2, 3}), 2),
                 "softmax: axis 2 is out of range for shape (2, 3), which has 2 axes");
  EXPECT_REFUSED(softmax(scalar(1)),
                 "softmax: axis -1 is out of range for shape (), which has 0 axes");
  EXPECT_REFUSED(softmax(zeros({2}, DType::i32)),
                 "softmax: expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_CASE(log_softmax_values) {
  expect("rows", log_softmax(rows),
         two_rows({-2.407605964444381, -1.40760596444438, -0.4076059644443804, -5.036269565124779,
                   -3.536269565124779, -0.03626956512477912}),
         1e-15);
  expect("columns", log_softmax(rows, 0),
         two_rows({-0.1269280110429726, -0.2014132779827525, -1.313261687518223, -2.126928011042973,
                   -1.701413277982752, -0.3132616875182229}),
         1e-15);
  expect("its gradient", gradient(log_softmax_of, {rows}, dy),
         two_rows({0.3649541402444293, -1.367092706582197, 1.002138566337767, 0.9951265425132535,
                   0.2281586788468912, -1.223285221360145}),
         1e-15);
  expect("f32 far from zero", log_softmax(tensor({1e4, 9998, 9999, 0})),
         tensor({-0.4076059644443804, -2.407605964444381, -1.40760596444438, -10000.40760596444}),
         2e-7);
  expect("f32, one element far above: -log(1 + exp(-20))", log_softmax(tensor({20, 0})) * 1e9,
         tensor({-2.0611536203106065, -20000000002.061153}), 2e-7);
  expect("a row of minus infinities", log_softmax(dark),
         f64({-infinity, -infinity, -log2, -log2}, {2, 2}), 1e-15);
  expect("it passes no NaN back", gradient(log_softmax_of, {dark}, f64({0, 0, 1, 0}, {2, 2})),
         f64({0, 0, 0.5, -0.5}, {2, 2}), 1e-15);
  expect("infinity", log_softmax(tensor({infinity, 0})), tensor({NAN, NAN}));
  expect("NaN", log_softmax(tensor({-infinity, NAN})), tensor({NAN, NAN}));
}

BOOST_AUTO_TEST_CASE(log_softmax_errors) {
  EXPECT_REFUSED(log_softmax(zeros({2, 3}), -3),
                 "log_softmax: axis -3 is out of range for shape (2, 3), which has 2 axes");
}

BOOST_AUTO_TEST_CASE(logsumexp_values) {
  expect("rows", logsumexp(rows), f64({3.407605964444381, 4.036269565124779}, {2}), 1e-15);
  expect("columns, the axis kept", logsumexp(rows, 0, true),
         f64({1.126928011042973, 2.201413277982752, 4.313261687518223}, {1, 3}), 1e-15);
  expect("its gradient", gradient(logsumexp_of, {rows}, tensor({2, -1}, DType::f64)),
         two_rows({0.1800611463407609, 0.4894569421095952, 1.330481911549643, -0.006497943315661942,
                   -0.02912176153747841, -0.96438029514686}),
         1e-15);
  expect("one element far above: log(1 + exp(-30))", logsumexp(tensor({0, -30})) * 1e13,
         scalar(0.9357622968839862), 2e-7);
  expect("a row of minus infinities", logsumexp(dark), f64({-infinity, log2}, {2}), 1e-15);
  expect("its gradient is zero", gradient(logsumexp_of, {dark}, f64({5, 1}, {2})),
         f64({0, 0, 0.5, 0.5}, {2, 2}));
  expect("rows of no elements", logsumexp(zeros({2, 0})), tensor({-infinity, -infinity}));
  expect("infinity", logsumexp(tensor({infinity, 0, -infinity})), scalar(infinity));
  expect("beside infinity a number's gradient is zero",
         gradient(logsumexp_of, {f64({infinity, 0, -infinity})}, scalar(1, DType::f64)),
         f64({NAN, 0, 0}));
  expect("NaN's is NaN", gradient(logsumexp_of, {f64({NAN, 0})}, scalar(1, DType::f64)),
         f64({NAN, NAN}));
  expect("NaN beside infinity", logsumexp(tensor({infinity, NAN})), scalar(NAN));
}

BOOST_AUTO_TEST_CASE(logsumexp_errors) {
  EXPECT_REFUSED(logsumexp(scalar(1)),
                 "logsumexp: axis -1 is out of range for shape (), which has 0 axes");
}

BOOST_AUTO_TEST_CASE(layer_norm_values) {
  const Operands given{rows, f64({1.5, 0.5, -1}), f64({0.1, 0.2, 0.3})};
  const Tensor far = tensor({10000, 10001, 9998.5}, {1, 3});  // their mean isn't an f32
  // Neither the mean nor the squares of these are f32.
  const Tensor huge = tensor({1e30, 1e30 + 7.6e22, 1e30 + 2.3e23}, {1, 3});
  expect("with gain and bias", full_layer_norm(given),
         two_rows({-1.737103528862585, 0.2, -0.9247356859083902, -1.451334936800082,
                   0.04088872443076089, -1.052445842338532}),
         1e-15);
  expect("without", layer_norm(rows),
         two_rows({-1.22473568590839, 0, 1.22473568590839, -1.034223291200054, -0.3182225511384782,
                   1.352445842338532}),
         1e-15);
  expect("epsilon 0.5", layer_norm(given[0], given[1], given[2], 0.5),
         two_rows({-1.288730149658827, 0.2, -0.6258200997725516, -1.369867804816598,
                   0.04924432771111817, -0.9814232144554953}),
         1e-15);
  expect("x's gradient", gradient(full_layer_norm, given, dy),
         two_rows({-0.05100539378489177, 0.1020613071590324, -0.05105591337414106,
                   0.2273381307479068, -0.3247681626243334, 0.09743003187642663}),
         1e-14);
  expect("gain's gradient", gradient(full_layer_norm, given, dy, 1),
         f64({-1.646591134154249, -0.07955563778461955, 1.773248450647514}, {3}), 1e-15);
  expect("bias's gradient", gradient(full_layer_norm, given, dy, 2), f64({1.5, -0.75, 1.5}, {3}));
  expect("f32 with squares that overflow", layer_norm(huge),
         cast(layer_norm(cast(huge, DType::f64)), DType::f32), 1e-6);
  expect("f32 far from zero", layer_norm(far),
         tensor({0.1622206527183431, 1.135544569031943, -1.297765221752056}, {1, 3}), 1e-6);
  expect("its gradient", gradient(plain_layer_norm, {far}, tensor({1, 0.5, -1}, {1, 3})),
         tensor({0.7043801610252558, -0.4226204125507138, -0.281759748472723}, {1, 3}), 1e-6);
  expect("f32 whose squares are too large", layer_norm(tensor({1e30, -1e30})), tensor({1, -1}),
         1e-6);
  expect("equal elements give the bias",
         layer_norm(tensor({0.1, 0.1, 0.1}), ones({3}), tensor({4, 5, 6})), tensor({4, 5, 6}),
         1e-5);
  expect("NaN stays in its row", layer_norm(tensor({NAN, 0, -1, 1}, {2, 2}), {}, {}, 0),
         tensor({NAN, NAN, -1, 1}, {2, 2}));
}

BOOST_AUTO_TEST_CASE(layer_norm_errors) {
  EXPECT_REFUSED(layer_norm(zeros({2, 3}), ones({3})),
                 "layer_norm: a gain without a bias; give both, or neither");
  EXPECT_REFUSED(layer_norm(zeros({2, 3}), {}, ones({3})),
                 "layer_norm: a bias without a gain; give both, or neither");
  EXPECT_REFUSED(layer_norm(zeros({2, 3}), ones({3}), ones({1, 3})),
                 "layer_norm: x is (2, 3), so the bias must be (3), not (1, 3)");
  EXPECT_REFUSED(layer_norm(zeros({2, 3}), ones({3}, DType::f64), ones({3})),
                 "layer_norm: types f32 and f64 differ; convert one with cast(x, DType::f32)");
  EXPECT_REFUSED(layer_norm(zeros({2, 3}), {}, {}, -1),
                 "layer_norm: epsilon is -1, expected at least 0");
  EXPECT_REFUSED(layer_norm(scalar(1)),
                 "layer_norm: axis -1 is out of range for shape (), which has 0 axes");
  EXPECT_REFUSED(layer_norm(zeros({2}, DType::i32)),
                 "layer_norm: expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_CASE(rms_norm_values) {
  const Operands given{rows, f64({1.5, 0.5, -1})};
  const double root = std::sqrt(12.5);
  expect("with gain", full_rms_norm(given),
         two_rows({0.6943643308680291, 0.4629095539120194, -1.388728661736058, -0.6255426982212885,
                   0.1042571163702147, -1.668113861923436}),
         1e-15);
  expect("without", rms_norm(rows),
         two_rows({0.4629095539120194, 0.9258191078240388, 1.388728661736058, -0.417028465480859,
                   0.2085142327404295, 1.668113861923436}),
         1e-15);
  expect("two heads, and a column passed on",
         rms_norm(tensor({3, 4, 0, 2, 7}, {1, 5}), tensor({1, 1, 5, 0.5}, {2, 2}), 0),
         tensor({3 / root, 4 / root, 0, std::sqrt(0.5), 7}, {1, 5}), 1e-6);
  expect("epsilon 0.5", rms_norm(given[0], given[1], 0.5),
         two_rows({0.6599120175960899, 0.4399413450640599, -1.31982403519218, -0.6, 0.1, -1.6}),
         1e-15);
  expect("x's gradient", gradient(full_rms_norm, given, dy),
         two_rows({0.5538377734541489, 0.1818564390842589, -0.3058522837636358, 0.6391414288804805,
                   0.04532919285551133, 0.1541193101036612}),
         1e-14);
  expect("gain's gradient", gradient(full_rms_norm, given, dy, 1),
         f64({-0.1855736885248493, -0.8736905496389313, 1.943400392510398}, {3}), 1e-15);
  expect("f32 whose squares are too large", rms_norm(tensor({3e30, 4e30})),
         tensor({3 / root, 4 / root}), 1e-6);
  expect("zeros stay", rms_norm(zeros({2, 2})), zeros({2, 2}));
}

BOOST_AUTO_TEST_CASE(rms_norm_errors) {
  EXPECT_REFUSED(rms_norm(zeros({2, 3}), ones({2})),
                 "rms_norm: x is (2, 3), so the gain must be (3), not (2)");
  EXPECT_REFUSED(rms_norm(zeros({2, 7}), ones({2, 4})),
                 "rms_norm: the rows of x (2, 7) are shorter than gain (2, 4)");
  EXPECT_REFUSED(rms_norm(zeros({2, 3}), {}, NAN), "rms_norm: epsilon is nan, expected at least 0");
}

BOOST_AUTO_TEST_CASE(dropout_values) {
  const RandomKey key{7, Draw::dropout, 3, 1, 5}, next{7, Draw::dropout, 3, 1, 6};
  expect("a draw below p is dropped", four(0.5), tensor({2, 0, 2, 2}, {1, 4}));
  expect("p = 7/8", four(0.875), tensor({8, 0, 0, 8}, {1, 4}));
  expect("a draw equal to p is kept", four(second_half / 0x1p16),
         full({1, 4}, 1 / (1 - second_half / 0x1p16)), 1e-7);
  expect("the next p drops it", slice(four((second_half + 0.5) / 0x1p16), 1, 1, 2), zeros({1, 1}));
  expect("p = 0 changes nothing", dropout(tensor({NAN, -0.0, 3}), 0, {}), tensor({NAN, -0.0, 3}));
  expect("p = 1 gives zeros, of infinities too", dropout(tensor({infinity, NAN, 3}), 1, {}),
         zeros({3}));
  expect("the smallest p", dropout(ones({8}), 1e-300, {}), ones({8}));
  expect("NaN in an element dropped", dropout(tensor({1, NAN, 1, 1}, {1, 4}), 0.5, zero),
         tensor({2, 0, 2, 2}, {1, 4}));
  expect("its gradient is dropped alike",
         gradient(half_dropped, {f64({1, NAN, 1, 1}, {1, 4})}, f64({1, infinity, 2, 3}, {1, 4})),
         f64({2, 0, 4, 6}, {1, 4}));
  expect("the second row is the first of the next example",
         slice(dropout(ones({2, 3, 50}), 0.5, key), 0, 1, 2), dropout(ones({1, 3, 50}), 0.5, next));
  expect("the mean stays", mean(dropout(ones({100, 1000}, DType::f64), 0.3, key)),
         scalar(1, DType::f64), 0.01);
}

BOOST_AUTO_TEST_CASE(dropout_errors) {
  EXPECT_REFUSED(dropout(zeros({2}), 1.5, {}),
                 "dropout: p is 1.5, expected a probability in [0, 1]");
  EXPECT_REFUSED(dropout(zeros({2}), -0.1, {}),
                 "dropout: p is -0.1, expected a probability in [0, 1]");
  EXPECT_REFUSED(dropout(zeros({2}), NAN, {}),
                 "dropout: p is nan, expected a probability in [0, 1]");
  EXPECT_REFUSED(dropout(zeros({2}, DType::i32), 0.5, {}),
                 "dropout: expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_SUITE_END()
