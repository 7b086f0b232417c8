#include <tapehead/core/parallel.hpp>
#include <tapehead/train/trainer.hpp>

#include <algorithm>

namespace tapehead {
namespace {

/// The likeliest symbol at place `time` of each example, by what stands before it.
std::vector<int> likeliest(const GPT& model, const std::vector<Example>& examples, Index time) {
  Tensor ids = Tensor::empty({static_cast<Index>(examples.size()), time}, DType::i32);
  auto* id = ids.fresh<std::int32_t>();
  for (const Example& example : examples) id = std::copy_n(example.tokens.begin(), time, id);
  Pass pass = Pass::evaluation();
  const Tensor logits = model(ids, pass);  // (examples, time, symbols)
  const Index symbols = logits.dim(2);
  std::vector<int> tokens;
  dispatch_float("evaluate", logits.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (Index row = 0; row < ids.dim(0); ++row) {
      const T* scores = logits.data<T>() + ((row + 1) * time - 1) * symbols;
      tokens.push_back(static_cast<int>(std::max_element(scores, scores + symbols) - scores));
    }
  });
  return tokens;
}

/// How many of the examples the model answers rightly throughout, taking the likeliest symbol each
/// time. One that goes wrong is left aside; so what the model has said of the others is what they
/// say themselves, and it never sees more of them than that.
Index decode(const GPT& model, std::vector<Example> examples) {
  const auto size = [](const Example& e) { return static_cast<Index>(e.tokens.size()); };
  Index right = 0;
  for (Index time = 1; !examples.empty(); ++time) {
    const auto asked = [&](const Example& e) { return time >= e.question && time < size(e); };
    std::vector<int> said(examples.size());
    if (std::any_of(examples.begin(), examples.end(), asked))
      said = likeliest(model, examples, time);
    std::vector<Example> left;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      Example& e = examples[i];
      if (time >= size(e))
        ++right;
      else if (!asked(e) || said[i] == e.tokens[static_cast<std::size_t>(time)])
        left.push_back(std::move(e));
    }
    examples = std::move(left);
  }
  return right;
}

struct Part {
  double loss = 0;  // summed
  Index targets = 0, right = 0;
};

Part evaluate_part(const GPT& model, const std::vector<Example>& examples, bool decoding) {
  const Batch batch = make_batch(examples);
  const auto* targets = batch.targets.data<std::int32_t>();
  CrossEntropyOptions summed;
  summed.reduction = Reduction::sum;
  Pass pass = Pass::evaluation();
  Part part;
  part.loss = cross_entropy(model(batch.inputs, pass), batch.targets, summed).item();
  part.targets = batch.targets.size() - std::count(targets, targets + batch.targets.size(), -1);
  if (decoding) part.right = decode(model, examples);
  return part;
}

}  // namespace

Evaluation evaluate(const GPT& model, const Task& task, Index examples, bool decoding) {
  const Index total = std::min(examples, task.held_out_size());
  if (total < 1) throw ValueError("evaluate: {} examples, and at least 1 is needed", total);
  // Fixed parts, added in their order: the threads don't show in the result.
  const Index rows = std::clamp<Index>(4096 / task.context(), 1, 64);
  std::vector<Part> parts(static_cast<std::size_t>((total + rows - 1) / rows));
  parallel_for(static_cast<Index>(parts.size()), [&](Index i) {
    const Pause pause;
    std::vector<Example> some;
    for (Index number = i * rows; number < std::min((i + 1) * rows, total); ++number)
      some.push_back(task.held_out_example(number));
    parts[static_cast<std::size_t>(i)] = evaluate_part(model, some, decoding && task.has_answers());
  });
  Part sum;
  for (const Part& part : parts) {
    sum.loss += part.loss;
    sum.targets += part.targets;
    sum.right += part.right;
  }
  Evaluation result;
  result.loss = sum.loss / static_cast<double>(sum.targets);
  result.exact_match = static_cast<double>(sum.right) / static_cast<double>(total);
  result.examples = total;
  return result;
}

}  // namespace tapehead
