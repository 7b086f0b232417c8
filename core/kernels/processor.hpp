#pragma once
// Processor features and the pause instruction.
#ifdef __x86_64__
#include <cpuid.h>
#include <emmintrin.h>

namespace tapehead {

/// Pauses in a spin loop, so that the core's other hyperthread can run.
inline void cpu_pause() { _mm_pause(); }

/// The x86-64 levels that the processor and the operating system support. Doesn't use
/// __builtin_cpu_supports, which requires a library that not every system has.
class Processor {
 public:
  Processor() {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return;
    const bool fma = c >> 12 & 1, saves = c >> 27 & 1;
    if (!saves) return;
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    const bool saves_avx = (low & 0x06) == 0x06, saves_avx512 = (low & 0xe6) == 0xe6;
    if (!saves_avx || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
    v3 = fma && (b >> 5 & 1) && (b >> 8 & 1);  // AVX2 and BMI2
    const bool f = b >> 16 & 1, dq = b >> 17 & 1, bw = b >> 30 & 1, vl = b >> 31 & 1;
    v4 = v3 && saves_avx512 && f && dq && bw && vl;
  }
  bool v3 = false, v4 = false;
};

}  // namespace tapehead
#else
#include <thread>

namespace tapehead {

inline void cpu_pause() { std::this_thread::yield(); }

}  // namespace tapehead
#endif
