#pragma once
#include "project.hpp"

namespace tapehead {

extern const EmbeddedFile project_templates[];  ///< of `tapehead new`; a null path ends them

}  // namespace tapehead
