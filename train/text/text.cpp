#include "text.hpp"
#include "../config/names.hpp"
#include "../tasks/tasks.hpp"
#include "id_file.hpp"

namespace tapehead {
namespace {

std::unique_ptr<Task> make(const TaskOptions& options, HeldOut held_out) {
  std::string kind = options.at("tokens");
  require_known("--tokens", kind, {"characters", "ids"});
  if (kind != "characters") refuse_characters(options);
  const bool known = kind != "characters" || !options.at("characters").empty();
  if (!known && has_ids(options)) kind = "ids";
  require_same_format(options);
  if (kind == "ids") return make_id_text(options, held_out);
  return make_character_text(options, held_out);
}

}  // namespace

bool has_ids(const TaskOptions& options) { return is_id_file_name(options.at("data")); }

void refuse_characters(const TaskOptions& options) {
  if (!options.at("characters").empty())
    throw UsageError(
        "--characters has no effect with --tokens {}; remove it, or use --tokens characters",
        options.at("tokens"));
}

void require_same_format(const TaskOptions& options) {
  const std::string& apart = options.at("held-out");
  if (apart.empty() || options.at("data").empty() || is_id_file_name(apart) == has_ids(options))
    return;
  const auto kind = [](const std::string& path) {
    return is_id_file_name(path) ? path + " has token ids" : path + " is text";
  };
  throw UsageError("--held-out: {}, but {}; both must be text, or both token ids", kind(apart),
                   kind(options.at("data")));
}

TaskEntry text_task() {
  Option held_out{"held-out", "validation (held-out) data file (default: last tenth of --data)",
                  ""};
  held_out.alias = "validation";
  const std::string modern =
      "--position rotary --norm rms --qk-norm true --convolution 3 --mlp swiglu --zero-out true "
      "--attention-temperature head --optimizer muon --lr 0.02 --min-lr 0 --adam-lr 0.005 "
      "--momentum 0.9 --warmup 10 --schedule wsd ";
  return {
      "text",
      "continue a text, token by token",
      "a language model predicts the next token from the previous ones",
      "1.9 nats per character on tinyshakespeare",
      recipe("--layers 4 --heads 4 --width 128 --batch 12 --steps 2000 --eval-every 1000 "
             "--warmup 100"),
      {{"fast", "a small modern model: 1.9 nats in 10 seconds, below 1.6 in a minute",
        parse_settings(modern + "--width 96 --heads 3 --mlp-width 256 --decay 0.7 --weight-decay 0 "
                                "--average 0.98 --steps 2400 --eval-every 400")},
       {"best", "a model of 2.7 million parameters: below 1.445 nats in ten minutes",
        parse_settings(modern + "--layers 6 --heads 6 --width 192 --mlp-width 512 --context 256 "
                                "--batch 16 --dropout 0.1 --decay 0.85 "
                                "--weight-decay 0.1 --average 0.99 --steps 1600 "
                                "--eval-every 300")}},
      {{"data", "training text, UTF-8, or token ids in a .npy or .bin file", ""},
       held_out,
       {"context", "context length in tokens", "64"},
       {"tokens", "tokenizer", "characters", "", {"characters", "ids"}},
       {"vocabulary", "vocabulary size (default: from the id files)", "", "N"},
       {"characters", "alphabet (default: all characters of the text)", ""},
       {"pairs", "token merges, as recorded in a run's config.toml (none for ids)", ""}},
      "context",
      {"gpt"},
      [](const TaskOptions& options) { return make(options, HeldOut::split); },
      [](TaskOptions options) {
        options["held-out"].clear();
        return make(options, HeldOut::all);
      }};
}

}  // namespace tapehead
