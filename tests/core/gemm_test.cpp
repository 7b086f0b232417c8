#include "../../core/kernels/kernels.hpp"
#include "../../core/random.hpp"
#include "../../train/step/thread_scope.hpp"
#include "../shared/build.hpp"
#include "../shared/matrices.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(gemm)

namespace {

/// The layout of the operands, and the epilogue of a matmul.
struct Way {
  bool a_transposed = false, b_transposed = false;
  Start start = Start::zero;
  Index gap = 0;  // additional elements between rows
  double tolerance = 1e-4;
};

/// Makes a row-major or transposed matrix (rows, columns), with `gap` additional elements per row.
template <class T>
std::vector<T> laid_out(const std::vector<T>& elements, Index rows, Index columns, bool transposed,
                        Index gap) {
  const Index stride = (transposed ? rows : columns) + gap;
  std::vector<T> data((transposed ? columns : rows) * stride, T(77));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      data[transposed ? j * stride + i : i * stride + j] = elements[i * columns + j];
  return data;
}

/// Two factors, and some rows of their product, computed with three plain loops.
template <class T>
struct Product {
  Product(Index rows, Index inner, Index columns, Index every = 1)
      : rows(rows), inner(inner), columns(columns), every(every) {
    for (Index i = 0; i < rows; i += every)
      for (Index j = 0; j < columns; ++j) {
        double sum = 0;
        for (Index k = 0; k < inner; ++k)
          sum += double(a[i * inner + k]) * double(b[k * columns + j]);
        sums.push_back(sum);
      }
  }
  Index rows, inner, columns, every;
  std::vector<T> a = numbers<T>(rows * inner, 1), b = numbers<T>(inner * columns, 2);
  std::vector<double> sums;
};

template <class T>
void compare(const Product<T>& product, const Way& way) {
  const auto& [rows, inner, columns, every, left, right, sums] = product;
  const Index width = columns + way.gap;
  const auto a_data = laid_out(left, rows, inner, way.a_transposed, way.gap);
  const auto b_data = laid_out(right, inner, columns, way.b_transposed, way.gap);
  const auto before = numbers<T>(rows * width, 3), bias = numbers<T>(columns, 4);
  auto after = before;
  const Matrix<const T> a{a_data.data(), rows, inner, (way.a_transposed ? rows : inner) + way.gap,
                          way.a_transposed};
  const Matrix<const T> b{b_data.data(), inner, columns,
                          (way.b_transposed ? inner : columns) + way.gap, way.b_transposed};
  tapehead::gemm(a, b, {after.data(), rows, columns, width},
                 {T{0.5}, way.start == Start::c, way.start == Start::bias ? bias.data() : nullptr});
  for (Index i = 0; i < rows; i += every)
    for (Index j = 0; j < width; ++j) {
      const std::size_t at = i * width + j;
      double expected = before[at];
      if (j < columns) {
        if (way.start == Start::zero) expected = 0;
        if (way.start == Start::bias) expected = bias[j];
        expected += 0.5 * sums[i / every * columns + j];
      }
      if (!(relative_error(after[at], expected, 1) <= way.tolerance))
        BOOST_FAIL("row " << i << ", column " << j << ": " << after[at] << ", not " << expected);
    }
}

/// Compares all layouts and epilogues.
template <class T>
void compare(Index rows, Index inner, Index columns, double tolerance) {
  const Product<T> product(rows, inner, columns);
  for (const bool a_transposed : {false, true})
    for (const bool b_transposed : {false, true})
      for (const Start start : {Start::zero, Start::c, Start::bias})
        for (const Index gap : {0, 3})
          compare(product, {a_transposed, b_transposed, start, gap, tolerance});
}

}  // namespace

