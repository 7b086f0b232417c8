#include "table.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

template <class T>
void fill(Kernels<T>& table) {
  add_elementwise(table);
  add_rows(table);
  add_norms(table);
  add_cross_entropy(table);
  add_rotary(table);
  add_products(table);
  add_attention_forward(table);
  add_attention_backward(table);
  add_recurrence(table);
  add_updates(table);
}

void fill(Kernels<float>& f32, Kernels<double>& f64, BitKernels& bits) {
  fill(f32);
  fill(f64);
  add_bits(bits);
}

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
