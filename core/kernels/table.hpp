#pragma once
// Functions that fill the kernel table of one instruction set. Each source file adds its own
// kernels.
#include "kernels.hpp"
#include "simd.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {

template <class T>
void add_elementwise(Kernels<T>& table);
template <class T>
void add_rows(Kernels<T>& table);
template <class T>
void add_norms(Kernels<T>& table);
template <class T>
void add_cross_entropy(Kernels<T>& table);
template <class T>
void add_rotary(Kernels<T>& table);
template <class T>
void add_products(Kernels<T>& table);
template <class T>
void add_attention_forward(Kernels<T>& table);
template <class T>
void add_attention_backward(Kernels<T>& table);
template <class T>
void add_recurrence(Kernels<T>& table);
template <class T>
void add_updates(Kernels<T>& table);
void add_bits(BitKernels& table);

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
