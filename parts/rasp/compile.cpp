#include "compile.hpp"
#include "../../cli/options/untrained_run.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../train/config/validate.hpp"
#include "../../train/evaluate.hpp"
#include "../../train/files/files.hpp"
#include "../../train/optimizers.hpp"
#include "circuit/truth.hpp"
#include "circuit/weights.hpp"
#include "library.hpp"
#include "puzzle.hpp"

namespace tapehead::rasp {
Compiled compile(const std::string& program, const std::string& dtype, const Registry& registry) {
  Compiled made;
  const TaskEntry& entry = registry.find_task(task_name);
  auto task = std::make_shared<ProgramTask>(read_program(program));
  task->name = task_name;
  made.task = task;
  made.circuit = make_puzzle_circuit(task->interpreter());
  Settings settings = model_settings(made.circuit, task->interpreter().program().is_causal);
  // Adam's steps don't shrink with the gradient, so they would move the weights off their values.
  for (const auto& [name, value] :
       Settings{{"optimizer", "sgd"}, {"lr", "0.001"}, {"dtype", dtype}})
    settings.emplace_back(name, value);
  made.config = default_config(entry);
  for (const auto& [name, value] : task->recorded_options()) made.config.task_options[name] = value;
  apply(settings, all_options(entry, registry), made.config);
  made.config = resolved(made.config, settings, registry);
  made.model = make_meta_model(made.config, *task, registry);
  write_weights(made.circuit, *made.model->module);
  return made;
}

std::vector<std::size_t> wrong_examples(const Compiled& compiled) {
  const std::vector<Example>& all = compiled.task->all();
  constexpr std::size_t batch = 512;
  const std::size_t batches = (all.size() + batch - 1) / batch;
  std::vector<std::vector<std::size_t>> wrong(batches);
  parallel_for(static_cast<Index>(batches), [&](Index b) {
    const std::size_t first = static_cast<std::size_t>(b) * batch;
    const std::size_t end = std::min(first + batch, all.size());
    const Batch some = compiled.model->batch({all.begin() + static_cast<std::ptrdiff_t>(first),
                                              all.begin() + static_cast<std::ptrdiff_t>(end)});
    Pass pass = Pass::evaluation();
    const Tensor logits = logits_of(*compiled.model->module, some, pass);  // (batch, time, tokens)
    const Index time = logits.dim(1);
    const std::vector<int> chosen =
        most_likely_tokens(reshape(logits, Shape{logits.dim(0) * time, logits.dim(2)}));
    const auto* target = some.targets.data<std::int32_t>();
    for (std::size_t row = 0; row < end - first; ++row) {
      const auto begin = row * static_cast<std::size_t>(time);
      for (std::size_t i = begin; i < begin + static_cast<std::size_t>(time); ++i)
        if (target[i] >= 0 && target[i] != chosen[i]) {
          wrong[b].push_back(first + row);
          break;
        }
    }
  });
  std::vector<std::size_t> joined;
  for (const auto& some : wrong) append(joined, some);
  return joined;
}

void write_run(const Compiled& compiled, const std::string& path, const Registry& registry) {
  TrainConfig config = compiled.config;
  config.out = path;
  const auto optimizer =
      registry.optimizers().make(config.optimizer).make(config, *compiled.model->module);
  tapehead::write_run({config, *compiled.model->module, *optimizer, "compiled"}, registry,
                      [&](const RunFolder& folder) {
                        const Program& program = compiled.task->interpreter().program();
                        if (program.puzzle.empty())
                          write_file(folder.path() + "/" + truth_name,
                                     to_text(truth(compiled.circuit, program), 1) + '\n');
                      });
}

}  // namespace tapehead::rasp
