// Build it yourself: a framework in one file. Replace each todo().
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

[[noreturn]] inline void todo() { throw std::logic_error("still to do"); }

// ---- Chapter 1: values and a tape

using Numbers = std::vector<float>;

/// Numbers with a shape, in row-major order, and the derivative of the loss by each of them.
struct Node {
  std::vector<int> shape;
  Numbers value, grad;
};
using Tensor = std::shared_ptr<Node>;

int count(const std::vector<int>& shape) {
  int n = 1;
  for (int size : shape) n *= size;
  return n;
}
Tensor tensor(std::vector<int> shape, Numbers value) {
  const std::size_t size = value.size();
  return std::make_shared<Node>(Node{std::move(shape), std::move(value), Numbers(size)});
}
/// Returns zeros.
Tensor tensor(const std::vector<int>& shape) {
  return tensor(shape, Numbers(static_cast<std::size_t>(count(shape))));
}

/// Each op appends a function that passes the gradient of its result on to its inputs.
std::vector<std::function<void()>> tape;

/// Sums n rows of `width` numbers, in Tapehead's order: halves while there are more than 32.
Numbers sum_rows(const float* x, int n, int width) {
  Numbers total(width);
  if (n > 32) {
    total = sum_rows(x, n / 2, width);
    const Numbers second = sum_rows(x + n / 2 * width, n - n / 2, width);
    for (int j = 0; j < width; ++j) total[j] += second[j];
    return total;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < width; ++j) total[j] += x[i * width + j];
  return total;
}

/// Adds dx to x->grad. If x was broadcast, dx is longer, with more axes in front: sums over them.
void add_gradient(const Tensor& x, const Numbers& dx) {
  //[
  const int size = x->grad.size();
  const Numbers sum = sum_rows(dx.data(), dx.size() / size, size);
  for (int i = 0; i < size; ++i) x->grad[i] += sum[i];
  //]
}

/// Adds dy to y->grad, calls the functions on the tape in the right order, and empties it.
void backward(const Tensor& y, const Numbers& dy) {
  //[
  for (std::size_t i = 0; i < dy.size(); ++i) y->grad[i] += dy[i];
  for (; !tape.empty(); tape.pop_back()) tape.back()();
  //]
}

/// a + b. b may lack axes in front; then it is repeated along them.
Tensor add(const Tensor& a, const Tensor& b) {
  const Tensor y = tensor(a->shape, a->value);
  for (std::size_t i = 0; i < y->value.size(); ++i) y->value[i] += b->value[i % b->value.size()];
  tape.push_back([=] {
    add_gradient(a, y->grad);
    add_gradient(b, y->grad);
  });
  return y;
}

/// a * b, element by element. Both have the same shape.
Tensor mul(const Tensor& a, const Tensor& b) {
  //[
  const Tensor y = tensor(a->shape);
  for (std::size_t i = 0; i < y->value.size(); ++i) y->value[i] = a->value[i] * b->value[i];
  tape.push_back([=] {
    Numbers da = y->grad, db = y->grad;
    for (std::size_t i = 0; i < da.size(); ++i) {
      da[i] *= b->value[i];
      db[i] *= a->value[i];
    }
    add_gradient(a, da);
    add_gradient(b, db);
  });
  return y;
  //]
}
