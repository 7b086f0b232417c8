// Tests attention weights in NumPy's format.
#include "../../../cli/extensions.hpp"
#include "../../../tests/shared/attention_run.hpp"
#include "../../../tests/shared/awkward_maps.hpp"
#include "../../../tests/shared/support.hpp"
#include "stored_arrays.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(attention_npz)

BOOST_AUTO_TEST_CASE(holds_the_maps_of_a_run) {
  const AttentionRun run;
  BOOST_TEST(run.show({"--out", "map.npz"}).status == 0);
  const Arrays arrays = stored_arrays_of_file("map.npz");
  BOOST_TEST_REQUIRE(arrays.size() == 2U);
  BOOST_TEST(arrays.at("blocks.1.attention").shape() == (Shape{2, 5, 5}));
  BOOST_TEST(run.show({"--out", "map.npy"}).status == 0);
  const Tensor all = from_npy(contents("map.npy"));  // (layers, heads, queries, keys)
  BOOST_TEST(arrays.at("blocks.1.attention").values() == slice(all, 0, 1, 2).values());
  expect_refused(run.show({"--format", "npz"}), "--format npz needs --out FILE");
}

BOOST_AUTO_TEST_CASE(maps_may_have_any_shapes) {
  const Registry registry = make_registry();
  const auto& formats = registry.extensions<AttentionFormat>();
  const AttentionFormat& format =
      *std::find_if(formats.begin(), formats.end(),
                    [](const AttentionFormat& each) { return each.name == "npz"; });
  const std::vector<AttentionMap> maps = awkward_maps();
  const Arrays arrays = stored_arrays(format.bytes({maps, "", LoadedRun(), Example(), {}}));
  BOOST_TEST_REQUIRE(arrays.size() == 2U);
  for (const AttentionMap& map : maps) expect_equal(arrays.at(map.module), map.weights);
}

BOOST_AUTO_TEST_SUITE_END()
