#include "vit_model.hpp"
#include "image_task.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

/// What a model of these patches reads and predicts.
ModelOptions reading(ModelOptions options, const PatchOptions& patches) {
  options.context = patches.image.size();
  options.pooled = true;
  return options;
}

const ImageTask& images_of(const Task* task) {
  const auto* images = dynamic_cast<const ImageTask*>(task);
  if (!images) throw UsageError("--arch vit: this task has no images");
  return *images;
}

PatchOptions patches_of(const OwnValues& own, const Task* task) {
  PatchOptions patches = own.as<PatchOptions>();
  patches.image = images_of(task).image();
  try {
    return checked(patches);
  } catch (const ValueError& error) {
    throw UsageError("--patch {}: {}", patches.side, error.what());
  }
}

}  // namespace

ViTModel::ViTModel(const ModelOptions& options, const PatchOptions& patches)
    : EncoderModel("vit", reading(options, patches), std::make_unique<ViT>(options, patches)) {}

std::vector<std::string> ViTModel::position_names() const {
  std::vector<std::string> names;
  if (patches().class_token) names.emplace_back("class");
  const Index across = patches().image.columns / patches().side;
  for (Index i = 0; i < patches().count(); ++i)
    names.push_back(fmt::format("{},{}", i / across, i % across));
  return names;
}

ArchitecturePart vit_part() {
  MakeArchitecture make;
  make.make = [](const ModelOptions& options, const OwnValues& own, const Task* task) {
    return std::make_unique<ViTModel>(options, patches_of(own, task));
  };
  make.set_lengths = [](ModelOptions&, const Task&) {};  // its patches do
  make.blocks = true;
  return {"vit",
          "cuts an image into patches, and says what it shows",
          std::move(make),
          {},
          options_of<PatchOptions>()};
}

}  // namespace tapehead
