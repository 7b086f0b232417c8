// The whole framework in one file: all that `tapehead train reverse` computes, bit for bit, from
// the random numbers to the hash of the trained weights. Read it from top to bottom.
//
//   $ c++ -std=c++17 -O2 -ffp-contract=off one_file.cpp -o one_file
//   $ ./one_file                             # an encoder that reverses a sequence of digits
//   $ ./one_file copy --seed 7 --steps 100   # a decoder that repeats what it has read
// Every operation on floats rounds, so the order of a sum decides its last bits: comments explain
// the orders. -ffp-contract=off keeps the compiler from fusing products and sums where no fma is.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {
using Floats = std::vector<float>;

// ---- 1. Numbers: fused multiply-adds, and elementary functions as polynomials of least error
/// Computes a b + c, rounded once. Without an instruction for it: a product of floats is exact in
/// double, and rounding the sum twice is wrong only halfway between floats and for denormals (tiny
/// floats with fewer bits). There the double is rounded to odd: its last bit says it's inexact
/// (Boldo and Melquiond, "Emulation of a FMA", 2008).
float fma(float a, float b, float c) {
#if defined FP_FAST_FMAF || defined __FMA__  // Clang defines only the second
  return std::fma(a, b, c);
#endif
  const double product = double{a} * b;
  double sum = product + c;
  std::uint64_t bits;
  std::memcpy(&bits, &sum, sizeof bits);
  const bool is_halfway = (bits & 0x1fffffff) == 0x10000000;  // the 29 bits that a float lacks
  if (is_halfway || (std::abs(sum) < 0x1p-126 && sum != 0)) {
    const double of_c = sum - product, lost = (product - (sum - of_c)) + (c - of_c);
    if (lost != 0 && bits % 2 == 0) bits += (lost > 0) == (sum > 0) ? 1 : -1;
    std::memcpy(&sum, &bits, sizeof sum);
  }
  return float(sum);
}
/// Evaluates a polynomial. The highest degree is first. Coefficients are exact: 0x1.8p3 is 1.5 * 8.
template <std::size_t n>
float polynomial(float x, const float (&c)[n]) {
  float y = c[0];
  for (std::size_t i = 1; i < n; ++i) y = fma(y, x, c[i]);
  return y;
}
constexpr float ln_2 = 0x1.62e43p-1f, ln_2_rest = -0x1.05c61p-29f;  // ln 2 is the sum of both
constexpr float rounder = 0x1.8p23f;  // x + rounder has no bits below 1, so x is rounded
/// e^x = 2^k e^r with x = k ln 2 + r, |r| <= ln(2) / 2, e^r = 1 + r + curve r^2. ldexp: times 2^k.
float exp(float x) {
  x = std::min(89.f, std::max(-104.f, x));                   // beyond, e^x is infinite or 0
  const float k = fma(x, 0x1.715476p0f, rounder) - rounder;  // x / ln 2
  const float r = fma(k, -ln_2_rest, fma(k, -ln_2, x));
  const float curve = polynomial(
      r, {0x1.6a4b8p-10f, 0x1.12397p-7f, 0x1.5558b2p-5f, 0x1.555492p-3f, 0x1.fffffcp-2f});
  return std::ldexp(fma(fma(curve, r, 1), r, 1), int(k));
}
/// 2^x = 2^k 2^r with |r| <= 1/2, for |x| < 250.
float exp2(float x) {
  const float k = (x + rounder) - rounder, r = x - k;
  const float slope = polynomial(r, {0x1.3ec3bp-13f, 0x1.5f0c9ap-10f, 0x1.3b31fap-7f,
                                     0x1.c6af74p-5f, 0x1.ebfbd6p-3f, 0x1.62e43p-1f});
  return std::ldexp(fma(slope, r, 1), int(k));
}
/// log x = k ln 2 + log(1 + f), sqrt(1/2) <= 1 + f < sqrt(2). With s = f / (2 + f) and t = s^2,
/// log(1 + f) = 2 atanh(s) = f - (f^2 / 2 - s (f^2 / 2 + t series)), series = 2/3 + 2 t/5 + ...
float log(float x) {
  int exponent;
  float m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e6p-1f) m *= 2, --exponent;
  const float k = float(exponent), f = m - 1, s = f / (f + 2), t = s * s, square = 0.5f * f * f;
  const float series = polynomial(t, {0x1.31e1d2p-2f, 0x1.995eccp-2f, 0x1.55557ap-1f});
  const float most = fma(k, ln_2, f), rest = fma(k, ln_2_rest, fma(k, ln_2, -most) + f);
  return most - (square - fma(s, fma(t, series, square), rest));
}

