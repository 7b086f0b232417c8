// Dropout masks, element by element, also at the ends of registers and words.
#include "../../core/checks/inputs.hpp"
#include "../../core/kernels/random/draws.hpp"
#include "../../core/ops.hpp"
#include "../../core/ops/attention_plan.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(dropout)

namespace {

const RandomKey key{3, Draw::dropout, 5, 2, 1};

/// Returns which elements are kept, from the 16 bits of each; the lower half of a word is first.
std::vector<bool> kept(RandomKey of, Index n, double p) {
  Random random(of);
  std::vector<bool> all;
  for (Index i = 0; i < n; i += 2) {
    const std::uint32_t word = random.bits();
    for (const std::uint32_t half : {word & 0xFFFF, word >> 16}) all.push_back(half >= p * 0x1p16);
  }
  all.resize(n);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_element_has_separate_bits) {
  for (const DType dtype : {DType::f32, DType::f64})
    for (const Index n : {1, 7, 8, 31, 32, 33, 63, 65, 1023, 1025, 2100}) {
      const Tensor x = cast(normal_sample({3, n}, 1), dtype),
                   dy = cast(normal_sample({3, n}, 2), dtype);
      Tape tape;
      tape.watch(x);
      const Tensor y = tapehead::dropout(x, 0.25, key);
      const Tensor dx = tape.backward(y, dy)[x];
      RandomKey example = key;
      for (Index row = 0; row < 3; ++row, ++example.example) {
        const std::vector<bool> stays = kept(example, n, 0.25);
        for (Index i = 0; i < n; ++i) {
          const double scale = stays[i] ? 1 / 0.75 : 0;
          const Index at = row * n + i;
          const auto expect = [&](double value, double in) {
            BOOST_TEST_REQUIRE(std::abs(value - scale * in) < 1e-6,
                               fmt::format("{}: {} of {}", dtype, i, n));
          };
          expect(y(at), x(at)), expect(dx(at), dy(at));
        }
      }
    }
}

BOOST_AUTO_TEST_CASE(a_range_is_drawn_like_the_whole) {
  constexpr Index n = 4000;
  const DropoutDraw draw(0.3);
  const std::vector<bool> all = kept(key, n, 0.3);
  for (const Index first : {0, 8, 40, 1016, 1024, 2048}) {
    std::vector<std::uint32_t> words((n - first + 31) / 32);
    draw(key, first, n - first, words.data());
    for (Index i = first; i < n; ++i) {
      const Index at = i - first;
      const bool stays = words[at / 32] >> at % 32 & 1;
      BOOST_TEST_REQUIRE(stays == all[i], "from " << first << ": " << i);
    }
  }
}

BOOST_AUTO_TEST_CASE(attention_drops_what_it_would_of_all_weights) {
  for (const DType dtype : {DType::f32, DType::f64})
    for (const bool causal : {false, true})
      for (const Index keys : {1, 20, 31, 32, 33, 100, 511, 512, 513, 1100}) {
        AttentionOptions options;
        options.causal = causal, options.dropout = 0.3, options.key = key;
        const auto sample = [&](Index heads, Index time, std::uint64_t seed) {
          return cast(normal_sample({2, heads, time, 3}, seed), dtype);
        };
        const Tensor q = sample(2, std::min<Index>(keys, 70), 1);
        const Tensor k = sample(1, keys, 2), v = sample(1, keys, 3);
        const auto gradients = [&](const auto& f) {
          Tape tape;
          tape.watch(q, k, v);
          const Tensor y = f(q, k, v, options);
          const Gradients all = tape.backward(y, cast(normal_sample(y.shape(), 4), dtype));
          return std::vector<Tensor>{y, all[q], all[k], all[v]};
        };
        const auto kernel = gradients([](const auto&... x) { return tapehead::attention(x...); });
        const auto decomposition =
            gradients([](const auto&... x) { return attention_decomposition(x...); });
        const double tolerance = dtype == DType::f32 ? 1e-4 : 1e-12;
        for (std::size_t i = 0; i < kernel.size(); ++i)
          expect_equal(kernel[i], decomposition[i], tolerance,
                       fmt::format("{} of {} keys, causal {}, {}", i, keys, causal, dtype));
      }
}

BOOST_AUTO_TEST_CASE(rows_are_drawn_one_after_the_other) {
  const DropoutDraw draw(0.3);
  const Index stride = 4096;
  const std::vector<bool> all = kept(key, 70 * stride, 0.3);
  for (const Index n : {1, 7, 8, 9, 40, 130, 600}) {
    const Index bits = DropoutDraw::row_bits(n), first = 16;
    std::vector<std::uint32_t> words((70 * bits + 31) / 32);
    draw.rows(key, first, stride, 69, n, words.data());
    for (Index row = 0; row < 69; ++row)
      for (Index i = 0; i < n; ++i) {
        const Index at = row * bits + i;
        const bool stays = words[at / 32] >> at % 32 & 1;
        BOOST_TEST_REQUIRE(stays == all[first + row * stride + i], n << ": " << row << ", " << i);
      }
  }
}

BOOST_AUTO_TEST_CASE(the_mask_of_attention_depends_on_no_padded_length) {
  // All scores are equal, so each weight is 1 / keys before dropout.
  const auto masks = [&](Index queries, Index keys, RandomKey from) {
    AttentionOptions options;
    options.dropout = 0.5, options.key = from;
    Tensor weights;
    options.weights = &weights;
    const Tensor q = zeros({2, 3, queries, 4}), k = zeros({2, 3, keys, 4});
    tapehead::attention(q, k, k, options);
    return weights * static_cast<double>(keys);  // dropped: 0; kept: 2
  };
  const Tensor whole = masks(70, 600, key);
  for (const Index queries : {1, 5, 33, 70})
    for (const Index keys : {1, 9, 64, 513}) {
      const Tensor part = slice(slice(whole, 2, 0, queries), 3, 0, keys);
      expect_equal(masks(queries, keys, key), part, 1e-4, fmt::format("{} x {}", queries, keys));
    }
  RandomKey second = key;  // the key of the second example
  ++second.example;
  expect_equal(slice(masks(5, 9, second), 0, 0, 1),
               slice(slice(slice(whole, 0, 1, 2), 2, 0, 5), 3, 0, 9), 1e-4, "example");
}

BOOST_AUTO_TEST_CASE(attention_dropout_refuses_more_weights_than_it_has_numbers_for) {
  AttentionOptions options;
  options.dropout = 0.5;
  const Tensor q = zeros({1, 1, 1, 1}), k = zeros({1, 1, pinned::most_weight_keys + 1, 1});
  BOOST_CHECK_EXCEPTION(tapehead::attention(q, k, k, options), ValueError, [](const auto& error) {
    return std::string(error.what()).find("attention: dropout supports at most 65536 keys") == 0;
  });
  options.dropout = 0;
  tapehead::attention(q, k, k, options);
}

BOOST_AUTO_TEST_SUITE_END()
