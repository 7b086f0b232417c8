#include "filled.hpp"
#include "../../core/ops.hpp"
#include "../../train/model/architecture.hpp"
#include "answer.hpp"

namespace tapehead {

bool fills_in(const TaskModel& model, const Task& task) {
  return dynamic_cast<const EncoderModel*>(&model) && !task.has_answers() &&
         !model.options.pooled && held_out_size(task) > 0;
}

Filled fill_in(const TaskModel& model, const Example& example) {
  const Batch batch = model.batch({example});  // (1, time)
  Pass pass = Pass::evaluation();
  const Tensor logits = logits_of(*model.module, batch, pass);  // (1, time, vocabulary)
  const std::vector<int> best = likeliest(reshape(logits, {-1, logits.dim(2)}));
  const auto* targets = batch.targets.data<std::int32_t>();
  Filled result{question_of(example), question_of(example)};
  for (std::size_t i = 0; i < result.right.size(); ++i)
    if (targets[i] >= 0) result.predicted[i] = best[i], result.right[i] = targets[i];
  return result;
}

}  // namespace tapehead