// ---- 2. Sums and matmuls
/// Sums f(i) for begin <= i < end. Term i goes to lane i % 16, because the widest vector registers
/// have 16 floats. Then the upper half of the lanes is added to the lower half until one is left.
/// More than 512 terms are halved, at a multiple of 512, so that rounding errors grow only slowly.
template <class Term>
float sum(int begin, int end, const Term& f) {
  if (end - begin > 512) {
    const int middle = begin + ((end - begin) / 512 + 1) / 2 * 512;
    return sum(begin, middle, f) + sum(middle, end, f);
  }
  float lane[16] = {};
  for (int i = begin; i < end; ++i) lane[(i - begin) % 16] += f(i);
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lane[i] += lane[i + half];
  return lane[0];
}
void accumulate(Floats& y, const Floats& x) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[i];
}
/// Sums the rows of x, (rows, width). A register holds neighbors in a row, so whole rows are added,
/// in order. More than 32 rows are split into halves, for the same reason as above.
Floats sum_rows(const float* x, int rows, int width) {
  if (rows <= 32) {
    Floats y(width);
    for (int i = 0; i < rows * width; ++i) y[i % width] += x[i];
    return y;
  }
  Floats y = sum_rows(x, rows / 2, width);
  accumulate(y, sum_rows(x + rows / 2 * std::size_t(width), rows - rows / 2, width));
  return y;
}
/// A matrix inside an array: element (i, j) is data[i * down + j * across]. t() is the transposed
/// matrix, part() has n rows from row i, and m columns from column j.
struct Matrix {
  float* data;
  int rows, columns;
  std::ptrdiff_t down, across = 1;
  float& operator()(int i, int j) const { return data[i * down + j * across]; }
  Matrix t() const { return {data, columns, rows, across, down}; }
  Matrix part(int i, int n, int j, int m) const { return {&(*this)(i, j), n, m, down, across}; }
};
/// Computes c += factor a b. Each element of c is a chain of fused multiply-adds in the order of k,
/// because a register holds neighbors in a row of c. A chain has at most 256 terms, so that the
/// rows of b that it reads stay in the cache. Longer ones are cut into equal parts.
void multiply(const Matrix& a, const Matrix& b, const Matrix& c, float factor = 1) {
  const int parts = std::max((a.columns + 255) / 256, 1), width = c.columns;
  const int length = (a.columns + parts - 1) / parts;
  Floats packed(std::size_t(length) * width), sums(width);  // rows of b, and of c
  for (int first = 0; first < a.columns; first += length) {
    const int count = std::min(length, a.columns - first);
    for (int k = 0; k < count; ++k)
      for (int j = 0; j < width; ++j) packed[k * width + j] = b(first + k, j);
    for (int i = 0; i < c.rows; ++i) {
      std::fill(sums.begin(), sums.end(), 0.f);
      for (int k = 0; k < count; ++k) {
        const float x = a(i, first + k), *const row = &packed[k * width];
        for (int j = 0; j < width; ++j) sums[j] = fma(x, row[j], sums[j]);
      }
      for (int j = 0; j < width; ++j) c(i, j) = fma(sums[j], factor, c(i, j));
    }
  }
}

// ---- 3. Tensors and the tape
/// A matrix and the gradient of the loss with respect to its elements. A vector has one row. A
/// batch of sequences has a row for each token: (batch * time, width).
struct Elements {
  int rows, columns;
  Floats value = Floats(std::size_t(rows) * columns), gradient = value;
  Matrix v() { return {value.data(), rows, columns, columns}; }
  Matrix g() { return {gradient.data(), rows, columns, columns}; }
  int size() const { return rows * columns; }
};
using Tensor = std::shared_ptr<Elements>;  // ops share tensors, and the tape keeps them alive
Tensor zeros(int rows, int columns) { return std::make_shared<Elements>(Elements{rows, columns}); }
/// The tape: a list of the ops that compute a loss. Backward functions apply the chain rule: each
/// reads the gradient of its op's result, and adds to the gradients of the op's inputs.
struct Entry {
  const char* op;
  Tensor result;
  std::function<void()> backward;
};
std::vector<Entry> tape;
bool tape_has_whole_batch = false;  // layer_norm sums a whole batch in another order than a part
Tensor record(const char* op, const Tensor& result, const std::function<void()>& backward) {
  tape.push_back({op, result, backward});
  return result;
}
/// Goes back. At each entry, the gradient is complete: all ops that use its result come after it.
void backward() {
  tape.back().result->gradient = {1};  // the derivative of the loss by itself
  for (auto entry = tape.rbegin(); entry != tape.rend(); ++entry) entry->backward();
}

