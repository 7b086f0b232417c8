#include "../patches.hpp"
#include "../../../tests/shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(patches)

namespace {

/// Returns an embedding whose map copies its input and has no bias.
PatchEmbedding copying(const PatchOptions& options) {
  PatchEmbedding layer(options, options.side * options.side * options.image.channels);
  initialise(layer, 1, DType::f64);
  const Index n = layer.map.weight.shape[0];
  layer.map.weight.set(one_hot(arange(n), n, DType::f64));
  return layer;
}

Tensor output(const Module& module, const Tensor& x) {
  Pass pass;
  return module(x, pass);
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_image_is_cut_row_by_row) {
  // The image has 4 x 4 pixels with 5 levels and 3 classes; a patch has 2 x 2 pixels, row by row.
  const PatchEmbedding layer = copying({{4, 4, 1, 5, 3}, 2});
  const Tensor ids = tensor({3, 4, 5, 6,  //
                             7, 3, 3, 4,  //
                             5, 5, 7, 7,  //
                             6, 6, 4, 3},
                            {1, 16}, DType::i32);
  expect_equal(output(layer, ids), tensor({-1, -0.5, 1, -1,   //
                                           0, 0.5, -1, -0.5,  //
                                           0, 0, 0.5, 0.5,    //
                                           1, 1, -0.5, -1},
                                          {1, 4, 4}, DType::f64));
}

BOOST_AUTO_TEST_CASE(channels_of_a_pixel_stay_together) {
  const PatchEmbedding layer = copying({{1, 2, 3, 2, 2}, 1});
  const Tensor ids = tensor({2, 3, 2, 3, 3, 2}, {1, 6}, DType::i32);
  expect_equal(output(layer, ids), tensor({-1, 1, -1, 1, 1, -1}, {1, 2, 3}, DType::f64));
}

// The norm's gain and bias are initially 1 and 0; a column of the map takes one number of a patch.
BOOST_AUTO_TEST_CASE(shifts_go_to_the_four_corners) {
  PatchEmbedding layer({{2, 2, 1, 5, 1}, 2, true}, 20);
  initialise(layer, 1, DType::f64);
  layer.map.weight.set(one_hot(arange(20), 20, DType::f64));
  const Tensor ids = tensor({5, 2, 4, 1}, {1, 4}, DType::i32);  // 1, -0.5, 0.5, -1
  // For each pixel: its value in the image, then in the image shifted up-left, up-right, down-left
  // and down-right.
  const Tensor numbers = tensor({1,    -1, 0,   0,    0,  //
                                 -0.5, 0,  0.5, 0,    0,  //
                                 0.5,  0,  0,   -0.5, 0,  //
                                 -1,   0,  0,   0,    1},
                                {1, 1, 20}, DType::f64);
  expect_equal(output(layer, ids), layer_norm(numbers), 1e-14);
}

BOOST_AUTO_TEST_CASE(invalid_patches_are_refused) {
  const auto made = [](const PatchOptions& options) { PatchEmbedding(options, 4); };
  EXPECT_ERROR(ValueError, made({{8, 6, 1, 17, 10}, 4}),
               "patches: 4 x 4 pixels don't divide an image of 8 x 6");
  EXPECT_ERROR(ValueError, made({{8, 8, 1, 17, 10}, 0}),
               "patches: 0 x 0 pixels don't divide an image of 8 x 8");
  EXPECT_ERROR(ValueError, made({{8, 8, 1, 17, 10}, 1, true}),
               "patches: a patch of 1 x 1 pixels can't be shifted by half");
  EXPECT_ERROR(ValueError, made({{8, 0, 1, 17, 10}, 1}),
               "patches: image of 8 x 0 x 1 with 17 levels and 10 classes; expected at least 2 "
               "levels, and at least 1 for the others");
  EXPECT_ERROR(ValueError, made({{8, 8, 1, 1, 10}, 1}),
               "patches: image of 8 x 8 x 1 with 1 level and 10 classes; expected at least 2 "
               "levels, and at least 1 for the others");
}

BOOST_AUTO_TEST_CASE(malformed_images_are_refused) {
  const PatchEmbedding layer = copying({{2, 2, 1, 4, 3}, 2});
  EXPECT_ERROR(ShapeError, output(layer, zeros({1, 5}, DType::i32)),
               "patches: ids (1, 5), expected (batch, 4)");
  EXPECT_ERROR(ValueError, output(layer, tensor({3, 4, 2, 5}, {1, 4}, DType::i32)),
               "patches: id 2 isn't a pixel; pixels have ids 3 to 6");
  EXPECT_ERROR(ValueError, output(layer, tensor({3, 4, 7, 5}, {1, 4}, DType::i32)),
               "patches: id 7 isn't a pixel; pixels have ids 3 to 6");
}

BOOST_AUTO_TEST_SUITE_END()
