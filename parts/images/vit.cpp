#include "vit.hpp"
#include "image_task.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

/// Sinusoidal positions that encode the rows and columns of patches. A class token has no position.
struct GridPositions : PositionScheme {
  explicit GridPositions(const PatchOptions& options)
      : rows(options.image.rows / options.side), columns(options.image.columns / options.side) {}
  Tensor add(const Tensor& x, const Tensor&, Index, Pass&) const override {
    const Index width = x.dim(2), half = width / 2;
    const auto spread = [&](const Tensor& codes) {
      return broadcast_to(codes, Shape{rows, columns, codes.dim(2)});
    };
    const Tensor down = reshape(sinusoids(0, rows, half, x.dtype()), {rows, 1, half});
    const Tensor right =
        reshape(sinusoids(0, columns, width - half, x.dtype()), {1, columns, width - half});
    const Tensor grid = reshape(concat({spread(down), spread(right)}, 2), {rows * columns, width});
    return x + pad(grid, 0, x.dim(1) - rows * columns, 0);
  }

  Index rows, columns;
};

std::unique_ptr<PositionScheme> positions_of(const ModelOptions& options,
                                             const PatchOptions& patches) {
  const auto* sinusoidal = options.position.as<SinusoidalPositions>();
  if (sinusoidal && sinusoidal->random.range == 0) return std::make_unique<GridPositions>(patches);
  return options.position.on_input(options, patches.tokens());
}

ModelOptions completed(ModelOptions options, const PatchOptions& patches) {
  options.context = checked(patches).tokens();
  options.vocabulary = patches.image.classes;
  return checked_model("ViT", options);
}

/// Sets the model options that follow from the image size.
ModelOptions with_patch_sizes(ModelOptions options, const PatchOptions& patches) {
  options.context = patches.image.size();
  options.pooled = true;
  return options;
}

const ImageTask& images_of(const Task* task) {
  const auto* images = dynamic_cast<const ImageTask*>(task);
  if (!images) throw UsageError("--arch vit needs a task with images, such as digits");
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

ViT::ViT(const ModelOptions& given, const PatchOptions& given_patches)
    : options(completed(given, given_patches)),
      patches(given_patches, options.width),
      positions(positions_of(options, given_patches)),
      dropout(options.dropout),
      norm(make_norm(options)),
      head(options.width, given_patches.image.classes, {true, default_init(options)}) {
  if (given_patches.class_token)
    class_token = Parameter({options.width}, default_init(options), false);
  head.weight.matrices.clear();  // these aren't weights between inner vectors of the model
  patches.map.weight.matrices.clear();
  blocks = make_blocks(options, false);
  finish_construction(*this, options);
}

Tensor ViT::forward(const Tensor& ids, Pass& pass) const {
  Tensor x = patches(ids, pass);  // (batch, patches, width)
  if (class_token.present)
    x = concat({broadcast_to(class_token, Shape{x.dim(0), 1, x.dim(2)}), x}, 1);
  x = dropout(positions ? positions->add(x, {}, 0, pass) : x, pass);  // (batch, tokens, width)
  for (const Block& block : blocks) x = block(x, pass);
  x = apply_optional(norm, x, pass);
  x = class_token.present ? reshape(slice(x, 1, 0, 1), {x.dim(0), x.dim(2)}) : mean(x, {1});
  return head(x, pass);
}

void ViT::visit(Visitor& v) {
  v("patches", patches);
  v("class_token", class_token);
  if (positions) positions->visit(v);
  v("blocks", blocks);
  v("norm", norm);
  v("head", head);
}

ViTModel::ViTModel(const ModelOptions& options, const PatchOptions& patches)
    : EncoderModel("vit", with_patch_sizes(options, patches),
                   std::make_unique<ViT>(options, patches)) {}

std::vector<std::string> ViTModel::position_names() const {
  std::vector<std::string> names;
  if (patches().class_token) names.emplace_back("class");
  const Index across = patches().image.columns / patches().side;
  for (Index i = 0; i < patches().count(); ++i)
    names.push_back(fmt::format("{},{}", i / across, i % across));
  return names;
}

ArchitecturePart vit_architecture() {
  MakeArchitecture make;
  make.make = [](const ModelOptions& options, const OwnValues& own, const Task* task) {
    return std::make_unique<ViTModel>(options, patches_of(own, task));
  };
  make.set_lengths = [](ModelOptions&, const Task&) {};  // the patches determine the lengths
  make.blocks = true;
  return {"vit",
          "classifies images from their patches (vision transformer)",
          std::move(make),
          {},
          options_of<PatchOptions>()};
}

}  // namespace tapehead