// ---- 4. Ops
/// y = a + b. If b has fewer rows, they repeat: positions (time, width) for (batch * time, width).
Tensor add(const Tensor& a, const Tensor& b) {
  const Tensor y = zeros(a->rows, a->columns);
  for (int i = 0; i < y->size(); ++i) y->value[i] = a->value[i] + b->value[i % b->size()];
  return record("add", y, [=] {
    accumulate(a->gradient, y->gradient);
    accumulate(b->gradient, sum_rows(y->gradient.data(), y->size() / b->size(), b->size()));
  });
}
/// y[i] = table[ids[i]], (ids, width). Backward adds in the order of the ids.
Tensor gather_rows(const Tensor& table, const std::vector<int>& ids) {
  const int width = table->columns;
  const Tensor y = zeros(int(ids.size()), width);
  for (int i = 0; i < y->size(); ++i) y->value[i] = table->v()(ids[i / width], i % width);
  return record("gather_rows", y, [=] {
    for (int i = 0; i < y->size(); ++i) table->g()(ids[i / width], i % width) += y->gradient[i];
  });
}
/// y = x W^T + b for x (rows, in), W (out, in) and b (1, out), or no b.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Tensor y = zeros(x->rows, weight->rows);
  for (int i = 0; bias && i < y->size(); ++i) y->value[i] = bias->value[i % y->columns];
  multiply(x->v(), weight->v().t(), y->v());
  return record("linear", y, [=] {
    multiply(y->g().t(), x->v(), weight->g());  // dW = dy^T x
    multiply(y->g(), weight->v(), x->g());      // dx = dy W
    if (bias) accumulate(bias->gradient, sum_rows(y->gradient.data(), y->rows, y->columns));
  });
}
constexpr double log2_e = 0x1.71547652b82fep+0;
constexpr double gelu_a = 2 * 0.79788456080286536, gelu_b = gelu_a * 0.044715;  // 2 sqrt(2 / pi)
/// Approximates the normal distribution by (1 + tanh u) / 2 = 1 / (1 + e^-2u), 2u = a x + b x^3.
float phi(float x) {
  return 1 / (1 + exp2(x * fma(x * x, float(-gelu_b * log2_e), float(-gelu_a * log2_e))));
}
/// y = x phi(x). Where |x| > 12.5, phi(x) is 0 or 1.
Tensor gelu(const Tensor& x) {
  const Tensor y = zeros(x->rows, x->columns);
  const auto limited = [=](int i) { return std::min(12.5f, std::max(-12.5f, x->value[i])); };
  for (int i = 0; i < x->size(); ++i) y->value[i] = std::max(-12.5f, x->value[i]) * phi(limited(i));
  return record("gelu", y, [=] {
    for (int i = 0; i < x->size(); ++i) {
      const float v = limited(i), p = phi(v);
      const float slope = p * (1 - p) * fma(v * v, float(3 * gelu_b), float(gelu_a));
      x->gradient[i] += y->gradient[i] * fma(v, slope, p);
    }
  });
}
/// y = n gain + bias, where n is x, normalized row by row: n = (x - mean) / sqrt(variance + 1e-5).
Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias) {
  struct Row {  // `shift` is the mean, rounded; `offset` corrects its rounding error
    float shift, scale, offset;
    float n(float v) const { return fma(v - shift, scale, offset); }
  };
  const int width = x->columns;
  const float* const g = gain->value.data();
  const auto mean = [=](const auto& f) { return sum(0, width, f) / float(width); };
  const Tensor y = zeros(x->rows, width);
  std::vector<Row> rows;
  for (int i = 0; i < x->rows; ++i) {
    const float* const v = &x->v()(i, 0);
    const float shift = mean([=](int j) { return v[j]; });
    const float rest = mean([=](int j) { return v[j] - shift; });
    const float square = mean([=](int j) { return (v[j] - shift) * (v[j] - shift); });
    const float scale = 1 / std::sqrt(std::max(square - rest * rest, 0.f) + 1e-5f);
    rows.push_back({shift, scale, -rest * scale});
    for (int j = 0; j < width; ++j) y->v()(i, j) = fma(rows[i].n(v[j]), g[j], bias->value[j]);
  }
  return record("layer_norm", y, [=] {
    for (int i = 0; i < x->rows; ++i) {  // dx = (dn - mean(dn) - n mean(dn n)) scale, dn = dy gain
      const Row row = rows[i];
      const float *const v = &x->v()(i, 0), *const dy = &y->g()(i, 0);
      const float slope = mean([=](int j) { return dy[j] * g[j] * row.n(v[j]); });
      const float level = mean([=](int j) { return dy[j] * g[j]; });
      for (int j = 0; j < width; ++j)
        x->g()(i, j) += (fma(dy[j], g[j], -level) - row.n(v[j]) * slope) * row.scale;
    }
    // dgain and dbias add row to row; a large whole batch in 2 or 4 pieces, for as many threads.
    const int pieces = tape_has_whole_batch ? 1 << std::min(x->size() >> 16, 2) : 1;
    for (int piece = 0, i = 0; piece < pieces; ++piece) {
      Floats dgain(width), dbias(width);
      for (const int end = int(std::int64_t{x->rows} * (piece + 1) / pieces); i < end; ++i)
        for (int j = 0; j < width; ++j) {
          dgain[j] = fma(y->g()(i, j), rows[i].n(x->v()(i, j)), dgain[j]);
          dbias[j] += y->g()(i, j);
        }
      accumulate(gain->gradient, dgain);
      accumulate(bias->gradient, dbias);
    }
  });
}
/// The loss, so dy = 1: factor times the sum of -log softmax(x)[target] over rows. Target -1: none.
Tensor cross_entropy(const Tensor& x, const std::vector<int>& targets, float factor) {
  const Tensor y = zeros(1, 1);
  // softmax = exp(x - top) / (1 + others). Without the 1, tiny `others` keep their digits.
  Floats top(x->rows), others(x->rows);
  double loss = 0;
  for (int i = 0; i < x->rows; ++i) {
    const float *const v = &x->v()(i, 0), *const end = v + x->columns;
    const float most = top[i] = *std::max_element(v, end);
    const auto below = [=](int j) { return v[j] == most ? 0 : exp(v[j] - most); };
    others[i] = sum(0, x->columns, below) + float(std::count(v, end, most) - 1);
    if (targets[i] < 0) continue;
    const double rest = others[i], total = 1 + rest;  // Kahan's formula of log(1 + rest):
    const double log_total = total == 1 ? rest : std::log(total) * (rest / (total - 1));
    loss += log_total + (double{most} - v[targets[i]]);
  }
  y->value[0] = float(loss) * factor;
  return record("cross_entropy", y, [=] {
    for (int i = 0; i < x->rows; ++i)
      for (int j = 0; targets[i] >= 0 && j < x->columns; ++j) {
        const float s = others[i], p = exp(x->v()(i, j) - top[i]) * (factor / (1 + s));
        // The target's is p - 1. In the top logit, 1 / (1 + s) - 1 would lose digits.
        const float q = x->v()(i, j) == top[i] ? factor * -(s / (1 + s)) : p - factor;
        x->g()(i, j) += j == targets[i] ? q : p;
      }
  });
}

