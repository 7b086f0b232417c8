#include "../../../cli/commands/commands.hpp"
#include "../../../cli/commands/load_run.hpp"
#include "../../../cli/extensions.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/files/npy.hpp"
#include "../../../train/safetensors/safetensors.hpp"
#include "../../parts.hpp"

#include <algorithm>
#include <cmath>

using namespace tapehead;

/// A temporary folder with `hub`, a copy of tests/golden/gpt2, which transformers saved.
struct Hub : Elsewhere {
  Hub() { std::filesystem::copy(std::string(source_dir) + "/tests/golden/gpt2", "hub"); }
};

BOOST_FIXTURE_TEST_SUITE(exchange, Hub)

namespace {

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  BOOST_TEST_REQUIRE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}
/// Expects an error for a config.json in which `from` is replaced.
void expect_config_refused(const std::string& from, const std::string& to,
                           const std::string& reason) {
  static const std::string whole = read_file("hub/config.json");
  write_file("hub/config.json", changed(whole, from, to));
  expect_refused("import hub", "hub/config.json: " + reason, 1);
  write_file("hub/config.json", whole);
}
/// Expects an error for a model file with these tensors.
void expect_weights_refused(const std::map<std::string, Tensor>& tensors,
                            const std::string& reason) {
  write_safetensors("hub/model.safetensors", {{}, tensors});
  expect_refused("import hub", "hub/model.safetensors: " + reason, 1);
}
std::map<std::string, Tensor> hub_weights() {
  return read_safetensors("hub/model.safetensors").tensors;
}

void expect_same_tensors(const std::string& one, const std::string& other) {
  const auto a = read_safetensors(one).tensors, b = read_safetensors(other).tensors;
  BOOST_TEST_REQUIRE(a.size() == b.size());
  for (const auto& [name, x] : a) expect_equal(b.at(name), x);
}

/// Compares the logits of a run with the logits of transformers.
void expect_logits(const std::string& path) {
  const Tensor inputs = from_npy(contents("hub/inputs.npy")),
               logits = from_npy(contents("hub/logits.npy"));
  const LoadedRun run = load_run(path, make_registry());
  Pass pass = Pass::evaluation();
  expect_equal((*run.model->module)(inputs, pass), logits, 1e-5);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_gpt2_comes_in) {
  const Output output = done("import hub --out runs/in");
  BOOST_TEST(output.text ==
             "runs/in · 262 tokens, context 16 · 2 layers, 2 heads, width 12 · "
             "5,728\nparameters\n");
  expect_logits("runs/in");
  std::ofstream("text.txt") << std::string(80, 'x') << " the tin in a hat";
  const json evaluated = json_of("eval runs/in --data text.txt --json");
  BOOST_TEST(evaluated["step"] == 0);
  BOOST_TEST(has(done("sample runs/in --prompt 'in the' --tokens 3").text, "in the"));
  BOOST_TEST(has(done("attention runs/in --input 'in the hat'").text, "the"));
  for (const CommandEntry& entry : all_commands(make_registry()))
    if (!entry.recommended.empty() && entry.name != "attention") done(entry.name + " runs/in");
  done("digest runs/in");
  BOOST_TEST(parsed(contents("runs/in/provenance.jsonl"))["command"] ==
             "tapehead import hub --out runs/in");
  BOOST_TEST(has(done("runs").text, "complete"));
  expect_refused("verify runs/in",
                 "verify: the weights of runs/in were imported, not trained; do that again, and "
                 "compare what 'digest' prints for both runs");
}

BOOST_AUTO_TEST_CASE(training_goes_on_from_it) {
  done("import hub --out runs/in");
  std::string text;
  for (int i = 0; i < 60; ++i) text += "the tin in a hat ";
  write_file("text.txt", text);
  done(
      "train text --config runs/in/config.toml --init runs/in --data text.txt --steps 2 "
      "--batch 2 --out runs/on");
  const Output resumed = command("train text --resume runs/in");
  BOOST_TEST(resumed.status == 1);
  BOOST_TEST(resumed.errors ==
             "tapehead: runs/in/step-0/optimizer.safetensors: no optimizer state, because the "
             "weights were imported; to start a new run from them: train text --config "
             "RUN/config.toml --init RUN --data FILE\n");
}

