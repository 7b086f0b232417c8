#include "../../train/config/choices.hpp"
#include "../../train/trainer.hpp"
#include "../shared/small_models.hpp"
#include "../shared/support.hpp"

#include <cmath>
#include <map>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(generate)

namespace {

using Tokens = std::vector<int>;

ModelOptions options_of(DType dtype = DType::f32) {
  ModelOptions options = small_options(5, 6, 1, dtype);
  options.seed = 4;
  return options;
}
std::unique_ptr<TaskModel> small_model(DType dtype = DType::f32) {
  return opinionated_model(options_of(dtype));
}

/// Counts the tokens after the prompt over a thousand seeds.
std::map<int, double> frequencies(const TaskModel& model, SampleOptions options) {
  std::map<int, double> share;
  options.tokens = 1;
  for (options.seed = 0; options.seed < 1000; ++options.seed)
    share[tapehead::generate(model, {1, 2}, options).back()] += 0.001;
  return share;
}

}  // namespace

BOOST_AUTO_TEST_CASE(greedy_takes_the_likeliest) {
  const auto model = small_model();
  SampleOptions options;
  options.temperature = 0;
  options.tokens = 4;
  const Tokens tokens = tapehead::generate(*model, {1, 2}, options);
  BOOST_TEST(tokens.size() == 6u);
  for (std::size_t size = 2; size < tokens.size(); ++size) {
    const auto p = probabilities(*model, {tokens.begin(), tokens.begin() + size});
    BOOST_TEST(tokens[size] == std::max_element(p.begin(), p.end()) - p.begin());
  }
}

// With a context of six, the model sees 1 to 6 tokens from the first one on, 7 to 9 tokens from the
// fourth one on, and so on.
BOOST_AUTO_TEST_CASE(forgets_the_older_half_of_a_full_context) {
  const auto model = small_model(DType::f64);
  SampleOptions options;
  options.temperature = 0;
  options.tokens = 20;
  const Tokens tokens = tapehead::generate(*model, {1}, options);
  BOOST_TEST_REQUIRE(tokens.size() == 21u);
  for (Index size = 1; size < 21; ++size) {
    const Index first = size <= 6 ? 0 : (size - 4) / 3 * 3;
    const auto p = probabilities(*model, {tokens.begin() + first, tokens.begin() + size});
    BOOST_TEST(tokens[size] == std::max_element(p.begin(), p.end()) - p.begin());
  }
  options.tokens = 1;
  options.temperature = 1;
  bool differs = false;
  for (options.seed = 0; options.seed < 20; ++options.seed) {
    const int next = tapehead::generate(*model, {0, 1, 2, 3, 4, 3, 2}, options).back();
    // Only invisible tokens differ.
    BOOST_TEST(tapehead::generate(*model, {4, 0, 1, 3, 4, 3, 2}, options).back() == next);
    differs |= tapehead::generate(*model, {0, 1, 2, 0, 4, 3, 2}, options).back() != next;
  }
  BOOST_TEST(differs);
}

/// Returns a GPT's own attention, registered as custom attention, which has no cache.
std::unique_ptr<Module> own_attention(const AttentionLayerOptions& o) {
  return std::make_unique<MultiHeadAttention>(o);
}

BOOST_AUTO_TEST_CASE(a_cache_changes_nothing) {
  const Registry registry;
  for (const std::string& name : registry.positions().names()) BOOST_TEST_CONTEXT(name) {
      ModelOptions o = options_of(DType::f64);
      o.layers = 2;
      o.share_layers = 1, o.tied_kv = name == "rotary";
      OwnValues own;
      own.texts = {{"reach", "2"}, {"rotary-base", "10000"}};
      registry.positions().make(name)(o, own);
      o.kv_heads = 1;
      o.qk_norm = true;
      o.temperature = Temperature::qkv;
      const auto cached = opinionated_model(o);
      o.attention = own_attention;
      const auto plain = opinionated_model(o);
      BOOST_TEST(dynamic_cast<GPT&>(*cached->module).caches());
      BOOST_TEST(!dynamic_cast<GPT&>(*plain->module).caches());
      SampleOptions options;
      options.tokens = 30;
      for (double temperature : {0.0, 1.0, 3.0})
        for (const Tokens& prompt : {Tokens{1}, {4, 2, 0}, {0, 1, 2, 3, 4, 3, 2, 1}}) {
          options.temperature = temperature;
          BOOST_TEST(tapehead::generate(*cached, prompt, options) ==
                         tapehead::generate(*plain, prompt, options),
                     per_element());
        }
    }
}

