#pragma once
#include "profiler.hpp"

namespace tapehead {

/// The recording in the Trace Event Format, as chrome://tracing and Perfetto read it: JSON, one
/// event a line. Each thread is a track, `live tensors` a counter of megabytes; an event tells the
/// module, the shape and the bytes of its results. Times are in microseconds.
std::string to_trace(const Recording& recording);

}  // namespace tapehead