// ---- 5. Attention
/// A tile of a head's scores: at most 32 queries and 512 keys, so that it stays in the cache.
struct Tile {
  Matrix q, k, v, y, dq, dk, dv, dy;  // the rows of its queries or keys, (rows, d)
  Matrix lse;                         // for each query, log(sum of exp(score)) over all keys
  int seen_first;                     // the number of its keys that its first query may see
  bool is_first, is_last;             // whether it has the first, the last keys of its queries
  int seen(int query) const { return std::min(k.rows, seen_first + query); }
};
/// Returns the tiles of all heads of all sequences, for the arguments of self_attention.
std::vector<Tile> tiles_of(Tensor qkv, Tensor y, Tensor lse, int time, bool is_causal) {
  const int heads = lse->columns, width = y->columns, d = width / heads;
  std::vector<Tile> tiles;
  for (int n = 0; n < y->rows / time * heads; ++n)
    for (int first = 0; first < time; first += 32) {
      const int start = n / heads * time, head = n % heads, queries = std::min(32, time - first);
      const int end = is_causal ? first + queries : time;  // of the keys that the queries see
      for (int k0 = 0; k0 < end; k0 += 512) {
        const int keys = std::min(512, end - k0), seen = is_causal ? first + 1 - k0 : keys;
        const auto q = [=](Matrix x) { return x.part(start + first, queries, head * d, d); };
        const auto k = [=](Matrix x) { return x.part(start + k0, keys, width + head * d, d); };
        const auto v = [=](Matrix x) { return x.part(start + k0, keys, 2 * width + head * d, d); };
        tiles.push_back({q(qkv->v()), k(qkv->v()), v(qkv->v()), q(y->v()), q(qkv->g()), k(qkv->g()),
                         v(qkv->g()), q(y->g()), lse->v().part(start + first, queries, head, 1),
                         seen, k0 == 0, k0 + keys == end});
      }
    }
  return tiles;
}
/// Computes c += factor p x for a tile's p (queries, keys), x (keys, d) and c (queries, d). Strips
/// of 16 queries skip the keys that none of them sees, so they cut the chains into different parts.
void multiply_seen(const Tile& tile, Matrix p, Matrix x, Matrix c, float factor) {
  for (int i = 0; i < p.rows; i += 16) {
    const int rows = std::min(16, p.rows - i), keys = tile.seen(i + rows - 1), d = x.columns;
    multiply(p.part(i, rows, 0, keys), x.part(0, keys, 0, d), c.part(i, rows, 0, d), factor);
  }
}
/// Computes c = factor x y^T for a zero c. If y has a single row, terms go to lanes, as in `sum`.
void dot_products(const Matrix& x, const Matrix& y, const Matrix& c, float factor) {
  if (y.rows > 1) return multiply(x, y.t(), c, factor);
  for (int i = 0; i < c.rows; ++i) {
    float lane[16] = {};
    for (int k = 0; k < x.columns; ++k) lane[k % 16] = fma(x(i, k), y(0, k), lane[k % 16]);
    c(i, 0) = factor * sum(0, 16, [&](int l) { return lane[l]; });
  }
}
/// y = softmax(q k^T / sqrt(d)) v for each head: qkv (batch * time, 3 heads d), y (batch * time,
/// heads d). If causal, no query sees later keys. The softmax isn't stored, but computed again.
Tensor self_attention(const Tensor& qkv, int time, int heads, bool is_causal) {
  const int d = qkv->columns / 3 / heads;
  const float factor = float(1 / std::sqrt(double(d)));
  const Tensor y = zeros(qkv->rows, d * heads), lse = zeros(qkv->rows, heads);
  const std::vector<Tile> tiles = tiles_of(qkv, y, lse, time, is_causal);
  float top[32], total[32];
  for (const Tile& tile : tiles) {
    Floats scores(tile.q.rows * tile.k.rows);
    const Matrix p{scores.data(), tile.q.rows, tile.k.rows, tile.k.rows};
    dot_products(tile.q, tile.k, p, factor);
    // A running softmax: if a tile has a larger score than the tiles before, their sums shrink.
    for (int i = 0; i < p.rows; ++i) {
      float *const begin = &p(i, 0), *const end = begin + tile.seen(i);
      const float before = tile.is_first ? -INFINITY : top[i];
      top[i] = std::max(before, *std::max_element(begin, end));
      const float shrink = exp(before - top[i]);
      total[i] = tile.is_first ? 0 : total[i] * shrink;
      for (int j = 0; j < d; ++j) tile.y(i, j) *= shrink;
      for (float* score = begin; score < end; ++score) total[i] += (*score = exp(*score - top[i]));
      std::fill(end, begin + p.columns, 0.f);
    }
    multiply_seen(tile, p, tile.v, tile.y, 1);
    for (int i = 0; tile.is_last && i < p.rows; ++i) {
      tile.lse(i, 0) = top[i] + log(total[i]);
      const float inverse = 1 / total[i];
      for (int j = 0; j < d; ++j) tile.y(i, j) *= inverse;
    }
  }
  return record("self_attention", y, [=, keep = lse] {  // tiles point into lse
    for (const Tile& tile : tiles) {
      Floats scores(tile.q.rows * tile.k.rows), dscores = scores;
      const Matrix p{scores.data(), tile.q.rows, tile.k.rows, tile.k.rows};
      const Matrix dp{dscores.data(), p.rows, p.columns, p.columns};
      dot_products(tile.q, tile.k, p, factor);
      dot_products(tile.dy, tile.v, dp, 1);
      for (int i = 0; i < p.rows; ++i) {
        // The gradient of a score is p (dp - mean). The mean, the sum of p dp, equals y dy.
        const float mean = sum(0, d, [&](int j) { return tile.dy(i, j) * tile.y(i, j); });
        for (int j = 0; j < p.columns; ++j) {
          p(i, j) = j < tile.seen(i) ? exp(p(i, j) - tile.lse(i, 0)) : 0;
          dp(i, j) = j < tile.seen(i) ? p(i, j) * (dp(i, j) - mean) : 0;
        }
      }
      multiply_seen(tile, dp, tile.k, tile.dq, factor);
      multiply(dp.t(), tile.q, tile.dk, factor);
      multiply(p.t(), tile.dy, tile.dv);
    }
  });
}