BOOST_AUTO_TEST_CASE(an_encoder_answers_at_once) {
  ModelOptions o = options_of();
  for (bool pooled : {false, true}) {
    o.pooled = pooled;
    const auto model = opinionated_model(o, "encoder");
    SampleOptions options;
    options.temperature = 0;
    options.tokens = 100;
    Pass pass = Pass::evaluation();
    const auto logits =  // (1, 3, vocabulary) or (1, vocabulary)
        (*model->module)(tensor({4, 1, 2}, {1, 3}, DType::i32), pass).values();
    Tokens expected = {4, 1, 2};
    for (auto at = logits.begin(); at != logits.end(); at += 5)
      expected.push_back(std::max_element(at, at + 5) - at);
    BOOST_TEST(expected.size() == (pooled ? 4u : 6u));
    Tokens heard = {4, 1, 2};
    const auto told = [&](int token) { heard.push_back(token); };
    BOOST_TEST(tapehead::generate(*model, {4, 1, 2}, options, told) == expected, per_element());
    BOOST_TEST(heard == expected, per_element());
    options.tokens = 1;
    BOOST_TEST(tapehead::generate(*model, {4, 1, 2}, options).size() == 4u);
    EXPECT_ERROR(ValueError, tapehead::generate(*model, {0, 1, 2, 3, 4, 0, 1}, options),
                 "encoder: prompt of 7 tokens, expected 1 to 6");
  }
}

BOOST_AUTO_TEST_CASE(an_encoder_decoder_generates_as_much_as_its_context_holds) {
  ModelOptions o = options_of();
  o.source = 3;
  const auto model = opinionated_model(o, "encoder-decoder");
  SampleOptions options;
  options.tokens = 100;
  const Tokens tokens = tapehead::generate(*model, {4, 1}, options);
  BOOST_TEST(tokens.size() == 2u + 6u);
  options.tokens = 3;
  const Tokens fewer = tapehead::generate(*model, {4, 1}, options);
  BOOST_TEST((fewer == Tokens(tokens.begin(), tokens.begin() + 5)));
  EXPECT_ERROR(ValueError, tapehead::generate(*model, {0, 1, 2, 3}, options),
               "encoder-decoder: prompt of 4 tokens, expected 1 to 3");
}

BOOST_AUTO_TEST_CASE(stops_after_the_end) {
  const auto model = small_model();
  SampleOptions options;
  options.tokens = 30;
  const Tokens tokens = tapehead::generate(*model, {1}, options);
  for (options.end = 0; options.end < 5; ++options.end) {
    const auto end = std::find(tokens.begin() + 1, tokens.end(), options.end);
    const Tokens expected(tokens.begin(), end == tokens.end() ? end : end + 1);
    BOOST_TEST(tapehead::generate(*model, {1}, options) == expected, per_element());
  }
}

BOOST_AUTO_TEST_CASE(same_seed_same_text) {
  const auto model = small_model();
  SampleOptions options;
  options.tokens = 30;
  const Tokens tokens = tapehead::generate(*model, {1}, options);
  BOOST_TEST((tapehead::generate(*model, {1}, options) == tokens));
  options.seed = 1;
  BOOST_TEST((tapehead::generate(*model, {1}, options) != tokens));
  // Random numbers depend on the position, so a generated text can be continued.
  options.seed = 0;
  options.tokens = 10;
  const Tokens half = tapehead::generate(*model, {1}, options);
  options.tokens = 20;
  BOOST_TEST((tapehead::generate(*model, half, options) == tokens));
}

BOOST_AUTO_TEST_CASE(tells_of_each_token) {
  const auto model = small_model();
  SampleOptions options;
  options.tokens = 7;
  Tokens heard = {3, 1};
  const Tokens tokens =
      tapehead::generate(*model, heard, options, [&](int token) { heard.push_back(token); });
  BOOST_TEST(heard == tokens, per_element());
  options.tokens = 0;
  BOOST_TEST((tapehead::generate(*model, {3, 1}, options) == Tokens{3, 1}));
}

