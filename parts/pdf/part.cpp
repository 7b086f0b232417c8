#include "part.hpp"
#include "pdf.hpp"

namespace tapehead {

void add_pdf(Registry& registry) { registry.extend(FigureFormat{"pdf", to_pdf}); }

}  // namespace tapehead