// ---- 6. Random numbers and the data
/// What to train, and how, with the defaults of `tapehead train reverse`.
struct Options {
  bool is_copy = false;  ///< a decoder that copies, or else an encoder that reverses
  int seed = 0, steps = 300, batch = 64, length = 16, symbols = 10, layers = 1, heads = 1,
      width = 32;
  std::string trace;  ///< file for all numbers of the first three steps
  int time() const { return is_copy ? 2 * length - 1 : length; }  // tokens that the model reads
};
/// Random numbers: an encrypted counter (Philox4x32-10; Salmon et al., "Parallel random numbers: as
/// easy as 1, 2, 3", has the constants). They depend only on the seed and on what they are for.
struct Random {
  int seed;
  std::uint32_t counter[4];  // number of the block, example, site | purpose << 24, step
  std::uint32_t block[4] = {};
  int used = 4;
  std::uint32_t bits() {
    if (used < 4) return block[used++];
    auto [a, b, c, d] = counter;
    std::uint32_t k0 = std::uint32_t(seed), k1 = 0;
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
      const std::uint64_t x = std::uint64_t{0xD2511F53} * a, y = std::uint64_t{0xCD9E8D57} * c;
      a = std::uint32_t(y >> 32) ^ b ^ k0, b = std::uint32_t(y);
      c = std::uint32_t(x >> 32) ^ d ^ k1, d = std::uint32_t(x);
    }
    ++counter[0], used = 1, block[1] = b, block[2] = c, block[3] = d;
    return a;
  }
  double uniform() {  // in [0, 1), with 53 random bits
    const std::uint64_t high = bits() >> 5, low = bits() >> 6;
    return double(high << 26 | low) * 0x1p-53;
  }
  double normal() {  // Box and Muller. The result is rounded to float, so any good cos will do.
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  int below(std::uint32_t n) {  // Lemire's method rejects words that favor some results
    const std::uint64_t unfair = (std::uint64_t{1} << 32) % n;
    for (;;)
      if (const std::uint64_t x = std::uint64_t{bits()} * n; std::uint32_t(x) >= unfair)
        return int(x >> 32);
  }
};
constexpr std::uint32_t draws_weights = 1 << 24, draws_batch = 2 << 24;  // purposes, site 0
/// The ids that a model reads, and the ids that it should predict, -1 for none: (batch * time).
struct Batch {
  std::vector<int> inputs, targets;
  /// One of 16 prompts is for validation, chosen by a hash (FNV-1a, and a factor to mix its bits).
  static bool is_held_out(const std::vector<int>& prompt) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const int token : prompt)
      for (int shift = 0; shift < 32; shift += 8)
        hash = (hash ^ (std::uint32_t(token) >> shift & 0xff)) * 0x100000001b3;
    return hash * 0x9e3779b97f4a7c15 < std::uint64_t{1} << 60;
  }
  /// Draws prompts until one belongs to the wanted set, and appends the example.
  void append(const Options& o, Random random, bool held_out) {
    std::vector<int> read(o.length);
    do
      for (int& token : read) token = random.below(o.symbols);
    while (is_held_out(read) != held_out);
    std::vector<int> predicted(read.rbegin(), read.rend());
    if (o.is_copy) {  // position i predicts token i + 1, if it belongs to the second half
      predicted.assign(o.length - 1, -1);
      predicted.insert(predicted.end(), read.begin(), read.end());
      read.insert(read.end(), predicted.end() - o.length, predicted.end() - 1);
    }
    inputs.insert(inputs.end(), read.begin(), read.end());
    targets.insert(targets.end(), predicted.begin(), predicted.end());
  }
};

