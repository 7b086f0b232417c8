#include "image_task.hpp"
#include "vit.hpp"

namespace tapehead {
namespace {

/// Returns options for images of 4 x 4 pixels with three levels and two classes, and for shifted
/// patches of 2 x 2 pixels.
PatchOptions small_patches() { return {{4, 4, 1, 3, 2}, 2, true, true}; }
Tensor pixels() {
  return tensor({2, 3, 4, 4, 2, 2, 3, 2, 4, 3, 2, 4, 3, 2, 4, 2,   //
                 4, 2, 2, 3, 3, 4, 2, 4, 2, 2, 3, 4, 4, 3, 2, 3},  //
                {2, 16}, DType::i32);
}
ModelOptions small_vit() {
  ModelOptions options;
  options.heads = 2;
  options.width = 8;
  options.dropout = 0.1;
  options.temperature = Temperature::lsa;
  return options;
}

}  // namespace

/// Adds the vision transformer `--arch vit` and the image tasks.
void add_images(Registry& registry) {
  registry.model(vit_architecture());
  // Build all default configurations first, because each registration rebuilds the table of options
  // that they use.
  for (const TaskEntry& task :
       {shapes_task(registry), digits_task(registry), images_task(registry)})
    registry.task(task);
  registry.layer({"PatchEmbedding", "embeds an image's shifted patches",
                  [] { return std::make_unique<PatchEmbedding>(small_patches(), 8); }, pixels()});
  LayerEntry vit{"ViT", "classifies an image from its patches",
                 [] { return std::make_unique<ViT>(small_vit(), small_patches()); }, pixels()};
  vit.tolerance = 1e-5;
  registry.layer(std::move(vit));
}

}  // namespace tapehead
