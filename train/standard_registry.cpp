// Registers the built-in building blocks and tasks.
#include "config/registry.hpp"
#include "model/architecture.hpp"
#include "model/parts.hpp"
#include "optimizers.hpp"
#include "tasks/tasks.hpp"

namespace tapehead {

Registry::Registry() {
  for (ModelPart& part : attention_parts()) attentions_.add(std::move(part));
  for (ModelPart& part : position_parts()) positions_.add(std::move(part));
  for (ModelPart& part : norm_parts()) norms_.add(std::move(part));
  for (ModelPart& part : mlp_parts()) mlps_.add(std::move(part));
  add_optimizers(*this);
  add_schedules(*this);
  for (ArchitecturePart& part : architecture_parts()) architectures_.add(std::move(part));
}

Registry Registry::standard() {
  Registry registry;
  registry.task(copy_task());
  registry.task(reverse_task());
  registry.task(sort_task());
  registry.task(add_task());
  registry.task(induction_task());
  registry.task(majority_task());
  registry.task(recall_task());
  registry.task(mqar_task());
  registry.task(select_task());
  registry.task(modular_task());
  registry.task(regression_task());
  registry.task(translate_task());
  registry.task(dyck_task());
  registry.task(parity_task());
  registry.task(text_task());
  registry.task(lines_task());
  registry.task(names_task());
  registry.task(pairs_task());
  return registry;
}

}  // namespace tapehead