BOOST_AUTO_TEST_CASE(in_and_out_again_is_the_same) {
  done("import hub --out runs/in");
  BOOST_TEST(done("export runs/in --format huggingface out").text ==
             "step 0 of runs/in · out: model.safetensors, config.json, merges.txt,\n"
             "tokenizer.json, tokenizer_config.json, vocab.json\n");
  expect_same_tensors("hub/model.safetensors", "out/model.safetensors");
  BOOST_TEST(contents("out/merges.txt") == contents("hub/merges.txt"));
  BOOST_TEST(parsed(contents("out/vocab.json")) == parsed(contents("hub/vocab.json")));
  const json there = parsed(contents("hub/config.json")),
             back = parsed(contents("out/config.json"));
  for (const auto& [name, value] : back.items())
    if (there.contains(name)) BOOST_TEST_CONTEXT(name) {
        BOOST_TEST(value == there[name]);
      }
  BOOST_TEST(read_safetensors("out/model.safetensors").metadata.at("format") == "pt");

  // tokenizer.json alone is enough.
  std::filesystem::remove("out/vocab.json");
  std::filesystem::remove("out/merges.txt");
  done("import out --out runs/again");
  BOOST_TEST(json_of("digest runs/again --json")["digest"] ==
             json_of("digest runs/in --json")["digest"]);
  BOOST_TEST(contents("runs/again/config.toml") == contents("runs/in/config.toml"));
}

BOOST_AUTO_TEST_CASE(names_prefixes_and_masks_vary) {
  std::map<std::string, Tensor> bare;
  for (const auto& [name, x] : hub_weights()) bare[name.substr(name.find('.') + 1)] = x;
  bare["h.0.attn.bias"] = ones({1, 1, 4, 4});
  bare["h.1.attn.masked_bias"] = scalar(-1e4);
  bare["lm_head.weight"] = bare.at("wte.weight");
  write_safetensors("hub/model.safetensors", {{}, bare});
  done("import hub --out runs/in");
  expect_logits("runs/in");
}

BOOST_AUTO_TEST_CASE(weights_that_are_not_finite_stay_out) {
  std::map<std::string, Tensor> weights = hub_weights();
  for (auto& [name, x] : weights)
    if (has(name, "h.1.mlp.c_fc.weight")) x = full(x.shape(), std::nan(""));
  write_safetensors("hub/model.safetensors", {{}, weights});
  expect_refused(
      "import hub --out runs/in",
      "hub/model.safetensors: \"h.1.mlp.c_fc.weight\" contains nan; weights must be finite", 1);
  BOOST_TEST(!std::filesystem::exists("runs/in"));
}

BOOST_AUTO_TEST_CASE(shards_are_read_by_their_index) {
  std::map<std::string, Tensor> parts[2];
  std::string map;
  for (const auto& [name, x] : hub_weights()) {
    const int part = has(name, "h.1.") ? 1 : 0;
    parts[part][name] = x;
    map += fmt::format("{}\"{}\": \"part-{}.safetensors\"", map.empty() ? "" : ", ", name, part);
  }
  std::filesystem::remove("hub/model.safetensors");
  for (int part : {0, 1})
    write_safetensors(fmt::format("hub/part-{}.safetensors", part), {{}, parts[part]});
  const std::string index = "hub/model.safetensors.index.json";
  const auto write = [&](const std::string& text) {
    write_file(index, "{\"metadata\": {}, \"weight_map\": {" + text + "}}");
  };
  write(map);
  done("import hub --out runs/in");
  expect_logits("runs/in");

  write_file(index, "[");
  expect_refused("import hub", index + ": not JSON", 1);
  write("");
  expect_refused("import hub", index + ": \"weight_map\" is missing", 1);
  write(R"("wte.weight": "../part-0.safetensors")");
  expect_refused("import hub",
                 index +
                     ": \"wte.weight\" is in \"../part-0.safetensors\", which isn't a file name in "
                     "this folder",
                 1);
  write(map + R"(, "wte": "part-1.safetensors")");
  expect_refused("import hub", index + ": \"wte\" isn't in \"part-1.safetensors\"", 1);
  write(map + R"(, "x": "part-2.safetensors")");
  expect_refused("import hub", "hub/part-2.safetensors: No such file or directory", 1);
}

