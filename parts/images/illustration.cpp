#include "illustration.hpp"
#include "../../cli/terminal/answer.hpp"
#include "picture.hpp"
#include "vit.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tapehead {
namespace {

/// Returns the attention weights that a head gives the patches: from the class token, or else the
/// mean over all patches. `before` is the number of class tokens.
std::vector<double> given_to_patches(const HeadWeights& head, Index before) {
  std::vector<double> weights(head.keys - before, 0);
  const Index rows = before > 0 ? 1 : head.queries;
  for (Index row = 0; row < rows; ++row)
    for (Index patch = 0; patch < head.keys - before; ++patch)
      weights[patch] += head(row, before + patch) / static_cast<double>(rows);
  return weights;
}

}  // namespace

std::string ImageIllustration::question(const std::vector<int>& question,
                                        const Terminal& terminal) const {
  const std::string picture = render(make_picture(image_, question), terminal);
  return side_by_side({"  in", picture}, terminal.width);
}

std::string ImageIllustration::gallery(const std::vector<Example>& examples,
                                       const std::vector<std::vector<int>>& predicted,
                                       const Terminal& terminal) const {
  std::vector<std::string> pictures;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const std::vector<int> right = answer_of(examples[i]);
    const bool good = predicted[i] == right;
    const std::string sign = paint(terminal, good ? Style::good : Style::bad, good ? "✓" : "✗");
    pictures.push_back(render(make_picture(image_, examples[i].tokens), terminal) +
                       fmt::format("{} {}\n", visible(task_.show(predicted[i])), sign) +
                       (good ? "" : fmt::format("not {}\n", visible(task_.show(right)))));
  }
  return side_by_side(pictures, terminal.width);
}

std::string ImageIllustration::overlay(const std::vector<AttentionMap>& maps,
                                       const TaskModel& model, const Example& example,
                                       const Terminal& terminal) const {
  const auto* vit = dynamic_cast<const ViTModel*>(&model);
  if (!vit) return "";
  const PatchOptions& patches = vit->patches();
  const Picture seen = make_picture(image_, example.tokens);
  std::vector<std::string> pictures;
  if (!terminal.colour) pictures.push_back("the image\n" + render(seen, terminal));
  for (const AttentionMap& map : maps)
    for (Index head = 0; head < map.heads(); ++head) {
      const std::vector<double> weights =
          given_to_patches(map.head(head), patches.class_token ? 1 : 0);
      const Picture given =
          make_picture(image_.rows / patches.side, image_.columns / patches.side, weights);
      const Picture shown =
          terminal.colour ? blend(seen, given) : resize(given, image_.rows, image_.columns);
      pictures.push_back(paint(terminal, Style::bold, map.title(head)) + '\n' +
                         render(shown, terminal));
    }
  const char* const title =
      patches.class_token ? "attention of the class token\n" : "mean attention of the patches\n";
  return title + side_by_side(pictures, terminal.width) + '\n';
}

Json ImageIllustration::question_json(const std::vector<int>& question) const {
  std::string pixels;
  for (const auto& colour : make_picture(image_, question).colours)
    for (const double part : colour) pixels += fmt::format("{:02x}", std::lround(255 * part));
  return {{"rows", image_.rows}, {"columns", image_.columns}, {"pixels", std::move(pixels)}};
}

Json ImageIllustration::overlay_json(const TaskModel& model, const Example& example) const {
  const auto* vit = dynamic_cast<const ViTModel*>(&model);
  if (!vit) return nullptr;
  Json json = question_json(example.tokens);
  json["patch"] = vit->patches().side;
  json["before"] = vit->patches().class_token ? 1 : 0;
  return json;
}

}  // namespace tapehead
