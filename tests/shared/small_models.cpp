#include "small_models.hpp"
#include "../../core/ops.hpp"

namespace tapehead {

ModelOptions small_options(Index vocabulary, Index context, Index layers, DType dtype) {
  ModelOptions options;
  options.vocabulary = vocabulary;
  options.context = context;
  options.layers = layers;
  options.heads = 2;
  options.width = 8;
  options.dtype = dtype;
  return options;
}

std::unique_ptr<TaskModel> opinionated_model(const ModelOptions& options, const char* arch) {
  auto model = make_model(arch, options);
  for (Parameter* parameter : parameters(*model->module))
    if (parameter->shape.rank() == 2) parameter->set(parameter->value() * 30);
  return model;
}

std::vector<double> probabilities(const TaskModel& model, const std::vector<int>& tokens) {
  Pass pass = Pass::evaluation();
  const std::vector<double> ids(tokens.begin(), tokens.end());
  const Shape shape{1, static_cast<Index>(ids.size())};
  const Tensor logits = (*model.module)(tensor(ids, shape, DType::i32), pass);
  return softmax(slice(logits, 1, -1, logits.dim(1))).values();
}

Batch uneven_batch(Index rows, const std::function<Index(Index row)>& question) {
  std::vector<Example> examples;
  for (Index row = 0; row < rows; ++row) {
    Random random({5, Draw::test, 0, 0, static_cast<std::uint32_t>(row)});
    Example example{std::vector<int>(8), question(row)};
    for (int& token : example.tokens) token = random.below(6);
    examples.push_back(example);
  }
  return make_batch(examples);
}

}  // namespace tapehead