BOOST_AUTO_TEST_CASE(pickles_are_refused_with_what_converts_them) {
  std::filesystem::rename("hub/model.safetensors", "hub/pytorch_model.bin");
  expect_refused(
      "import hub",
      "hub/pytorch_model.bin: pickle files can run arbitrary code and aren't read; "
      "convert it to model.safetensors in Python: from transformers import GPT2LMHeadModel; "
      "GPT2LMHeadModel.from_pretrained('hub').save_pretrained('hub')",
      1);
  std::filesystem::remove("hub/pytorch_model.bin");
  expect_refused("import hub",
                 "hub: found neither model.safetensors nor model.safetensors.index.json", 1);
  expect_refused("import nowhere", "nowhere/config.json: No such file or directory", 1);
}

BOOST_AUTO_TEST_CASE(what_a_gpt_cant_be_is_refused_by_name) {
  expect_config_refused("{", "[", "not a JSON object");
  expect_config_refused("\"gpt2\"", "\"llama\"",
                        "only model_type \"gpt2\" is supported, got \"llama\"");
  expect_config_refused("GPT2LMHeadModel", "GPT2ForSequenceClassification",
                        "only GPT2LMHeadModel and GPT2Model are supported, got "
                        "\"GPT2ForSequenceClassification\" in architectures");
  expect_config_refused("\"gelu_new\"", "\"silu\"",
                        "unknown activation_function \"silu\"; expected one of gelu_new, "
                        "gelu_pytorch_tanh, gelu_fast, gelu, relu");
  expect_config_refused("\"n_layer\": 2", "\"n_layer\": 2.5",
                        "n_layer must be an integer >= 1, got 2.5");
  expect_config_refused("\"n_layer\": 2", "\"n_layer\": 2000",
                        "--layers must be at most 1024, not 2000");
  expect_config_refused("\"n_head\": 2", "\"n_head\": 5", "--heads 5 doesn't divide --width 12");
  expect_config_refused("\"n_embd\": 12,", "", "n_embd is missing, expected an integer >= 1");
  expect_config_refused("\"layer_norm_epsilon\": 0.001", "\"layer_norm_epsilon\": \"small\"",
                        "layer_norm_epsilon must be a finite number, got \"small\"");
  expect_config_refused("\"add_cross_attention\": false", "\"add_cross_attention\": true",
                        "add_cross_attention must be false: a GPT has no cross-attention");
  expect_config_refused("\"scale_attn_weights\": true", "\"scale_attn_weights\": 1",
                        "scale_attn_weights must be true or false, got 1");
  expect_config_refused("{", R"({"pruned_heads": {"0": [1]},)",
                        R"(pruned_heads isn't supported, got {"0":[1]})");
  BOOST_TEST(!std::filesystem::exists("runs"));

  write_file("hub/config.json",
             changed(read_file("hub/config.json"), "\"attn_pdrop\": 0.1", "\"attn_pdrop\": 0.2"));
  BOOST_TEST(has(done("import hub").text,
                 "resid_pdrop is 0.1 but attn_pdrop is 0.2: further "
                 "training uses 0.1 for all"));
}

BOOST_AUTO_TEST_CASE(tensors_that_dont_fit_are_refused) {
  const std::map<std::string, Tensor> good = hub_weights();
  auto bad = good;
  bad.erase("transformer.h.1.mlp.c_fc.bias");
  expect_weights_refused(bad, "\"h.1.mlp.c_fc.bias\" is missing");
  bad = good;
  bad["transformer.h.1.mlp.c_fc.weight"] = zeros({20, 12});
  expect_weights_refused(bad,
                         "\"h.1.mlp.c_fc.weight\" has the shape (20, 12), but config.json "
                         "requires (12, 20)");
  bad = good;
  bad["transformer.wpe.weight"] = zeros({16, 12}, DType::f64);
  expect_weights_refused(bad, "\"wpe.weight\" has type F64; expected F32, F16 or BF16");
  bad = good;
  bad["score.weight"] = zeros({2, 12});
  expect_weights_refused(bad,
                         "\"score.weight\" isn't a parameter of the GPT-2 model in config.json");
  bad = good;
  bad["wte.weight"] = good.at("transformer.wte.weight");
  expect_weights_refused(bad, "\"wte.weight\" occurs twice");
}

