#include "check_module.hpp"
#include "../../core/checks/inputs.hpp"
#include "../../core/recording.hpp"
#include "../../core/tape.hpp"
#include "../../train/files/strings.hpp"
#include "probes.hpp"

#include <cmath>
#include <map>
#include <set>

namespace tapehead {
namespace {

using Kind = Finding::Kind;

constexpr double rounding = 1e-9;  // f64 tolerance for a different order of summation

std::string in_quotes(const std::string& parameter) { return '\'' + parameter + '\''; }

bool all_zero(const Tensor& x) {
  const std::vector<double> values = x.values();
  return all_of(values, [](double v) { return v == 0; });
}

/// The outcome of running forward in training and evaluation mode in one float type.
struct Trial {
  std::string error;                  ///< the exception's message; empty: none
  std::vector<std::string> unlisted;  ///< parameters that `visit` doesn't list
};

/// Extracts the parameter's description from the error that it has no value.
std::string without_value(const std::string& error) {
  const std::size_t end = error.find(" has no value:"), place = error.find(" (in ");
  if (!starts_with(error, "a parameter of shape") || end == std::string::npos) return "";
  return error.substr(0, end) + (place == std::string::npos ? "" : error.substr(place));
}

class ModuleChecker {
 public:
  explicit ModuleChecker(const LayerEntry& entry) : entry_(entry), report_{entry.name, {}, {}} {}

  ModuleReport all() {
    try {
      layer_ = entry_.make();
      if (check_visit() && computes()) compare();
    } catch (const std::exception& error) {
      find(Kind::fails, "It fails {}: {}.", when_, error.what());
    }
    return std::move(report_);
  }

 private:
  template <class... Args>
  bool find(Kind kind, fmt::format_string<Args...> text, Args&&... args) {
    report_.findings.push_back({kind, fmt::format(text, std::forward<Args>(args)...)});
    return false;
  }
  bool has(Kind kind) const {
    return any_of(report_.findings, [&](const Finding& finding) { return finding.kind == kind; });
  }
  std::unique_ptr<Module> made(DType dtype) const {
    std::unique_ptr<Module> layer = entry_.make();
    initialise(*layer, 1, dtype);
    perturb_parameters(*layer);
    return layer;
  }
  Tensor forward(const Tensor& x, Pass pass) const { return (*layer_)(x, pass); }
  /// Formats the first element at which two results differ, with both values. `then` says when the
  /// second was computed.
  static std::string seen(const Tensor& a, const Tensor& b, Index i, const char* then) {
    return fmt::format("element {} of the result is {:.6g}, but {:.6g} {}",
                       indices_of(a.shape(), i), a(i), b(i), then);
  }

  /// Runs all checks that need a layer whose forward works.
  void compare() {
    layer_ = made(DType::f64);
    if (!check_determinism()) return;
    when_ = "when a position changes";
    check_declared_properties();
    when_ = "when it is differentiated";
    check_gradients();
    when_ = "when it uses a cache";
    if (entry_.caches && !has(Kind::future) && !has(Kind::shape)) check_cache();
    when_ = "when a row is alone in its batch";
    check_batch_rows();
    when_ = "when it is compared with f32";
    const std::string loss = precision_loss(*layer_, *made(DType::f32), input_);
    if (!loss.empty()) find(Kind::precision, "{}", loss);
  }
  bool check_visit();
  Trial trial(DType dtype) const;
  bool computes();
  bool check_determinism();
  void check_declared_properties();
  bool check_causality();
  void check_cache();
  std::function<Tensor(const Tensor&)> in_evaluation() const {
    return [this](const Tensor& x) { return forward(x, Pass::evaluation()); };
  }
  void check_gradients();
  Tensor run_among_copies(Index row, const Pass& pass) const;
  void check_batch_rows();