// ---- 7. The model
struct Parameter {
  std::string name;
  Tensor x;
  bool decays;  // weight decay is for matrices, not for vectors
  Floats gradient = {}, mean = Floats(x->size()), mean_square = mean;  // for the optimizer
};
/// A transformer: an encoder, or a decoder with weight tying. The first pass makes the parameters.
struct Model {
  Options o;
  std::vector<Parameter> parameters = {};
  std::size_t used = 0;
  explicit Model(const Options& options) : o(options) { logits(std::vector<int>(o.time())); }
  /// Returns the next parameter. Its initial elements are random, or `equal` if sigma is 0.
  Tensor parameter(const std::string& name, int rows, int columns, double sigma, float equal) {
    if (used == parameters.size()) {
      Random random{o.seed, {0, 0, std::uint32_t(used) | draws_weights, 0}};
      const Tensor x = zeros(rows, columns);
      for (float& w : x->value) w = sigma > 0 ? float(random.normal()) * float(sigma) : equal;
      parameters.push_back({name, x, sigma > 0});
    }
    return parameters[used++].x;
  }
  Tensor norm(const std::string& name, const Tensor& x) {
    const Tensor gain = parameter(name + ".gain", 1, o.width, 0, 1);
    return layer_norm(x, gain, parameter(name + ".bias", 1, o.width, 0, 0));
  }
  Tensor affine(const std::string& name, const Tensor& x, int out, double sigma) {
    const Tensor weight = parameter(name + ".weight", out, x->columns, sigma, 0);
    return linear(x, weight, parameter(name + ".bias", 1, out, 0, 0));
  }
  Tensor logits(const std::vector<int>& ids) {  // (batch * time) -> (batch * time, symbols)
    tape.clear(), used = 0;
    const double sigma = 0.02, small = sigma / std::sqrt(2.0 * o.layers);  // small: added to x
    const Tensor tokens = parameter("tokens.weight", o.symbols, o.width, sigma, 0);
    const Tensor positions = parameter("positions.weight", o.time(), o.width, sigma, 0);
    Tensor x = add(gather_rows(tokens, ids), positions);  // (batch * time, width)
    for (int i = 0; i < o.layers; ++i) {
      const std::string at = "blocks." + std::to_string(i) + ".";
      const Tensor normed = norm(at + "attention_norm", x);
      const Tensor qkv = affine(at + "attention.qkv", normed, 3 * o.width, sigma);
      const Tensor heads = self_attention(qkv, o.time(), o.heads, o.is_copy);
      x = add(x, affine(at + "attention.out", heads, o.width, small));
      const Tensor read = norm(at + "mlp_norm", x);
      const Tensor hidden = gelu(affine(at + "mlp.in", read, 4 * o.width, sigma));
      x = add(x, affine(at + "mlp.out", hidden, o.width, small));
    }
    x = norm("norm", x);
    return o.is_copy ? linear(x, tokens, nullptr) : affine("head", x, o.symbols, sigma);
  }
};

