#include "../../cli/commands/commands.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/json.hpp"
#include "../../train/text/id_file.hpp"
#include "byte_pairs.hpp"
#include "text_bytes.hpp"
#include "token_picture.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {
namespace {

struct Arguments {
  std::vector<std::string> words;
  std::string from, merges, run, out;
  bool special = false, json = false;
};

/// The functions of a vocabulary: encoding a text, and the bytes of a token.
struct Vocabulary {
  std::function<std::vector<int>(const std::string& text)> encode;
  std::function<std::string(int token)> bytes_of;
};

Vocabulary run_vocabulary(const std::string& path, const Registry& registry) {
  TrainConfig config = configured_run(RunFolder::open(path), registry).config;
  const std::shared_ptr<const Task> task = make_task(config, registry);
  return {[=](const std::string& text) { return task->parse(text); },
          [=](int token) {
            const std::string bytes = task->bytes_of(token);
            return bytes.empty() ? task->show({token}) : bytes;
          }};
}

Vocabulary vocabulary(const Arguments& arguments, const Registry& registry) {
  if (!arguments.run.empty() && !arguments.merges.empty())
    throw UsageError("--merges and --run both select a vocabulary; pass only one of them");
  if (arguments.special && arguments.merges.empty())
    throw UsageError("--special requires --merges");
  if (!arguments.run.empty()) return run_vocabulary(arguments.run, registry);
  const auto pairs = std::make_shared<const BytePairs>(
      arguments.merges.empty()
          ? BytePairs()
          : BytePairs::from_text(read_file(arguments.merges), arguments.merges));
  return {[=](const std::string& text) { return pairs->encode(text, arguments.special); },
          [=](int token) { return pairs->bytes(token); }};
}

void show_tokens(const Arguments& arguments, const Session& session) {
  constexpr std::size_t most_shown = 1000;
  if (arguments.words.empty() == arguments.from.empty())
    throw UsageError("tokens requires either a text or --from FILE");
  const std::string text = arguments.from.empty()
                               ? fmt::format("{}", fmt::join(arguments.words, " "))
                               : read_file(arguments.from);
  if (!arguments.from.empty()) refuse_other_encoding(text, arguments.from);
  const Vocabulary known = vocabulary(arguments, session.registry);
  std::vector<int> tokens = known.encode(text);
  if (!arguments.out.empty()) save_ids(arguments.out, tokens);
  if (arguments.json) {
    Json texts = Json::array();
    for (int token : tokens) texts.push_back(known.bytes_of(token));
    return print_json(
        {{"bytes", text.size()}, {"count", tokens.size()}, {"tokens", tokens}, {"texts", texts}});
  }
  const std::size_t count = tokens.size();
  const bool shown = arguments.out.empty();
  tokens.resize(shown ? std::min(count, most_shown) : 0);
  put("{}", token_picture(tokens, known.bytes_of, session.terminal));
  if (shown && count > most_shown)
    put("and {} more; --json lists all\n", grouped(count - most_shown));
  put("{} for {}{}\n", grouped(count, "token"),
      grouped(static_cast<long long>(text.size()), "byte"), shown ? "" : ": " + arguments.out);
}

void add_tokens_command(const Command& app, Session& session) {
  const Command command = app.add("tokens", "show the tokens of a text and their ids");
  const auto a = std::make_shared<Arguments>();
  command.words("TEXT", "", a->words, "text to tokenize");
  command.option("--from", "FILE", a->from, "file to read the text from");
  command.option("--merges", "FILE", a->merges, "GPT-2 merges file [none: one token per byte]");
  command.option("--run", "RUN", a->run, "run whose tokenizer to use");
  command.option("--out", "FILE", a->out, "output file for the ids: .npy, or .bin as in nanoGPT");
  command.flag("--special", a->special, "<|endoftext|> as a special token");
  add_json(command, a->json);
  command.on_run([=, &session] { show_tokens(*a, session); });
}

}  // namespace

/// Registers byte tokens and BPE for the task `text`, and the command `tokens`.
void add_tokens(Registry& registry) {
  registry.change("text", with_bytes);
  registry.extend(CommandEntry{"tokens", add_tokens_command}.in("Inspect"));
}

}  // namespace tapehead