  const LayerEntry& entry_;
  const char* when_ = "when it is made";
  ModuleReport report_;
  std::unique_ptr<Module> layer_;  // the layer, converted to f64
  const Tensor& input_ = entry_.input;
  Tensor result_;  // the result in evaluation mode
};

bool ModuleChecker::check_visit() {
  std::map<const Parameter*, std::string> known;
  std::set<std::string> names;
  walk(*layer_, [&](const std::string& name, Parameter& parameter) {
    const auto [at, is_new] = known.try_emplace(&parameter, name);
    if (!is_new)
      find(Kind::listed_twice,
           "visit lists the parameter {} again, as '{}'. An optimizer would update it twice per "
           "step; list it once.",
           in_quotes(at->second), name);
    else if (!names.insert(name).second)
      find(Kind::listed_twice,
           "visit gives two parameters the name {}. A checkpoint would keep one of them; use "
           "different names.",
           in_quotes(name));
  });
  return report_.findings.empty();
}

Trial ModuleChecker::trial(DType dtype) const {
  const std::unique_ptr<Module> layer = made(dtype);
  std::set<std::uint64_t> known;
  for (const Parameter* p : parameters(*layer)) known.insert(p->value().id());
  const Tensor x = cast_floats(input_, dtype).detached();
  known.insert(x.id());
  Trial result;
  Tape tape;
  TapeRecording recording;
  if (x.is_float()) tape.watch(x);
  try {
    for (Pass pass : {Pass::training(1, 0), Pass::evaluation()}) {
      const Tensor y = (*layer)(x, pass);
      if (y.dtype() != dtype) throw TypeError("it returns {} for {}", y.dtype(), dtype);
    }
  } catch (const std::exception& error) {
    result.error = error.what();
    if (const std::string one = without_value(result.error); !one.empty())
      result.unlisted.push_back(one);
  }
  const std::vector<RecordedStep>& steps = recording.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Tensor& leaf = steps[i].value;  // a watched tensor that isn't an op's result
    if (!steps[i].op.empty() || !tape.is_tracking(leaf) || known.count(leaf.id()) > 0) continue;
    const auto use = find_if(steps, [&](const RecordedStep& step) {
      return contains(step.inputs, static_cast<int>(i));
    });
    result.unlisted.push_back(fmt::format("a parameter of shape {}, in {}{}{}", leaf.shape(),
                                          use->op, use->module.empty() ? "" : " of ", use->module));
  }
  return result;
}

bool ModuleChecker::computes() {
  const Trial single = trial(DType::f32), full = trial(DType::f64);
  const Trial& telling = full.unlisted.empty() ? single : full;
  for (const std::string& parameter : telling.unlisted)
    find(Kind::unlisted,
         "forward uses {}, but visit doesn't list it. It would be neither trained nor saved; list "
         "it in visit.",
         parameter);
  if (!telling.unlisted.empty()) return false;
  if (single.error.empty() && full.error.empty()) return true;
  if (!single.error.empty() && !full.error.empty())
    return find(Kind::fails, "It fails for an input {}: {}.", input_.shape(), full.error);
  const bool in_single = full.error.empty();
  return find(Kind::precision,
              "forward works in {} but fails in {}: {}. Create constants in the input's type.",
              in_single ? "f64" : "f32", in_single ? "f32" : "f64",
              in_single ? single.error : full.error);
}

/// Checks that equal passes give equal results, and that training and evaluation differ only by
/// dropout.
bool ModuleChecker::check_determinism() {
  when_ = "when it is called again";
  Pass pass = Pass::training(1, 0), other = Pass::evaluation();
  other.key.seed = 2;
  const std::uint32_t before = pass.key.site;
  const Tensor training = (*layer_)(input_, pass);
  const bool draws = pass.key.site != before;
  result_ = forward(input_, Pass::evaluation());
  for (const Tensor& y : {training, result_})
    for (Index i = 0; i < y.size(); ++i)
      if (std::isnan(y(i)))
        return find(Kind::fails,
                    "Element {} of the result is nan. Finite inputs must give finite results.",
                    indices_of(y.shape(), i));
  const Tensor training_again = forward(input_, Pass::training(1, 0));
  const Tensor evaluated_again = forward(input_, Pass::evaluation());
  if (const Index i = first_difference(training, training_again, 0); i >= 0)
    return find(Kind::chance,
                "Two calls in training with the same random numbers differ: {}. Draw with "
                "pass.next_key(), and don't let forward change the layer.",
                seen(training, training_again, i, "the second time"));
  if (const Index i = first_difference(result_, evaluated_again, 0); i >= 0)
    return find(Kind::chance,
                "Two calls in evaluation differ: {}. Don't let forward change the layer, and don't "
                "draw random numbers in evaluation.",
                seen(result_, evaluated_again, i, "the second time"));
  const Tensor drawn = forward(input_, other);
  if (const Index i = first_difference(result_, drawn, 0); i >= 0)
    return find(Kind::mode,
                "Evaluation draws random numbers: {}. Apply dropout only if pass.train is "
                "true.",
                seen(result_, drawn, i, "with other random numbers"));
  if (training.shape() != result_.shape())
    return find(Kind::mode,
                "Training returns shape {}, but evaluation {}. Both must return the same shape.",
                training.shape(), result_.shape());
  const Index i = first_difference(training, result_, rounding);
  if (i >= 0 && !draws)
    find(Kind::mode,
         "Training and evaluation differ, but no random numbers were drawn: {}. Only dropout may "
         "depend on pass.train, with random numbers from pass.next_key().",
         seen(training, result_, i, "in evaluation"));
  if (i >= 0 && draws) report_.notes.emplace_back("dropout in training");
  return true;
}

void ModuleChecker::check_declared_properties() {
  const Shape shape = result_.shape();
  if (entry_.keeps_shape && shape != input_.shape()) {
    find(Kind::shape, "The result has shape {} for an input of shape {}, but must keep the shape.",
         shape, input_.shape());
    return;
  }
  if (entry_.keeps_shape) report_.notes.emplace_back("keeps the shape");
  if (entry_.causal && !check_causality()) return;
  const bool has_time = entry_.causal || (entry_.keeps_shape && shape.rank() == 3);
  if (!has_time || shape[1] != input_.dim(1)) return;
  if (const auto blind = blind_position(in_evaluation(), input_))
    find(Kind::positions,
         "Position {} of the result doesn't depend on position {} of the input, although {} "
         "depends on "
         "{}. If heads are split by reshape, permute the head axis before the positions.",
         blind->position, blind->position - blind->distance, blind->seeing,
         blind->seeing - blind->distance);
}

bool ModuleChecker::check_causality() {
  const Shape shape = result_.shape();
  if (shape.rank() < 2 || input_.rank() < 2 || shape[1] > input_.dim(1)) {
    find(Kind::shape,
         "The result has shape {} for an input of shape {}. A causal layer returns a result for "
         "each "
         "position of (batch, time, ...).",
         shape, input_.shape());
    return false;
  }
  const std::optional<FutureLeak> leak = future_leak(in_evaluation(), input_);
  if (leak)
    return find(Kind::future,
                "Position {} of the result changes with position {} of the input: its element {} "
                "goes from {:.6g} to {:.6g}. Mask later positions.",
                leak->position, leak->later, indices_of(shape, leak->element), leak->before,
                leak->after);
  report_.notes.emplace_back("causal");
  return true;
}

/// Compares decoding token by token with one pass. If the layer reads source tokens first, its
/// first call gets all of them.
void ModuleChecker::check_cache() {
  const Index time = input_.dim(1), ahead = time - result_.dim(1);
  Cache cache;
  std::vector<Tensor> parts;
  for (Index from = 0, to = ahead + 1; to <= time; from = to++) {
    Pass pass = Pass::evaluation();
    pass.cache = &cache;
    parts.push_back((*layer_)(slice(input_, 1, from, to), pass));
    cache.length = to - ahead;  // a model counts the cached tokens like this
  }
  const Tensor continued = concat(parts, 1);
  if (const Index i = first_difference(result_, continued, rounding); i >= 0)
    find(Kind::cache,
         "Decoding with a cache differs from one pass over all tokens: {}. Store what "
         "earlier tokens contribute in pass.cache->state<T>(this), and read it from there.",
         seen(result_, continued, i, "token by token"));
  else
    report_.notes.emplace_back("supports a cache");
}

void ModuleChecker::check_gradients() {
  const ForwardBackward now = run_forward_backward(*layer_, input_);
  const std::vector<Parameter*> all = parameters(*layer_);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tensor& gradient = now.gradients[i];
    Parameter& parameter = *all[i];
    if (!parameter.trainable || parameter.shape.size() == 0) continue;
    if (gradient && !all_zero(gradient)) continue;
    const Tensor old = parameter.value();
    parameter.set(old + normal_sample(old.shape(), 1));
    const Tensor moved = forward(input_, Pass::training(1, 0));
    parameter.set(old);
    const bool matters = first_difference(now.y, moved, rounding) >= 0;
    if (!gradient && !matters)
      find(Kind::unused,
           "The result doesn't depend on {}, and no gradient reaches it. Use it in forward, or "
           "remove it from the layer.",
           in_quotes(parameter.path));
    else if (matters)
      find(Kind::no_gradient,
           "{} {}, although the result depends on it. It isn't trained: use it as a tensor, not "
           "with "
           "value(), detached() or under a Pause, and give its op a gradient.",
           gradient ? "Only zero gradients reach" : "No gradient reaches",
           in_quotes(parameter.path));
    else
      find(Kind::no_gradient,
           "The gradient of {} is zero everywhere, and the result doesn't change with it. Look "
           "for a multiplication by 0, or a detached tensor.",
           in_quotes(parameter.path));
  }
  const Tensor& gradient = now.gradients.back();
  if (input_.is_float() && input_.size() > 0 && (!gradient || all_zero(gradient)))
    find(Kind::no_gradient,
         "The gradient of the input is zero everywhere. Nothing before the layer would be "
         "trained; use ops with a gradient between input and result.");
}

