// fmt's core declares how text is formatted; its format.h defines it, and takes as long to read as
// all of ours. It is instantiated here once, for everyone who formats a shape, a type or a tensor.
#include "error.hpp"

#include <fmt/format.h>

template auto fmt::formatter<fmt::string_view>::format(const fmt::string_view& text,
                                                       fmt::format_context& context) const
    -> decltype(context.out());
