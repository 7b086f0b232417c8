#include "model_maps.hpp"
#include "../../core/meta_tensors.hpp"
#include "../../core/ops.hpp"
#include "../../train/files/strings.hpp"

#include <algorithm>

namespace tapehead {
namespace {

/// Returns the maps of an encoder-decoder. Queries and keys may belong to different sequences.
std::vector<AttentionMap> maps_of_two(const std::vector<AttentionWeights>& all,
                                      const std::vector<std::string>& source,
                                      const std::vector<std::string>& written,
                                      const std::vector<int>& source_ids,
                                      const std::vector<int>& written_ids) {
  std::vector<AttentionMap> maps;
  for (const auto& [module, weights] : all) {  // (1, heads, queries, keys)
    const std::string path = module;
    const bool in_encoder = starts_with(path, "encoder.");
    AttentionMap map;
    map.cross = path.rfind("cross") != std::string::npos;
    map.layer = static_cast<Index>(maps.size());
    map.name = fmt::format("layer {} ({})", map.layer,
                           in_encoder  ? "source"
                           : map.cross ? "target to source"
                                       : "target");
    map.module = path;
    map.queries = in_encoder ? source : written;
    map.keys = in_encoder || map.cross ? source : written;
    map.query_ids = in_encoder ? source_ids : written_ids;
    map.key_ids = in_encoder || map.cross ? source_ids : written_ids;
    // The source is followed by padding.
    const auto queries = static_cast<Index>(map.queries.size());
    const auto keys = static_cast<Index>(map.keys.size());
    const Tensor heads = reshape(weights, {weights.dim(1), weights.dim(2), weights.dim(3)});
    map.weights = slice(slice(heads, 1, 0, queries), 2, 0, keys);
    maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace

std::vector<AttentionMap> attention_maps(const TaskModel& model, const Task& task,
                                         const Example& example) {
  std::vector<int> ids = example.tokens;
  std::vector<std::string> tokens;
  for (int token : ids) tokens.push_back(task.show({token}));
  const bool answered = static_cast<Index>(ids.size()) > example.question;
  const auto length = static_cast<Index>(ids.size());
  Batch batch = {tensor({ids.begin(), ids.end()}, {1, length}, DType::i32)};
  batch.named["question"] = full({1}, static_cast<double>(length), DType::i32);
  if (answered) batch = model.batch({example});
  Pass pass = model.evaluation;
  std::vector<AttentionWeights> all;
  collect_weights(pass, all);
  logits_of(*model.module, batch, pass);
  if (const std::vector<std::string> names = model.position_names(); !names.empty())
    return self_attention_maps(all, names);
  const auto part = [&](const auto& all, Index first, Index end) {
    return std::decay_t<decltype(all)>(all.begin() + first, all.begin() + end);
  };
  const Index question = example.question;
  // The last token is only predicted, never read.
  const Index end = static_cast<Index>(ids.size()) - (answered ? 1 : 0);
  if (model.arch == "encoder")
    return self_attention_maps(all, part(tokens, 0, question), part(ids, 0, question));
  if (model.arch == "encoder-decoder") {
    const Index first = answered ? question - 1 : end;
    return maps_of_two(all, part(tokens, 0, question), part(tokens, first, end),
                       part(ids, 0, question), part(ids, first, end));
  }
  std::vector<AttentionMap> maps =
      self_attention_maps(all, part(tokens, 0, end), part(ids, 0, end));
  for (AttentionMap& map : maps)
    if (answered && question > 0)
      map.answer = std::max<Index>(question - 1 - (end - map.weights.dim(1)), 0);
  return maps;
}

bool shows_attention(const TaskModel& model, const Task& task) {
  const MetaTensors outline;
  const Pause pause;
  return !attention_maps(model, task, held_out_example(task, 0)).empty();
}

}  // namespace tapehead