// ---- 8. A training step
/// Returns the number of shards, parts of a batch for one thread each. A large model with few
/// tokens has fewer, to save gradients. An example has 2 length - 1 tokens, read and predicted.
int shards_of(const Model& model, const Options& o) {
  std::int64_t size = 0;
  for (const Parameter& p : model.parameters) size += p.x->size();
  int shards = 1;
  for (; shards < 4 && o.batch % (2 * shards) == 0; shards *= 2) {
    const bool has_few_tokens = o.batch * (2 * o.length - 1) < 256 * 2 * shards;
    if (has_few_tokens && size > (shards == 1 ? 1 << 22 : 1 << 18)) break;
  }
  return shards;
}
/// Writes the name, sizes, elements and gradients of a tensor.
void write(std::ostream& trace, const std::string& name, const Tensor& x, const Floats& gradient) {
  trace << name << ' ' << x->rows << ' ' << x->columns << '\n';
  for (const Floats& all : {x->value, gradient})
    trace.write(reinterpret_cast<const char*>(all.data()), x->size() * sizeof(float));
}
/// Computes the gradients of a batch, and returns its loss. Adds the gradients of shards in order.
double sum_gradients(Model& model, int step, std::ostream& trace) {
  const Options& o = model.o;
  const int shards = shards_of(model, o), examples = o.batch / shards;
  tape_has_whole_batch = shards == 1;
  double loss = 0;
  for (Parameter& p : model.parameters) p.gradient.assign(p.x->size(), 0);
  for (int shard = 0; shard < shards; ++shard) {
    Batch batch;
    for (int i = shard * examples; i < (shard + 1) * examples; ++i)
      batch.append(o, {o.seed, {0, std::uint32_t(i), draws_batch, std::uint32_t(step)}}, false);
    for (Parameter& p : model.parameters) p.x->gradient.assign(p.x->size(), 0);
    const float factor = float(1 / (double(o.batch) * o.length));  // for a mean over all shards
    loss += cross_entropy(model.logits(batch.inputs), batch.targets, factor)->value[0];
    backward();
    for (const Entry& entry : tape) write(trace, entry.op, entry.result, entry.result->gradient);
    for (Parameter& p : model.parameters) accumulate(p.gradient, p.x->gradient);
  }
  return loss;
}
/// Returns the sum of squares in double: in 16 lanes, which are added after every 65,536 elements.
double squares(const Floats& x) {
  double total = 0;
  for (std::size_t first = 0; first < x.size(); first += 1 << 16) {
    double lane[16] = {};
    for (std::size_t i = first; i < std::min(x.size(), first + (1 << 16)); ++i)
      lane[i % 16] += double{x[i]} * x[i];
    total += std::accumulate(lane, lane + 16, 0.0);
  }
  return total;
}
/// Makes a step of AdamW (Loshchilov and Hutter), with gradients whose norm is limited to 1. The
/// learning rate rises for 20 steps, and falls like half a cosine. 1 - beta^t corrects the means.
void update(Model& model, int step) {
  constexpr double beta1 = 0.9, beta2 = 0.99, decay = 0.1, most = 0.003, least = 1e-4;
  const double cosine = std::cos(3.141592653589793 * (double(step - 20) / (model.o.steps - 20)));
  const double falling = least + 0.5 * (1 + cosine) * (most - least);
  const double lr = step < 20 ? most * (double(step + 1) / 21) : falling;
  const float rate = float(lr / (1 - std::pow(beta1, step + 1)));
  const float spread = float(1 / std::sqrt(1 - std::pow(beta2, step + 1)));
  double norm = 0;
  for (const Parameter& p : model.parameters) norm += squares(p.gradient);
  const float scale = float(norm > 1 ? 1 / std::sqrt(norm) : 1);
  for (Parameter& p : model.parameters) {
    const float keep = float(1 - lr * (p.decays ? decay : 0));
    for (int i = 0; i < p.x->size(); ++i) {
      float &x = p.x->value[i], &m = p.mean[i], &v = p.mean_square[i];
      const float g = p.gradient[i] * scale;
      m = fma(float(beta1), m, float(1 - beta1) * g);
      v = fma(float(beta2), v, float(1 - beta2) * g * g);
      x = fma(keep, x, -(rate * m / fma(std::sqrt(v), spread, 1e-8f)));
    }
  }
}