BOOST_AUTO_TEST_CASE(tokens_that_arent_gpt2s_are_refused) {
  done("import hub --out runs/in");
  done("export runs/in whole");
  const std::string path = "hub/tokenizer.json", good = read_file("whole/tokenizer.json");
  std::filesystem::remove("hub/vocab.json");
  std::filesystem::remove("hub/merges.txt");
  expect_refused("import hub",
                 "hub: found neither vocab.json and merges.txt nor tokenizer.json; pass the "
                 "merges file with --merges",
                 1);
  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::string& reason) {
    write_file(path, changed(good, from, to));
    expect_refused("import hub", path + ": " + reason, 1);
  };
  const std::string none = "not a GPT-2 tokenizer: ";
  refused("{", "[", "not a JSON object");
  refused(R"("type":"BPE")", R"("type":"Unigram")", none + "its model isn't BPE");
  refused(R"("normalizer":null)", R"("normalizer":{"type":"NFC"})", none + "it has a normalizer");
  refused(R"("add_prefix_space":false)", R"("add_prefix_space":true)",
          none + "its pre_tokenizer adds a space");
  refused(R"("content":"<|endoftext|>")", R"("content":"<user>")",
          none + "it has the added token \"<user>\"");
  refused(R"(["h","e"])", R"(["h"])", R"(a merge must have two tokens, got "[\"h\"]")");

  write_file(path, good);
  write_file("hub/config.json",
             changed(read_file("hub/config.json"), "\"vocab_size\": 262", "\"vocab_size\": 400"));
  expect_refused("import hub",
                 "hub: vocab_size in config.json is 400, but the tokenizer defines 262 tokens", 1);
}

BOOST_AUTO_TEST_CASE(ids_in_any_order_come_in_and_those_without_a_text_dont) {
  done("import hub --out runs/in");
  const auto digest = [](const std::string& run) { return json_of("digest " + run)["digest"]; };
  // transformers puts the end of text first when it trains a tokenizer. At the end come a padding
  // token and two more rows.
  const Tensor table = hub_weights().at("transformer.wte.weight");
  const Index count = table.shape()[0];
  auto weights = hub_weights();
  weights["transformer.wte.weight"] =
      concat({slice(table, 0, count - 1, count), slice(table, 0, 0, count - 1),
              ones({3, table.shape()[1]})},
             0);
  write_safetensors("hub/model.safetensors", {{}, weights});
  write_file("hub/config.json",
             changed(read_file("hub/config.json"), "\"vocab_size\": 262", "\"vocab_size\": 265"));
  json vocabulary = parsed(contents("hub/vocab.json"));
  for (auto& [token, id] : vocabulary.items()) id = (id.get<Index>() + 1) % count;
  vocabulary["<|pad|>"] = count;
  write_file("hub/vocab.json", vocabulary.dump());
  const Output output = done("import hub --out runs/other");
  BOOST_TEST(has(output.text, "5,728\nparameters\nskipped 3 ids without a token\n"), output.text);
  BOOST_TEST(digest("runs/other --json") == digest("runs/in --json"));
  expect_logits("runs/other");
  vocabulary["in"] = 265;
  write_file("hub/vocab.json", vocabulary.dump());
  expect_refused("import hub", "hub: vocab_size in config.json is 265, but a token has the id 265",
                 1);
}

BOOST_AUTO_TEST_CASE(a_head_of_its_own_is_read_whatever_config_says) {
  auto weights = hub_weights();
  const Tensor table = weights.at("transformer.wte.weight");
  weights["lm_head.weight"] = table;
  write_safetensors("hub/model.safetensors", {{}, weights});
  BOOST_TEST(!has(done("import hub --out runs/same").text, "lm_head"));
  weights["lm_head.weight"] = 2.0 * table;
  write_safetensors("hub/model.safetensors", {{}, weights});
  BOOST_TEST(has(done("import hub --out runs/other").text,
                 "lm_head.weight differs from the embedding although tie_word_embeddings is true:\n"
                 "importing it as a separate head\n"));
  const auto read = read_safetensors("runs/other/model.safetensors").tensors;
  expect_equal(read.at("head.weight"), weights["lm_head.weight"]);
  expect_equal(read.at("tokens.weight"), table);
}

