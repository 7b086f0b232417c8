#include "../../train/model/generate.hpp"
#include "../shared/small_models.hpp"
#include "../shared/support.hpp"

#include <algorithm>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(generate_samples)

namespace {

using Tokens = std::vector<int>;

ModelOptions options_of(DType dtype) {
  ModelOptions options = small_options(5, 6, 1, dtype);
  options.seed = 4;
  return options;
}
std::unique_ptr<TaskModel> small_model(DType dtype) { return opinionated_model(options_of(dtype)); }

/// Returns whether tokens are equal, and probabilities equal except for rounding.
bool alike(const std::vector<GeneratedToken>& a, const std::vector<GeneratedToken>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const GeneratedToken& x, const GeneratedToken& y) {
                      return x.token == y.token && std::abs(x.probability - y.probability) < 1e-5;
                    });
}

}  // namespace

BOOST_AUTO_TEST_CASE(samples_dont_depend_on_their_number) {
  for (const DType dtype : {DType::f32, DType::f64})
    for (const char* arch : {"gpt", "encoder", "encoder-decoder"}) BOOST_TEST_CONTEXT(arch) {
        ModelOptions o = options_of(dtype);
        if (arch == std::string("encoder-decoder")) o.source = 3;
        const auto model = opinionated_model(o, arch);
        SampleOptions options;
        options.tokens = 20;
        options.temperature = 3;
        const auto nine = tapehead::generate_samples(*model, {1, 4, 2}, 9, options);
        std::set<Tokens> different;
        for (const auto& said : nine) {
          Tokens tokens;
          for (const GeneratedToken& s : said) tokens.push_back(s.token);
          different.insert(tokens);
        }
        BOOST_TEST(different.size() > 5u);
        for (Index samples : {1, 2, 5, 8, 9}) {
          const auto some = tapehead::generate_samples(*model, {1, 4, 2}, samples, options);
          BOOST_TEST_REQUIRE(some.size() == static_cast<std::size_t>(samples));
          for (std::size_t i = 0; i < some.size(); ++i) BOOST_TEST(alike(some[i], nine[i]));
        }
        options.stream = samples_at_once;
        const auto ninth = tapehead::generate_samples(*model, {1, 4, 2}, 1, options);
        BOOST_TEST(alike(ninth[0], nine[8]));
      }
}

BOOST_AUTO_TEST_CASE(a_sample_equals_a_single_generation) {
  const auto model = small_model(DType::f64);
  SampleOptions options;
  options.tokens = 20;
  const auto all = tapehead::generate_samples(*model, {1, 2}, 3, options);
  for (std::size_t i = 0; i < 3; ++i) {
    options.stream = i;
    Tokens tokens = {1, 2};
    for (const GeneratedToken& said : all[i]) tokens.push_back(said.token);
    BOOST_TEST(tapehead::generate(*model, {1, 2}, options) == tokens, per_element());
  }
}

BOOST_AUTO_TEST_CASE(each_sample_ends_for_itself) {
  const auto model = small_model(DType::f32);
  SampleOptions options;
  options.tokens = 15;
  const auto endless = tapehead::generate_samples(*model, {1}, 8, options);
  options.end = endless[0][3].token;
  const auto ended = tapehead::generate_samples(*model, {1}, 8, options);
  std::set<std::size_t> lengths;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t size = 0;
    while (size < 15 && endless[i][size].token != options.end) ++size;
    size = std::min<std::size_t>(size + 1, 15);
    BOOST_TEST_REQUIRE(ended[i].size() == size);
    lengths.insert(size);
    for (std::size_t place = 0; place < size; ++place)
      BOOST_TEST(ended[i][place].token == endless[i][place].token);
  }
  BOOST_TEST(lengths.size() > 1u);
}

BOOST_AUTO_TEST_CASE(equally_likely_tokens_stand_in_their_order) {
  const auto model = small_model(DType::f32);
  for (Parameter* parameter : parameters(*model->module))
    parameter->set(full(parameter->value().shape(), 0));
  SampleOptions options;
  options.tokens = 1;
  options.temperature = 0;
  options.alternatives = 5;
  const auto said = tapehead::generate_samples(*model, {1}, 1, options)[0][0];
  BOOST_TEST(said.token == 0);
  for (std::size_t i = 0; i < 5; ++i)
    BOOST_TEST(said.alternatives.at(i).token == static_cast<int>(i));
}

BOOST_AUTO_TEST_CASE(reports_how_likely_tokens_were) {
  const auto model = small_model(DType::f64);
  SampleOptions options;
  options.tokens = 4;
  options.temperature = 3;  // changes the choice, not the reported probabilities
  options.alternatives = 3;
  Tokens seen = {1, 2};
  const auto told = [&](Index sample, const GeneratedToken& said) {
    BOOST_TEST(sample == 0);
    const auto p = probabilities(*model, seen);
    BOOST_TEST(said.probability == p[said.token], boost::test_tools::tolerance(1e-9));
    Tokens order = {0, 1, 2, 3, 4};
    std::sort(order.begin(), order.end(), [&](int a, int b) { return p[a] > p[b]; });
    BOOST_TEST_REQUIRE(said.alternatives.size() == 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      BOOST_TEST(said.alternatives[i].token == order[i]);
      BOOST_TEST(said.alternatives[i].probability == p[order[i]],
                 boost::test_tools::tolerance(1e-9));
    }
    seen.push_back(said.token);
  };
  tapehead::generate_samples(*model, seen, 1, options, told);
  BOOST_TEST(seen.size() == 6u);
  options.alternatives = 100;
  BOOST_TEST(tapehead::generate_samples(*model, {1}, 1, options)[0][0].alternatives.size() == 5u);
  options.alternatives = 0;
  BOOST_TEST(tapehead::generate_samples(*model, {1}, 1, options)[0][0].alternatives.empty());
  EXPECT_ERROR(ValueError, tapehead::generate_samples(*model, {1}, 0, options),
               "sample: --samples must be at least 1, not 0");
}

BOOST_AUTO_TEST_SUITE_END()