// ---- 9. The run
/// Prints the mean loss on 1,000 validation examples, and the share that is predicted completely.
void evaluate(Model& model) {
  const Options& o = model.o;
  const int together = std::clamp(512 / (2 * o.length - 1), 1, 64);  // examples, up to 512 tokens
  double loss = 0, right = 0;
  for (int first = 0; first < 1000; first += together) {
    Batch batch;
    for (int i = first; i < std::min(first + together, 1000); ++i)
      batch.append(o, {0, {0, std::uint32_t(i), 1 | draws_batch, 0}}, true);  // seed 0, site 1
    const Tensor x = model.logits(batch.inputs);
    loss += cross_entropy(x, batch.targets, 1)->value[0];
    for (int i = 0, wrong = 0; i < x->rows; ++i) {
      const float* const v = &x->v()(i, 0);
      const int likeliest = int(std::max_element(v, v + o.symbols) - v);
      wrong += batch.targets[i] >= 0 && batch.targets[i] != likeliest;
      if ((i + 1) % o.time() == 0) right += wrong == 0, wrong = 0;
    }
  }
  loss /= 1000.0 * o.length;
  std::printf("validation: loss %.4f, exact match %.2f %%\n", loss, 0.1 * right);
}
/// Returns 64 bits of SHA-256. Its constants are fractions of the roots of primes (FIPS 180-4).
std::uint64_t sha256(std::string bytes) {
  const auto fraction = [](double x) { return std::uint32_t((x - std::floor(x)) * 0x1p32); };
  const auto turned = [](std::uint32_t x, int n) { return x >> n | x << (32 - n); };
  std::uint32_t state[8], constants[64];
  for (int n = 0, prime = 2; n < 64; ++prime) {
    int divisor = 2;
    while (prime % divisor != 0) ++divisor;
    if (divisor < prime) continue;
    if (n < 8) state[n] = fraction(std::sqrt(prime));
    constants[n++] = fraction(std::cbrt(prime));
  }
  const std::uint64_t length = bytes.size();
  bytes += '\x80';
  bytes.append((119 - length % 64) % 64, '\0');  // blocks of 64 bytes: the last 8 are the length
  for (int shift = 56; shift >= 0; shift -= 8) bytes += char(8 * length >> shift);
  for (std::size_t at = 0; at < bytes.size(); at += 64) {
    std::uint32_t w[64] = {}, s[8];
    for (int i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | std::uint8_t(bytes[at + i]);
    for (int t = 16; t < 64; ++t) {
      const std::uint32_t x = w[t - 15], y = w[t - 2], more = w[t - 7] + w[t - 16];
      w[t] = more + (turned(x, 7) ^ turned(x, 18) ^ x >> 3) +
             (turned(y, 17) ^ turned(y, 19) ^ y >> 10);
    }
    std::copy_n(state, 8, s);
    for (int t = 0; t < 64; ++t) {
      const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const std::uint32_t x = s[7] + choice + constants[t] + w[t] +
                              (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25));
      const std::uint32_t y = majority + (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22));
      std::copy_backward(s, s + 7, s + 8);
      s[4] += x, s[0] = x + y;
    }
    for (int i = 0; i < 8; ++i) state[i] += s[i];
  }
  return std::uint64_t{state[0]} << 32 | state[1];
}
/// Returns the weight hash of all names, types, shapes and (little-endian) elements, by name.
std::uint64_t weight_hash(const Model& model) {
  std::map<std::string, Tensor> sorted;
  for (const Parameter& p : model.parameters) sorted[p.name] = p.x;
  std::string all;
  for (const auto& [name, x] : sorted) {
    all += name + '\0' + "F32" + (x->rows > 1 ? " " + std::to_string(x->rows) : "");
    all += " " + std::to_string(x->columns) + "\n";
    all.append(reinterpret_cast<const char*>(x->value.data()), x->size() * sizeof(float));
  }
  return sha256(all);
}
/// Reads the command line: `copy` or `reverse`, and options with their values.
Options parse(const std::vector<std::string>& words) {
  Options o;
  const std::map<std::string, int*> numbers = {{"--seed", &o.seed},     {"--steps", &o.steps},
                                               {"--batch", &o.batch},   {"--length", &o.length},
                                               {"--layers", &o.layers}, {"--heads", &o.heads},
                                               {"--width", &o.width}};
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == "copy")
      o.is_copy = true, o.symbols = 16, o.heads = 2, o.width = 64;
    else if (words[i] == "--trace")
      o.trace = words.at(++i);
    else if (words[i] != "reverse")
      *numbers.at(words[i]) = std::stoi(words.at(i + 1)), ++i;
  const int least = std::min({o.seed + 1, o.steps, o.batch, o.length - 2, o.layers, o.heads});
  if (least < 1 || o.width < 2 || o.width % o.heads != 0) throw "sizes";
  return o;
}
}  // namespace
int main(int count, char** words) try {
  Model model(parse({words + 1, words + count}));
  const bool is_traced = !model.o.trace.empty();
  std::ofstream trace(model.o.trace, std::ios::binary);  // without a name, it ignores all output
  for (int step = 0; step < (is_traced ? 3 : model.o.steps); ++step) {
    const double loss = sum_gradients(model, step, trace);
    update(model, step);
    for (const Parameter& p : model.parameters) write(trace, p.name, p.x, p.gradient);
    if (step % 50 == 0) std::printf("step %d: loss %.4f\n", step, loss);
  }
  if (is_traced) return trace.flush() ? 0 : 1;
  evaluate(model);
  std::printf("weight hash: %016llx\n", static_cast<unsigned long long>(weight_hash(model)));
} catch (...) {
  std::fputs("usage: one_file [copy|reverse] [OPTION VALUE]...; `parse` has the options\n", stderr);
  return 2;
}