/// Runs the layer on copies of one input row, with one more copy than the input has rows. Returns
/// the row of the result that has this row's number.
Tensor ModuleChecker::run_among_copies(Index row, const Pass& pass) const {
  const std::vector<Tensor> copies(input_.dim(0) + 1, slice(input_, 0, row, row + 1));
  return slice(forward(concat(copies, 0), pass), 0, row, row + 1);
}

void ModuleChecker::check_batch_rows() {
  const Index rows = input_.rank() < 2 ? 0 : input_.dim(0);
  if (rows < 2 || result_.rank() == 0 || result_.dim(0) != rows) {
    report_.notes.emplace_back("rows not compared");
    return;
  }
  for (const bool train : {false, true}) {
    const auto pass_of = [&](Index row) {
      return train ? Pass::training(1, 0, row) : Pass::evaluation();
    };
    const Tensor whole = forward(input_, pass_of(0));
    for (Index row = 0; row < rows; ++row) {
      const Tensor alone = forward(slice(input_, 0, row, row + 1), pass_of(row));
      const Tensor within = slice(whole, 0, row, row + 1);
      if (alone.shape() != within.shape()) {
        find(Kind::batch, "Row {} of the result has shape {}, but {} in a batch of its own.", row,
             within.shape(), alone.shape());
        return;
      }
      const Index i = first_difference(within, alone, rounding);
      if (i < 0) continue;
      if (first_difference(within, run_among_copies(row, pass_of(0)), rounding) < 0) {
        if (train && has(Kind::mode)) return;
        find(Kind::chance,
             "Row {} of the result depends on its index in the batch{}, but not on the other rows: "
             "element {} is {:.6g}, but {:.6g} in a batch of its own. A separate random key can "
             "cause "
             "this; draw with pass.next_key().",
             row, train ? " in training" : "", indices_of(whole.shape(), row * alone.size() + i),
             within(i), alone(i));
        return;
      }
      find(Kind::batch,
           "Row {} of the result depends on the batch's other rows{}: element {} is {:.6g}, but "
           "{:.6g} in a batch of its own. Compute each row separately, along the other "
           "axes.",
           row, train ? " in training" : "", indices_of(whole.shape(), row * alone.size() + i),
           within(i), alone(i));
      return;
    }
  }
}

}  // namespace

const char* to_string(Finding::Kind kind) {
  constexpr const char* names[] = {"fails",     "unlisted", "listed twice",  "unused", "shape",
                                   "positions", "future",   "no gradient",   "batch",  "precision",
                                   "cache",     "mode",     "nondeterminism"};
  return names[static_cast<std::size_t>(kind)];
}

ModuleReport check_module(const LayerEntry& entry) { return ModuleChecker(entry).all(); }

}  // namespace tapehead
