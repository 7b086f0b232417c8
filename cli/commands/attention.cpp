#include "../../core/ops.hpp"
#include "../../train/arrays/npz.hpp"
#include "../../train/runs/files.hpp"
#include "../attention/formats.hpp"
#include "../attention/heads.hpp"
#include "../attention/model_maps.hpp"
#include "../images/overlay.hpp"
#include "../inspect/experiments.hpp"
#include "../terminal/answer.hpp"
#include "../terminal/output.hpp"
#include "../terminal/progress_line.hpp"
#include "commands.hpp"
#include "example_seen.hpp"
#include "load_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace tapehead {
namespace {

const std::vector<std::string> formats = {"terminal", "svg", "html", "npy", "npz"};
const std::vector<std::string> endings = {"txt", "svg", "html", "npy", "npz"};  // in this order

struct AttentionArguments {
  std::string run, checkpoint, input, format, out;
  bool has_input = false, summary = false;
  Index layer = -1, head = -1;
};

/// The format asked for, or the one of the file's ending, or terminal. Throws UsageError.
std::string format_of(const AttentionArguments& arguments) {
  if (!arguments.format.empty()) {
    require_known("--format", arguments.format, formats);
    return arguments.format;
  }
  const std::string ending = std::filesystem::path(arguments.out).extension().string();
  if (ending.empty()) return "terminal";
  const auto known = std::find(endings.begin(), endings.end(), ending.substr(1));
  if (known == endings.end())
    throw UsageError(
        "--out {}: the ending must be .txt, .svg, .html, .npy or .npz; --format takes a file with "
        "another",
        arguments.out);
  return formats[known - endings.begin()];
}

constexpr Index most_maps = 4;  // that are shown unasked

/// Whether the user says which maps, of what, or in which form.
bool asks_for_maps(const AttentionArguments& a) {
  return a.has_input || a.layer >= 0 || a.head >= 0 || !a.format.empty() || !a.out.empty();
}

void show_summary(const LoadedRun& run, const Terminal& terminal) {
  put("{}", to_text(heads_document(run, {}, terminal), terminal));
}

void show(const AttentionArguments& arguments, const Session& session) {
  const std::string format = format_of(arguments);
  if (format == "npz" && arguments.out.empty())
    throw UsageError("--format npz is written to a file; add --out FILE");
  if (format == "npy" && arguments.out.empty() && ::isatty(STDOUT_FILENO))
    throw UsageError("--format npy is binary, not for a terminal; add --out FILE");
  const LoadedRun run = load_run(arguments.run, session.registry, "", arguments.checkpoint);
  if (arguments.summary) return show_summary(run, session.terminal);
  const Example seen = example_seen(run, arguments.has_input ? &arguments.input : nullptr, 0,
                                    "--input", session.terminal);
  std::vector<AttentionMap> all = attention_maps(*run.model, *run.task, seen);
  if (all.empty())
    throw Error("attention: this model's attention, '{}', doesn't show its weights",
                run.config.attention);
  const auto count = [](Index heads, const AttentionMap& map) { return heads + map.heads(); };
  if (!asks_for_maps(arguments) &&
      std::accumulate(all.begin(), all.end(), Index{0}, count) > most_maps) {
    show_summary(run, session.terminal);
    put("\nOne head's map: --layer 0 --head 0; all maps: --format terminal\n");
    return;
  }
  if (format.rfind("np", 0) != 0)  // arrays have no labels
    name_heads(all, read_heads(*run.model, *run.task));
  const std::vector<AttentionMap> maps = chosen(all, arguments.layer, arguments.head);
  if (format == "npz") return save_npz(arguments.out, attention_arrays(maps));
  const std::string title = fmt::format("Attention of {}", arguments.run);
  const Terminal terminal = arguments.out.empty() ? session.terminal : Terminal();
  const std::string bytes =
      format == "svg"    ? attention_svg(maps, title)
      : format == "html" ? attention_page(maps, title, overlay_json(*run.model, seen))
      : format == "npy"
          ? attention_npy(maps)
          : overlay_text(maps, *run.model, seen, terminal) + attention_text(maps, terminal);
  if (arguments.out.empty())
    write_output(bytes);
  else
    write_file(arguments.out, bytes);
}

}  // namespace

void add_attention_command(const Command& app, Session& session) {
  const Command command = app.add("attention", "show what each head of a run attends to");
  const auto arguments = std::make_shared<AttentionArguments>();
  command.positional("RUN", arguments->run, "folder of the run");
  const Option input = command.option("--input", "TEXT", arguments->input,
                                      "what the model reads; default: a held-out example");
  const Option layer =
      command.option("--layer", arguments->layer, "only this layer, counted from 0");
  const Option head = command.option("--head", arguments->head, "only this head, counted from 0");
  command.flag(
      "--summary", arguments->summary,
      fmt::format("a line a head: its rule, and what removing it costs [for more than {} heads]",
                  most_maps));
  command.option("--format", fmt::format("{}", fmt::join(formats, "|")), arguments->format,
                 "output format [by FILE's ending, else terminal]");
  add_checkpoint(command, arguments->checkpoint);
  command.option("--out", "FILE", arguments->out, "write to this file, not to standard output");
  command.on_run([=, &session] {
    arguments->has_input = input.given();
    if (arguments->summary && asks_for_maps(*arguments))
      throw UsageError(
          "--summary is of all heads over many examples, as text: without --input, --layer, "
          "--head, --format and --out; inspect heads writes pages and JSON");
    for (const auto& [option, name, value] :
         {std::tuple(layer, "--layer", arguments->layer), {head, "--head", arguments->head}})
      if (option.given() && value < 0)
        throw UsageError("{} is counted from 0, and can't be {}", name, value);
    show(*arguments, session);
  });
}

}  // namespace tapehead
