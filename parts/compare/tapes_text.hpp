#pragma once
// Where two tapes part, in words.
#include "tapes.hpp"

namespace tapehead {

/// `first value that differs: softmax 2[0, 1], by 1 ulp`, the element of both in full, and why.
/// `what` is what stands before the colon.
std::string parting_text(const ComparedTapes& tapes, const char* what, const Parting& parting,
                         int width);

}  // namespace tapehead
