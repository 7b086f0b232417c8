#include "overlay.hpp"
#include "image_json.hpp"
#include "picture.hpp"

namespace tapehead {
namespace {

/// Whether a model reads patches: only such a one has been told of an image.
bool reads_patches(const TaskModel& model) { return model.options.patches.image.size() > 0; }

/// The weights that a head gives to the patches.
std::vector<double> given_to_patches(const HeadWeights& head, Index before) {
  std::vector<double> weights(head.keys - before, 0);
  const Index rows = before > 0 ? 1 : head.queries;
  for (Index row = 0; row < rows; ++row)
    for (Index patch = 0; patch < head.keys - before; ++patch)
      weights[patch] += head(row, before + patch) / static_cast<double>(rows);
  return weights;
}

}  // namespace

std::string overlay_text(const std::vector<AttentionMap>& maps, const TaskModel& model,
                         const Example& example, const Terminal& terminal) {
  if (!reads_patches(model)) return "";
  const PatchOptions& patches = model.options.patches;
  const ImageShape& image = patches.image;
  const Picture seen = picture_of(image, example.tokens);
  std::vector<std::string> pictures;
  if (!terminal.colour) pictures.push_back("the image\n" + drawn(seen, terminal));
  for (const AttentionMap& map : maps)
    for (Index head = 0; head < map.heads(); ++head) {
      const std::vector<double> weights =
          given_to_patches(map.head(head), patches.class_token ? 1 : 0);
      const Picture given =
          picture_of(image.rows / patches.side, image.columns / patches.side, weights);
      const Picture shown =
          terminal.colour ? covered(seen, given) : resized(given, image.rows, image.columns);
      pictures.push_back(paint(terminal, Style::bold, map.title(head)) + '\n' +
                         drawn(shown, terminal));
    }
  const char* const title = patches.class_token ? "what the class token looks at\n"
                                                : "what the patches look at, on average\n";
  return title + side_by_side(pictures, terminal.width) + '\n';
}

Json overlay_json(const TaskModel& model, const Example& example) {
  if (!reads_patches(model)) return nullptr;
  const PatchOptions& patches = model.options.patches;
  Json json = image_json(patches.image, example.tokens);
  json["patch"] = patches.side;
  json["before"] = patches.class_token ? 1 : 0;
  return json;
}

}  // namespace tapehead
