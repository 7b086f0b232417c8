#include "../../core/kernels/functions/angles.hpp"
#include "../../train/data/option_limits.hpp"
#include "image_task.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr Index levels = 16;
constexpr double third = 2.0943951023931957, degree = 0.017453292519943295;  // radians

struct Point {
  double x, y;
};
double length(Point p) { return std::sqrt(p.x * p.x + p.y * p.y); }
/// Returns the signed distance from a rectangle with corners (-x, -y) and (x, y).
double from_box(Point p, double x, double y) {
  return std::max(std::abs(p.x) - x, std::abs(p.y) - y);
}
double from_triangle(Point p) {
  double most = p.y;
  for (const double turn : {third, -third})
    most = std::max(most, p.y * kernel::cos(turn) + p.x * kernel::sin(turn));
  return most - 0.42;
}

/// A drawing with a radius of about 1, defined by its signed distance function, which is negative
/// inside.
struct Drawing {
  const char* name;
  double (*distance)(Point);
};
constexpr Drawing drawings[] = {
    {"disc", [](Point p) { return length(p) - 0.75; }},
    {"ring", [](Point p) { return std::abs(length(p) - 0.7) - 0.17; }},
    {"square", [](Point p) { return from_box(p, 0.65, 0.65); }},
    {"frame", [](Point p) { return std::abs(from_box(p, 0.6, 0.6)) - 0.15; }},
    {"triangle", from_triangle},
    {"cross", [](Point p) { return std::min(from_box(p, 0.17, 0.8), from_box(p, 0.8, 0.17)); }},
    {"bar", [](Point p) { return from_box(p, 0.2, 0.85); }},
    {"moon",
     [](Point p) {
       return std::max(length(p) - 0.8, 0.7 - length({p.x - 0.45, p.y}));
     }},
};

/// A task of classifying small drawings with random position, rotation, size and brightness, plus
/// noise.
class Shapes : public ImageTask {
 public:
  explicit Shapes(const TaskOptions& options)
      : Shapes(options, whole_option(options, "side", 8, 64)) {}

  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    return draw({seed, Draw::batch, static_cast<std::uint32_t>(step), 0,
                 static_cast<std::uint32_t>(number)},
                false);
  }
  Index held_out_size() const override { return 1000; }
  Example held_out_example(Index number) const override {
    return draw({0, Draw::batch, 0, 1, static_cast<std::uint32_t>(number)}, true);
  }

 private:
  Shapes(const TaskOptions& options, Index side)
      : ImageTask("shapes", {side, side, 1, levels}, names_of(drawings)),
        shift_(static_cast<double>(
            whole_option(options, "shift", 0, OptionLimit(side / 4, "--side / 4")))),
        turn_(degree * static_cast<double>(whole_option(options, "turn", 0, 180))),
        noise_(0.01 * static_cast<double>(whole_option(options, "noise", 0, 100))) {}

  /// Draws images until one belongs to the requested split.
  Example draw(const RandomKey& key, bool held_out) const {
    Random random(key);
    for (;;) {
      Example example = draw(random);
      if (is_held_out(example.tokens.data(), example.question) == held_out) return example;
    }
  }
  Example draw(Random& random) const {
    const auto within = [&](double low, double high) {
      return low + (high - low) * random.uniform();
    };
    const auto label = static_cast<int>(random.below(std::size(drawings)));
    const auto side = static_cast<double>(shape_.rows);
    // unit: pixels per unit of the drawing; light: its brightness.
    const double unit = side / 2 * within(0.6, 0.95), light = within(0.5, 1);
    const double turn = within(-turn_, turn_), cos = kernel::cos(turn), sin = kernel::sin(turn);
    const Point centre{side / 2 + within(-shift_, shift_), side / 2 + within(-shift_, shift_)};
    std::vector<Index> image;
    for (Index row = 0; row < shape_.rows; ++row)
      for (Index column = 0; column < shape_.columns; ++column) {
        const double x = (static_cast<double>(column) + 0.5 - centre.x) / unit;
        const double y = (static_cast<double>(row) + 0.5 - centre.y) / unit;
        const Point p{cos * x + sin * y, cos * y - sin * x};
        const double covered = std::clamp(0.5 - unit * drawings[label].distance(p), 0.0, 1.0);
        const double seen = std::clamp(light * covered + noise_ * random.normal(), 0.0, 1.0);
        image.push_back(static_cast<Index>(std::floor(seen * (levels - 1) + 0.5)));
      }
    return example(image, label);
  }

  double shift_, turn_;  // maximum shift in pixels, maximum rotation in radians
  double noise_;         // standard deviation of the noise; white is 1
};

}  // namespace

TaskEntry shapes_task(const Registry& registry) {
  return {"shapes",
          "classify drawings: disc, ring, square, frame, triangle, cross, bar, moon",
          "a vision transformer combines an image's patches by attention",
          "exact match above 98 %",
          image_defaults("--steps 1200 --eval-every 400", registry),
          {},
          {{"side", "image side in pixels, 8 to 64", "16"},
           {"noise", "noise: standard deviation in percent of white, 0 to 100", "15"},
           {"shift", "largest shift in pixels, up to a quarter of the side", "2"},
           {"turn", "largest rotation in degrees, 0 to 180", "180"}},
          "",
          {"vit", "encoder"},
          [](const TaskOptions& options) { return std::make_unique<Shapes>(options); }};
}

}  // namespace tapehead
