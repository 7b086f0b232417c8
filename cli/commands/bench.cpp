#include "../../train/files/json.hpp"
#include "../../train/watch/benchmark.hpp"
#include "../terminal/output.hpp"
#include "../terminal/progress_line.hpp"
#include "commands.hpp"
#include "threads.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

Json to_json(const BenchReport& report) {
  auto results = Json::array();
  for (const BenchResult& r : report.results) {
    const BenchConfig& c = r.config;
    results.push_back({{"name", c.name},
                       {"layers", c.layers},
                       {"heads", c.heads},
                       {"width", c.width},
                       {"context", c.context},
                       {"batch", c.batch},
                       {"vocabulary", c.vocabulary},
                       {"variant", r.variant.name},
                       {"dropout", r.variant.dropout},
                       {"shards", r.shards},
                       {"rounds", r.rounds},
                       {"milliseconds", r.milliseconds},
                       {"tokens_per_second", r.tokens_per_second},
                       {"gflops", r.gflops},
                       {"share_of_peak", r.share_of_peak},
                       {"share_of_sgemm", r.share_of_sgemm},
                       {"peak_megabytes", r.peak_megabytes},
                       {"decoded_per_second", r.decoded_per_second}});
  }
  return {{"threads", report.threads},
          {"backend", report.backend},
          {"peak_gflops", report.peak_gflops},
          {"sgemm_gflops", report.sgemm_gflops},
          {"results", results}};
}

void print_report(const BenchReport& report, const Terminal& terminal) {
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  Table table({left, left, left, right, right, right, right, right});
  table.add({"", "model", "batch", "with", "step", "tok/s", "of peak", "memory"});
  for (const BenchResult& r : report.results)
    table.add({r.config.name,
               fmt::format("{} x {} x {}", r.config.layers, r.config.heads, r.config.width),
               fmt::format("{} x {}", r.config.batch, r.config.context), r.variant.name,
               fmt::format("{:.2f} ms", r.milliseconds), human(r.tokens_per_second),
               fmt::format("{:.0f} %", 100 * r.share_of_peak),
               fmt::format("{:.1f} MB", r.peak_megabytes)});
  put("{}", wrapped(terminal.width, "{} · {} · peak {:.0f}, sgemm {:.0f} GFLOP/s", report.backend,
                    plural(report.threads, "thread"), report.peak_gflops, report.sgemm_gflops));
  put("{}\n{}", wrapped("model: layers x heads x width; batch: examples x time", terminal.width),
      table.text(terminal.width));
  std::string decoded;
  for (const BenchResult& r : report.results)
    if (r.decoded_per_second > 0)
      decoded += fmt::format("{}{} {}", decoded.empty() ? "" : ", ", r.config.name,
                             human(r.decoded_per_second));
  if (!decoded.empty())
    put("\n{}", wrapped(terminal.width, "token generation, one stream: {} tok/s", decoded));
  put("\n{}", wrapped("comparison with PyTorch and JAX: bench/compare.py in the sources; results "
                      "of other machines: docs/results.md",
                      terminal.width));
}

}  // namespace

void add_bench_command(const Command& app, Session& session) {
  const Command command = app.add("bench", "measure the training speed");
  struct Arguments {
    std::vector<std::string> names;
    std::string variant;
    Index threads = 0, context = 0, batch = 0;
    double seconds = 4;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  command.words("NAME", "", arguments->names,
                fmt::format("configurations: {} [all but gpt2 and gpt2-short]",
                            fmt::join(names_of(bench_configs()), ", ")));
  add_threads(command, arguments->threads);
  command.option("--variant", "NAME", arguments->variant,
                 fmt::format("variant: {} [all]", fmt::join(names_of(bench_variants()), ", ")));
  command.option("--context", arguments->context, "tokens per sequence (0 = as configured) [0]");
  command.option("--batch", arguments->batch, "batch size (0 = as configured) [0]");
  command.option("--seconds", arguments->seconds, "approximate time per configuration, in seconds");
  add_json(command, arguments->json);
  command.on_run([=, &session] {
    checked_threads(arguments->threads);
    if (!(arguments->seconds > 0 && arguments->seconds <= 3600))
      throw UsageError("--seconds must be above 0 and at most 3600, not {}", arguments->seconds);
    BenchOptions options;
    options.seconds = arguments->seconds;
    options.names = arguments->names;
    options.threads = static_cast<int>(arguments->threads);
    if (!arguments->variant.empty()) options.variants = {arguments->variant};
    for (const auto& [name, value] :
         {std::pair("--context", arguments->context), std::pair("--batch", arguments->batch)})
      if (value < 0 || value > 65536)
        throw UsageError("{} must be from 1 to 65536, or 0 for the configuration's own, not {}",
                         name, value);
    options.context = arguments->context;
    options.batch = arguments->batch;
    Terminal terminal = session.terminal;
    terminal.live = terminal.live && !arguments->json;
    const BenchReport report = [&] {
      ProgressLine line(terminal, "measuring", 0);
      line(0);
      const auto finished = [&](const BenchResult& row) {
        if (!terminal.live && !arguments->json)
          tell("{}, {}: {:.2f} ms a step\n", row.config.name, row.variant.name, row.milliseconds);
      };
      return run_bench(options, std::ref(line), finished);
    }();
    arguments->json ? print_json(to_json(report)) : print_report(report, session.terminal);
  });
}

}  // namespace tapehead
