#pragma once

namespace tapehead {

// The parts of the page of attention maps that don't depend on them.
extern const char *const page_style, *const page_body, *const page_script;

}  // namespace tapehead
