#include "../../core/ops.hpp"
#include "../../core/system/terminal.hpp"
#include "../../train/files/files.hpp"
#include "../../train/step/thread_scope.hpp"
#include "../attention/formats.hpp"
#include "../attention/heads.hpp"
#include "../attention/model_maps.hpp"
#include "../extensions.hpp"
#include "../terminal/illustration.hpp"
#include "../terminal/output.hpp"
#include "commands.hpp"
#include "example_seen.hpp"
#include "load_run.hpp"
#include "threads.hpp"

#include <fmt/ranges.h>

#include <filesystem>
#include <numeric>

namespace tapehead {
namespace {

/// Returns the built-in formats, characters and .npy, and the registered ones.
std::vector<AttentionFormat> all_formats(const Registry& registry) {
  using Shown = AttentionFormat::Shown;
  std::vector<AttentionFormat> all = {{"terminal", "txt", [](const Shown& shown) {
                                         const auto* drawn = shown.run.task->illustration();
                                         const std::string over =
                                             drawn ? drawn->overlay(shown.maps, *shown.run.model,
                                                                    shown.example, shown.terminal)
                                                   : "";
                                         return over + attention_text(shown.maps, shown.terminal);
                                       }}};
  const auto& others = registry.extensions<AttentionFormat>();
  append(all, others);
  all.push_back({"npy", "npy", [](const Shown& shown) { return attention_npy(shown.maps); }, false,
                 AttentionFormat::To::no_terminal});
  return all;
}

struct AttentionArguments {
  std::string run, data, checkpoint, input, format, out;
  bool has_input = false, summary = false;
  Index layer = -1, head = -1, threads = 0;
};

/// Returns the format of --format, of the file name's ending, or terminal. Throws UsageError.
AttentionFormat format_of(const AttentionArguments& arguments, const Registry& registry) {
  const std::vector<AttentionFormat> all = all_formats(registry);
  std::vector<std::string> names, endings;
  const std::string ending = std::filesystem::path(arguments.out).extension().string();
  for (const AttentionFormat& format : all) {
    if (arguments.format.empty() ? ending == "." + format.ending : arguments.format == format.name)
      return format;
    names.push_back(format.name);
    endings.push_back("." + format.ending);
  }
  if (!arguments.format.empty()) refuse_unknown("--format", arguments.format, names);
  if (ending.empty()) return all.front();
  throw UsageError("--out {}: the file name must end in {}; use --format for another name",
                   arguments.out, alternatives(endings));
}

constexpr Index most_maps = 4;  // shown by default

/// Returns whether options select maps, an input or a format.
bool has_map_options(const AttentionArguments& a) {
  return a.has_input || a.layer >= 0 || a.head >= 0 || !a.format.empty() || !a.out.empty();
}

/// Returns the registered summary of heads, or null.
const HeadsSummary* registered_summary(const Registry& registry) {
  const auto& all = registry.extensions<HeadsSummary>();
  return all.empty() ? nullptr : &all.front();
}

void show(const AttentionArguments& arguments, const Session& session) {
  const AttentionFormat format = format_of(arguments, session.registry);
  if (format.to == AttentionFormat::To::file && arguments.out.empty())
    throw UsageError("--format {} needs --out FILE", format.name);
  if (format.to == AttentionFormat::To::no_terminal && arguments.out.empty() &&
      system::is_terminal(system::standard_output))
    throw UsageError("--format {} is binary, not for a terminal; add --out FILE", format.name);
  const HeadsSummary* const summary = registered_summary(session.registry);
  const LoadedRun run =
      load_run(arguments.run, session.registry, arguments.data, arguments.checkpoint);
  require_tokens("attention", run);
  if (arguments.data.empty()) note_changed_data(arguments.run, run.config);
  if (arguments.summary) return put("{}", summary->text(run, session.terminal));
  const Example seen = example_to_show(run, arguments.has_input ? &arguments.input : nullptr, 0,
                                       "--input", session.terminal);
  std::vector<AttentionMap> all = attention_maps(*run.model, *run.task, seen);
  if (all.empty())
    throw Error("attention: --attention {} has no attention maps", run.config.attention);
  const auto count = [](Index heads, const AttentionMap& map) { return heads + map.heads(); };
  if (summary && !has_map_options(arguments) &&
      std::accumulate(all.begin(), all.end(), Index{0}, count) > most_maps) {
    put("{}", summary->text(run, session.terminal));
    put("\nOne head's map: --layer 0 --head 0; all maps: --format terminal\n");
    return;
  }
  if (format.names_heads) set_patterns(all, read_heads(*run.model, *run.task));
  const std::vector<AttentionMap> maps = chosen(all, arguments.layer, arguments.head);
  const Terminal terminal = arguments.out.empty() ? session.terminal : Terminal();
  const std::string bytes =
      format.bytes({maps, fmt::format("Attention of {}", arguments.run), run, seen, terminal});
  if (arguments.out.empty())
    write_output(bytes);
  else
    write_file(arguments.out, bytes);
}

}  // namespace

void add_attention_command(const Command& app, Session& session) {
  const Command command = app.add("attention", "show the attention maps of a run");
  const auto arguments = std::make_shared<AttentionArguments>();
  command.positional("RUN", arguments->run, "run folder");
  const CommandOption input = command.option("--input", "TEXT", arguments->input,
                                             "model input (default: a validation example)");
  const CommandOption layer =
      command.option("--layer", arguments->layer, "layer to show, counted from 0 [all]");
  const CommandOption head =
      command.option("--head", arguments->head, "head to show, counted from 0 [all]");
  if (registered_summary(session.registry))
    command.flag(
        "--summary", arguments->summary,
        fmt::format("one line per head: its pattern and its ablation cost [for more than {} heads]",
                    most_maps));
  std::vector<std::string> formats = names_of(all_formats(session.registry));
  command.option("--format", fmt::format("{}", fmt::join(formats, "|")), arguments->format,
                 "output format [by the ending of --out, else terminal]");
  add_data(command, arguments->data);
  add_threads(command, arguments->threads);
  add_checkpoint(command, arguments->checkpoint);
  command.option("--out", "FILE", arguments->out, "output file [standard output]");
  command.on_run([=, &session] {
    arguments->has_input = input.given();
    if (arguments->summary && has_map_options(*arguments))
      throw UsageError(
          "--summary shows all heads, as text; remove --input, --layer, --head, --format and "
          "--out; {}",
          registered_summary(session.registry)->elsewhere);
    for (const auto& [option, name, value] :
         {std::tuple(layer, "--layer", arguments->layer), {head, "--head", arguments->head}})
      if (option.given() && value < 0)
        throw UsageError("{} must be at least 0, not {}", name, value);
    const ThreadScope threads(checked_threads(arguments->threads));
    show(*arguments, session);
  });
}

}  // namespace tapehead
