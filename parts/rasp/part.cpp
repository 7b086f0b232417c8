#include "../../cli/commands/commands.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../core/runtime/processors.hpp"
#include "circuit/truth.hpp"
#include "compile.hpp"
#include "library.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace rasp {
namespace {

constexpr auto left = Table::Align::left;

// ---- rasp

struct RunArguments {
  std::vector<std::string> programs;
  std::string input;
  bool json = false;
};

void list_programs(const RunArguments& a, const Session& session) {
  Table table({left, left});
  Json document = Json::array();
  for (const auto& [name, text] : included_programs()) {
    const std::string summary = text.substr(2, text.find('\n') - 2);  // a comment
    table.add({name, summary});
    document.push_back({{"name", name}, {"summary", summary}, {"program", text}});
  }
  a.json ? print_json(document) : put("{}", table.text(session.terminal.width));
}

/// Throws UsageError for a puzzle, because these commands print its program.
void check_shown(const Program& program, const Session& session) {
  if (!program.puzzle.empty())
    throw UsageError("{} is a puzzle, so its program isn't shown; see '{} learn puzzle'",
                     program.puzzle, session.program);
}

void interpret(const RunArguments& a, const Session& session) {
  if (a.programs.empty()) return list_programs(a, session);
  if (a.programs.size() > 1)
    throw UsageError("rasp runs one program, got {}", fmt::join(a.programs, " "));
  const Program program = read_program(a.programs[0]);
  check_shown(program, session);
  if (a.input.empty()) {
    if (a.json) throw UsageError("--json needs --input with {}", program.name);
    return put("{}", program.text);
  }
  Interpreter interpreter(program);
  const std::vector<std::vector<int>> values = interpreter.run(parse_input(program, a.input));
  Json sequences = Json::array();
  Table table(std::vector<Table::Align>(values[0].size() + 1, left));
  for (std::size_t s = 0; s < values.size(); ++s) {
    std::vector<std::string> cells = {program.sequences[s].name}, texts;
    for (int v : values[s]) texts.push_back(interpreter.value(v).text());
    append(cells, texts);
    table.add(cells);
    sequences.push_back({{"name", cells[0]}, {"values", texts}});
  }
  a.json ? print_json({{"program", program.name}, {"sequences", sequences}})
         : put("{}", table.text(session.terminal.width));
}

void add_rasp_command(const Command& app, Session& session) {
  const Command command = app.add("rasp", "run a RASP program, or list the included ones");
  const auto a = std::make_shared<RunArguments>();
  command.option("--input", "TOKENS", a->input, "input; prints the value of each line");
  add_json(command, a->json);
  command.words("PROGRAM", "", a->programs,
                "file NAME.rasp, or the name of an included program [lists these]");
  command.on_run([=, &session] { interpret(*a, session); });
}

// ---- compile

struct CompileArguments {
  std::string program, out, dtype = "f32";
  bool json = false;
};

/// Returns the lines that each component implements, as a table.
std::string components_text(const Json& document, const Terminal& terminal) {
  Table table({left, Table::Align::right, left});
  table.add({"component", "line", "computes"});
  for (const Json& component : document["components"].items()) {
    const Json::Array& neurons = component["neurons"].items();
    std::string name = component["name"].string();
    if (!neurons.empty())
      name += fmt::format(", neurons {} to {}", *neurons[0].integer(), *neurons[1].integer() - 1);
    table.add(
        {name, fmt::format("{}", *component["line"].integer()), component["computes"].string()});
  }
  return table.text(terminal.width);
}

void compile_program(const CompileArguments& a, const Session& session) {
  if (a.dtype != "f32" && a.dtype != "f64")
    throw UsageError("--dtype must be f32 or f64, not '{}'", a.dtype);
  set_threads(processors());
  const Compiled made = compile(a.program, a.dtype, session.registry);
  check_shown(made.task->interpreter().program(), session);
  const std::vector<Example>& all = made.task->all();
  const std::vector<std::size_t> wrong = wrong_examples(made);
  if (!wrong.empty())
    throw Error(
        "{}: the weights give another result for {} of {} inputs, such as {}; the values "
        "of a mean are too close for {}",
        a.program, wrong.size(), all.size(), made.task->show(all[wrong[0]].tokens), a.dtype);
  const Program& program = made.task->interpreter().program();
  const std::string path =
      a.out.empty() ? RunFolder::free_path(
                          program.name.find('/') == std::string::npos ? program.name : "rasp")
                    : a.out;
  write_run(made, path, session.registry);
  const Json document = truth(made.circuit, program);
  if (a.json) return print_json(document);
  const ModelOptions& o = made.model->options;
  put("{}", wrapped(session.terminal.width, "{} · {} · {}, {}, width {} · {}", visible(path),
                    made.model->arch, plural(o.layers, "layer"), plural(o.heads, "head"), o.width,
                    grouped(count_parameters(*made.model->module), "parameter")));
  put("{}", wrapped(session.terminal.width, "agrees with the program on all {}",
                    grouped(static_cast<long long>(all.size()), "input")));
  put("\n{}", components_text(document, session.terminal));
}

void add_compile_command(const Command& app, Session& session) {
  const Command command =
      app.add("compile", "compile a RASP program to the weights of a transformer");
  const auto a = std::make_shared<CompileArguments>();
  command.positional("PROGRAM", a->program,
                     "file NAME.rasp, or the name of a program listed by `rasp`");
  command.option("--out", "FOLDER", a->out, "run folder (default: first free runs/PROGRAM-N)");
  command.option("--dtype", "f32|f64", a->dtype, "type of the weights").shown_default("f32");
  add_json(command, a->json);
  command.on_run([=, &session] { compile_program(*a, session); });
}

}  // namespace
}  // namespace rasp

namespace rasp {
namespace {

/// Compiles the program of a run again.
std::unique_ptr<TaskModel> compile_again(const TrainConfig& config, const Registry& registry) {
  const std::string& program = config.task_options.at(program_option);
  return compile(program, config.dtype, registry).model;
}

}  // namespace
}  // namespace rasp

/// Adds the commands `rasp` and `compile`, and the task `rasp`.
void add_rasp(Registry& registry) {
  registry.task(rasp::program_task());
  registry.extend(InitialWeights{rasp::task_name, rasp::compile_again});
  registry.extend(CommandEntry{"compile", rasp::add_compile_command}.in("Inspect"));
  registry.extend(CommandEntry{"rasp", rasp::add_rasp_command}.in("Inspect"));
}

}  // namespace tapehead
