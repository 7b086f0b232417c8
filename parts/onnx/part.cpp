#include "../../cli/extensions.hpp"
#include "../../train/runs/files.hpp"
#include "onnx.hpp"

namespace tapehead {

/// Adds `export --format onnx`.
void add_onnx(Registry& registry) {
  registry.extend(
      ExportFormat{"onnx", "the model as ONNX", [](const LoadedRun& run, const std::string& path) {
                     write_file(path, to_onnx(*run.model));
                     return fmt::format("from tokens (batch, {}) to logits", onnx_time(*run.model));
                   }});
}

}  // namespace tapehead
