#pragma once
#include "profiler.hpp"

namespace tapehead {

/// The recording in the Trace Event Format, which chrome://tracing and Perfetto read: JSON, one
/// event per line. Each thread is a track, and `live tensors` a counter in megabytes; an event
/// gives its module, and the shape and bytes of its results. Times are in microseconds.
std::string to_trace(const Recording& recording);

}  // namespace tapehead