BOOST_AUTO_TEST_CASE(agrees_with_plain_loops) {
  const std::vector<std::array<Index, 3>> sizes = {
      {1, 1, 1},    {1, 7, 1},   {1, 70, 9},   {2, 3, 4},    {5, 1, 6},   {17, 33, 9},
      {64, 64, 64}, {3, 500, 2}, {32, 16, 32}, {31, 40, 50}, {1, 129, 70}};
  for (const auto& [rows, inner, columns] : sizes) {
    compare<float>(rows, inner, columns, 1e-4);
    compare<double>(rows, inner, columns, 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(every_remainder_of_a_tile_agrees_with_plain_loops) {
  for (Index rows = 1; rows <= 15; ++rows)
    for (const Index columns : {3, 16, 17, 40, 63, 65})
      for (const Index inner : {2, 16, 21}) compare<float>(rows, inner, columns, 1e-4);
  compare<float>(20, 257, 130, 1e-4);  // large enough for several panels
}

BOOST_AUTO_TEST_CASE(large_products_agree_with_plain_loops) {
  compare<float>(170, 190, 180, 1e-4);
  compare<double>(170, 190, 180, 1e-12);
}

BOOST_AUTO_TEST_CASE(sums_of_several_parts_for_several_strips_agree_with_plain_loops) {
  const Product<float> product(1025, 260, 4100, 256);
  for (const Start start : {Start::zero, Start::c, Start::bias}) {
    compare(product, {false, true, start});
    if (under_sanitizers) break;  // smaller sizes test the epilogue, too
  }
}

BOOST_AUTO_TEST_CASE(left_factors_in_rows_of_whole_pages_agree_with_plain_loops) {
  const Product<float> product(1024, 256, 300, 93);
  for (const Start start : {Start::zero, Start::c, Start::bias})
    compare(product, {true, false, start});
}

BOOST_AUTO_TEST_CASE(an_empty_product_is_zero_and_an_empty_result_is_nothing) {
  compare<double>(2, 0, 3, 0);
  compare<float>(0, 3, 2, 0);
  compare<float>(3, 2, 0, 0);
}

BOOST_AUTO_TEST_CASE(what_is_overwritten_is_not_read) {
  const std::vector<double> a{1, 2, 3, 4}, b{5, 6, 7, 8};
  std::vector<double> c(4, std::nan(""));
  tapehead::gemm(matrix(a.data(), 2, 2), matrix(b.data(), 2, 2), matrix(c.data(), 2, 2));
  BOOST_TEST(c == (std::vector<double>{19, 22, 43, 50}));
}

BOOST_AUTO_TEST_CASE(one_operand_may_be_both) {
  const std::vector<float> a{1, 2, 3, 4, 5, 6};
  std::vector<float> c(4), d(9);
  const Matrix<const float> m = matrix(a.data(), 2, 3);
  tapehead::gemm(m, m.t(), matrix(c.data(), 2, 2));
  BOOST_TEST(c == (std::vector<float>{14, 32, 32, 77}));
  tapehead::gemm(m.t(), m, matrix(d.data(), 3, 3));
  BOOST_TEST(d == (std::vector<float>{17, 22, 27, 22, 29, 36, 27, 36, 45}));
}

BOOST_AUTO_TEST_CASE(equal_inputs_give_equal_bits) {
  const auto a = numbers<float>(200 * 401, 1), b = numbers<float>(401 * 100, 2);
  std::vector<float> first(200 * 100), again(200 * 100);
  tapehead::gemm(matrix(a.data(), 200, 401), matrix(b.data(), 401, 100),
                 matrix(first.data(), 200, 100));
  tapehead::gemm(matrix(a.data(), 200, 401), matrix(b.data(), 401, 100),
                 matrix(again.data(), 200, 100));
  BOOST_TEST(first == again);
}

// Compares matmuls that pack factors and split the inner axis with the same matmul piece by piece.
BOOST_AUTO_TEST_CASE(large_products_have_the_bits_of_their_pieces) {
  const Index rows = 250, inner = 300, columns = 200, far = 1 << 14;
  const auto a = numbers<float>(inner * far, 1), b = numbers<float>(inner * columns, 2);
  const Matrix<const float> left{a.data(), rows, inner, far, true};
  const Matrix<const float> right = matrix(b.data(), inner, columns);
  std::vector<float> whole(rows * columns), pieces(rows * columns);
  tapehead::gemm(left, right, matrix(whole.data(), rows, columns));
  const Matrix<float> c = matrix(pieces.data(), rows, columns);
  for (Index i = 0; i < rows; i += 50)
    for (Index j = 0; j < columns; j += 40)
      tapehead::gemm(rows_of(left, i, i + 50), columns_of(right, j, j + 40),
                     columns_of(rows_of(c, i, i + 50), j, j + 40));
  BOOST_TEST(whole == pieces);
}

// The matmuls are split along rows, columns, and both.
BOOST_AUTO_TEST_CASE(large_products_have_the_same_bits_on_more_threads) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>(201, 330), {40, 900}, {1500, 30}}) {
    const Index inner = 300;
    const auto a = numbers<float>(rows * inner, 1), b = numbers<float>(inner * columns, 2),
               bias = numbers<float>(columns, 3);
    const auto product = [&, rows = rows, columns = columns](int threads) {
      const ThreadScope scope(threads);
      std::vector<float> c(rows * columns);
      tapehead::gemm(matrix(a.data(), rows, inner), matrix(b.data(), columns, inner).t(),
                     matrix(c.data(), rows, columns), {1, false, bias.data()});
      return c;
    };
    const std::vector<float> alone = product(1);
    for (const int threads : {2, 3, 7, 16, 64}) BOOST_TEST((product(threads) == alone));
  }
}

// For a single row, a large factor is prefetched, but its pieces aren't.
BOOST_AUTO_TEST_CASE(a_row_by_a_large_factor_has_the_bits_of_its_pieces) {
  const Index inner = 500, columns = 1003;
  const auto x = numbers<float>(inner, 1), m = numbers<float>(columns * inner, 2);
  const Matrix<const float> row = matrix(x.data(), 1, inner);
  const Matrix<const float> factor = matrix(m.data(), columns, inner).t();
  std::vector<float> whole(columns), pieces(columns);
  tapehead::gemm(row, factor, matrix(whole.data(), 1, columns));
  const Matrix<float> c = matrix(pieces.data(), 1, columns);
  for (Index j = 0; j < columns; j += 59)
    tapehead::gemm(row, columns_of(factor, j, j + 59), columns_of(c, j, j + 59));
  BOOST_TEST(whole == pieces);
}

// Sizes that are split over threads, and sizes that aren't.
BOOST_AUTO_TEST_CASE(a_row_by_a_large_factor_has_the_same_bits_on_more_threads) {
  for (const Index columns : {1, 3, 64, 1003, 4000}) {
    const Index inner = 500;
    const auto x = numbers<float>(inner, 1), m = numbers<float>(columns * inner, 2);
    const auto bias = numbers<float>(columns, 3);
    const auto product = [&](int threads) {
      const ThreadScope scope(threads);
      std::vector<float> y(columns);
      tapehead::gemm(matrix(x.data(), 1, inner), matrix(m.data(), columns, inner).t(),
                     matrix(y.data(), 1, columns), {0.5F, false, bias.data()});
      return y;
    };
    const std::vector<float> one = product(1);
    BOOST_TEST(one == product(2));
    BOOST_TEST(one == product(3));
    float last = 0;
    for (Index i = 0; i < inner; ++i) last += x[i] * m[(columns - 1) * inner + i];
    BOOST_TEST(one.back() == 0.5F * last + bias.back(), boost::test_tools::tolerance(1e-3F));
  }
}

BOOST_AUTO_TEST_SUITE_END()