BOOST_AUTO_TEST_CASE(samples_by_probability) {
  const auto model = small_model(DType::f64);
  const auto p = probabilities(*model, {1, 2});
  for (double temperature : {1.0, 0.5, 3.0}) {
    SampleOptions options;
    options.temperature = temperature;
    double total = 0;
    for (double share : p) total += std::pow(share, 1 / temperature);
    const auto share = frequencies(*model, options);
    for (int token = 0; token < 5; ++token) {
      const double expected = std::pow(p[token], 1 / temperature) / total;
      const double seen = share.count(token) ? share.at(token) : 0;
      BOOST_TEST(std::abs(seen - expected) <
                 4 * std::sqrt(expected * (1 - expected) / 1000) + 1e-3);
    }
  }
}

BOOST_AUTO_TEST_CASE(top_k_and_top_p_keep_the_likeliest) {
  const auto model = small_model();
  const auto p = probabilities(*model, {1, 2});
  Tokens order = {0, 1, 2, 3, 4};
  const auto share = [&](int token) { return p[token]; };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return share(a) > share(b); });
  const auto kept = [&](const SampleOptions& options) {
    Tokens tokens;
    for (const auto& [token, often] : frequencies(*model, options)) tokens.push_back(token);
    return tokens;
  };
  const auto likeliest = [&](std::size_t n) {
    Tokens tokens(order.begin(), order.begin() + n);
    std::sort(tokens.begin(), tokens.end());
    return tokens;
  };
  SampleOptions options;
  options.temperature = 20;  // nearly uniform, so that every kept token occurs
  for (Index k = 1; k <= 5; ++k) {
    options.top_k = k;
    BOOST_TEST((kept(options) == likeliest(static_cast<std::size_t>(k))));
  }
  options.top_k = 100;
  BOOST_TEST((kept(options) == likeliest(5)));

  // top_p applies after temperature and top_k.
  options = {};
  options.top_p = share(order[0]) / 2;
  BOOST_TEST((kept(options) == likeliest(1)));
  options.top_p = share(order[0]) + share(order[1]) / 2;
  BOOST_TEST((kept(options) == likeliest(2)));
  options.top_k = 2;
  options.top_p = 0.5 * share(order[0]) / (share(order[0]) + share(order[1]));
  BOOST_TEST((kept(options) == likeliest(1)));
}

BOOST_AUTO_TEST_CASE(refuses) {
  const auto model = small_model();
  const auto expect = [&](const Tokens& prompt, const SampleOptions& options,
                          const std::string& text) {
    EXPECT_ERROR(ValueError, tapehead::generate(*model, prompt, options), "sample: " + text);
  };
  SampleOptions options;
  expect({}, options, "the prompt is empty, expected at least one token");
  expect({1, 5}, options, "token 5 in the prompt, expected 0 to 4");
  expect({-1}, options, "token -1 in the prompt, expected 0 to 4");
  options.temperature = -1;
  expect({1}, options, "--temperature must be at least 0, not -1");
  options.temperature = NAN;
  expect({1}, options, "--temperature must be at least 0, not nan");
  options = {};
  options.top_k = -1;
  expect({1}, options, "--top-k must be at least 0, not -1");
  options = {};
  options.top_p = 0;
  expect({1}, options, "--top-p must be above 0 and at most 1, not 0");
  options.top_p = 1.5;
  expect({1}, options, "--top-p must be above 0 and at most 1, not 1.5");
  options = {};
  options.tokens = -1;
  expect({1}, options, "--tokens must be at least 0, not -1");
}

BOOST_AUTO_TEST_CASE(a_diverged_model) {
  const auto model = small_model();
  parameters(*model->module).back()->set(full({8}, NAN));  // parameter of the last norm
  SampleOptions options;
  options.tokens = 1;
  EXPECT_ERROR(Error, tapehead::generate(*model, {1}, options),
               "sample: the model's output isn't finite; the training diverged");
}

BOOST_AUTO_TEST_CASE(records_nothing) {
  const auto model = small_model();
  SampleOptions options;
  options.tokens = 3;
  const Tape tape;
  tapehead::generate(*model, {1}, options);
  BOOST_TEST(tape.size() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