BOOST_AUTO_TEST_CASE(the_fast_gelu_is_the_new_one) {
  write_file("hub/config.json",
             changed(read_file("hub/config.json"), "\"gelu_new\"", "\"gelu_fast\""));
  done("import hub --out runs/in");
  expect_logits("runs/in");
}

BOOST_AUTO_TEST_CASE(what_is_no_gpt2_doesnt_go_out) {
  const std::string small =
      "train reverse --length 4 --symbols 4 --width 8 --heads 2 --layers 1 --steps 1 --batch 2 "
      "--arch gpt ";
  const auto refused = [&](const std::string& option, const std::string& needed) {
    const std::string run = "runs/" + option.substr(2);
    done(small + option + " --out '" + run + "'");
    expect_refused("export '" + run + "' out",
                   option + " can't be exported as GPT-2; it supports only " + needed);
    BOOST_TEST(!std::filesystem::exists("out"));
  };
  refused("--position rotary", "--position learned");
  refused("--norm rms", "--norm layer");
  refused("--mlp swiglu", "gelu, gelu-erf and relu");
  refused("--kv-heads 1", "--kv-heads 0");
  refused("--head-width 3", "--head-width 0");
  refused("--window 2", "--window 0");
  refused("--hide-self true", "--hide-self false");
  refused("--qk-norm true", "--qk-norm false");
  refused("--tied-kv true", "--tied-kv false");
  refused("--biases false", "--biases true");
  refused("--attention-temperature head", "--attention-temperature none");
  refused("--arch encoder-decoder", "--arch gpt");
  refused("--dtype f64", "--dtype f32");

  done(small + "--layers 2 --share-layers 1 --out runs/shared");
  expect_refused("export runs/shared out",
                 "--share-layers 1 can't be exported as GPT-2; it supports only --share-layers 0");

  done(small + "--tied-head false --attention-scale layer --mlp relu --out runs/fits");
  done("export runs/fits out");
  expect_names("out",
               {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"});
  // The words are separated by spaces, and there is no unknown-word token.
  const json words = parsed(contents("out/tokenizer.json"));
  BOOST_TEST(words["pre_tokenizer"]["type"] == "WhitespaceSplit");
  BOOST_TEST(words["decoder"].is_null());
  BOOST_TEST(words["model"]["vocab"]["3"] == 3);
  BOOST_TEST(words["model"]["vocab"].count("") == 0U);
  const json config = parsed(contents("out/config.json"));
  BOOST_TEST(config["activation_function"] == "relu");
  BOOST_TEST(config["scale_attn_by_inverse_layer_idx"] == true);
  BOOST_TEST(config["tie_word_embeddings"] == false);
  BOOST_TEST(read_safetensors("out/model.safetensors").tensors.count("lm_head.weight") == 1U);
  expect_refused("export runs/fits out", "out isn't empty; choose another folder or remove it", 1);
}

BOOST_AUTO_TEST_CASE(characters_are_tokens_there_too) {
  const Elsewhere elsewhere;
  write_file("text.txt", "añb\nañb\nañb\nañb\nañb\nañb\nañb\nañb\n");
  done(
      "train text --data text.txt --context 4 --layers 1 --width 8 --heads 2 --steps 1 --batch 2 "
      "--out runs/text");
  done("export runs/text out");
  const json tokens = parsed(contents("out/tokenizer.json"));
  BOOST_TEST(tokens["model"]["vocab"] == json({{"\n", 0}, {"a", 1}, {"b", 2}, {"ñ", 3}}));
  BOOST_TEST(tokens["pre_tokenizer"]["pattern"]["Regex"] == "[\\s\\S]");
  BOOST_TEST(tokens["decoder"]["type"] == "Fuse");
  BOOST_TEST(parsed(contents("out/tokenizer_config.json"))["model_max_length"] == 4);
}

BOOST_AUTO_TEST_SUITE_END()
