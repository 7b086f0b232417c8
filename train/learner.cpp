#include "learner.hpp"
#include "model/fine_tuning.hpp"
#include "optimizers.hpp"
#include "plan.hpp"
#include "watch/histograms.hpp"
#include "watch/not_finite.hpp"
#include "watch/profiler.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// The model that a configuration begins with: its weights are drawn, or where `fresh` taken from
/// --init as far as that is asked for.
std::unique_ptr<TaskModel> first_model(const TrainConfig& config, const Task& task,
                                       const Registry& registry, bool fresh) {
  const bool given = fresh && !config.init.empty();
  const bool all = config.init_only.empty() && !config.init_missing;
  auto model =
      given && all ? outline_model(config, task, registry) : make_model(config, task, registry);
  if (given && is_weights_file(config.init))
    start_from_file(*model->module, config.init, config.init_only, config.init_missing);
  else if (given)
    start_from(*model->module, RunFolder::open(config.init), config.init_only, config.init_missing);
  freeze(*model->module, config.freeze);
  return model;
}

std::unique_ptr<Team> team_of(const MakeTeam& given, const Registry& registry, Module& model,
                              const TrainConfig& config) {
  if (given) return given(model, config);
  for (const TeamExtension& usual : registry.extensions<TeamExtension>())
    if (auto team = usual.make(model, config)) return team;
  return nullptr;
}

MakeOptimizer optimizer_for(const TrainConfig& config, const Registry& registry, bool in_team) {
  const MakeOptimizer& make = registry.optimizers().make(config.optimizer);
  if (in_team && make.whole)
    throw UsageError(
        "--optimizer {} looks at the whole step; ranks that train together each see "
        "a part of it",
        config.optimizer);
  return make;
}

std::function<double(Index)> schedule_of(const TrainConfig& config, const Registry& registry) {
  auto made = registry.schedules().make(config.schedule)(config);
  if (!made) throw ValueError("{}: what should make it returned no function", config.schedule);
  return made;
}

std::vector<ModelMetric> asked_of(const TrainConfig& config, const Registry& registry) {
  std::vector<ModelMetric> asked;
  for (const ModelMetric& metric : registry.extensions<ModelMetric>())
    if (metric.asked(config)) asked.push_back(metric);
  return asked;
}

}  // namespace

Index evaluated_examples(const TrainConfig& config, const Task& task) {
  const Index all = held_out_size(task);
  return config.eval_examples > 0 ? std::min(config.eval_examples, all) : all;
}

Learner::Learner(TrainConfig config_, const Registry& registry, bool fresh,
                 std::shared_ptr<const Task> task_, const MakeTeam& make_team)
    : config(std::move(config_)),
      task(task_ ? std::move(task_) : make_task(config, registry)),
      model(first_model(config, *task, registry, fresh)),
      loss(own_loss(*model, *task)),
      team_(team_of(make_team, registry, *model->module, config)),
      make_optimizer_(optimizer_for(config, registry, team_ != nullptr)),
      shards(layout(config, *task, *model).shards),
      optimizer(returned_by(config.optimizer,
                            make_optimizer_.make(config, team_ ? team_->share() : *model->module))),
      average(config.average > 0
                  ? std::make_unique<WeightAverage>(parameters(*model->module), config.average)
                  : nullptr),
      schedule(schedule_of(config, registry)),
      metrics(registry.metrics()),
      model_metrics(asked_of(config, registry)),
      threads_(layout(config, *task, *model).threads) {}

StepOptions Learner::step_options() const {
  return {config.accumulate, config.smoothing,
          config.dtype == "bf16" ? Precision::bf16 : Precision::f32, loss.get()};
}

void Learner::tell(const char* what, Index number) {
  if (team_ && leads()) team_->told(fmt::format("{} {}", what, number));
}

std::unique_ptr<Optimizer> Learner::whole_optimizer() const {
  return team_ && leads() ? make_optimizer_.make(config, *model->module) : nullptr;
}

Index Learner::begin(const RunFolder& folder) {
  tell("begin");
  const auto whole = whole_optimizer();
  Optimizer* const all = whole ? whole.get() : optimizer.get();
  check_names(*model->module, *all, average.get());
  const Index steps = folder.has_checkpoint() ? folder.load(*model->module, all, average.get()) : 0;
  if (team_) team_->scatter(whole.get(), *optimizer, average.get());
  return steps;
}

void Learner::save(const RunFolder& folder, Index steps, const SaveOptions& options) {
  tell("save");
  const auto whole = whole_optimizer();
  if (team_) team_->gather(whole.get(), *optimizer);
  folder.save(*model->module, whole ? *whole : *optimizer, steps, options);
}

void Learner::follow(const std::atomic<bool>& stop) {
  for (;;) {
    const std::string order = team_->told();
    const std::string what = order.substr(0, order.find(' '));
    const Index number = std::stoll(order.substr(what.size()));
    if (what == "begin") team_->scatter(nullptr, *optimizer, average.get());
    if (what == "save") team_->gather(nullptr, *optimizer);
    if (what == "evaluate") evaluate(number, {}, {}, &stop);
    if (what == "end") return;
    if (what != "step") continue;
    team_->wants_to_stop = stop;
    step(number);
  }
}

double Learner::rate_at(Index step) const {
  const double rate = schedule(step);
  if (!(rate >= 0 && std::isfinite(rate)))
    throw ValueError("--schedule {} gives the rate {} at step {}, expected a number from 0 on",
                     config.schedule, rate, step);
  return rate;
}

Batch Learner::batch(Index step) const {
  if (config.fixed_batch) step = 0;
  std::vector<Example> examples = training_examples(*task, config.seed, step, config.batch);
  // A shard is as long as its longest example; the long shards begin first, to end with the others.
  const auto longer = [](auto& a, auto& b) { return a.tokens.size() > b.tokens.size(); };
  std::stable_sort(examples.begin(), examples.end(), longer);
  Batch all = model->batch(examples);
  check_batch(all, config.batch);
  return all;
}

StepResult Learner::step(Index step, Profiler* profiler) {
  tell("step", step);
  const Span whole(profiler, step);
  StepOptions options = step_options();
  options.team = team_.get();
  if (profiler) {
    options.profiler = profiler;
    options.listeners = profiler->listeners(shards);
  }
  const Batch examples = [&] {
    const Span span(profiler, "batch");
    return batch(step);
  }();
  optimizer->lr = rate_at(step);
  const StepResult result = training_step(*model->module, *optimizer, examples, config.seed, step,
                                          shards, config.clip, options);
  if (!average || !result.is_finite()) return result;
  const Span span(profiler, "average");
  average->update(optimizer->steps);
  return result;
}

std::string Learner::why_not_finite(Index step) {
  return tapehead::why_not_finite(*model->module, batch(step), config.seed, step, shards,
                                  step_options());
}

Json Learner::histograms(Index step) {
  return tapehead::histograms(*model->module, batch(step), config.seed, step, shards,
                              step_options());
}

Evaluation Learner::evaluate(Index examples, const std::function<void(const Evaluation&)>& done,
                             const std::function<void(double fraction)>& told,
                             const std::atomic<bool>* stop) {
  tell("evaluate", examples);
  const Averaged in_model(average.get(), optimizer.get());
  Evaluation result =
      tapehead::evaluate(*model, *task, examples, true, told, metrics, team_.get(), stop);
  if (result.examples == 0) return result;
  result.metrics.merge(measured());
  if (done) done(result);
  return result;
}

std::map<std::string, double> Learner::measured() const {
  std::map<std::string, double> all;
  for (const ModelMetric& metric : model_metrics)
    all[metric.name] = metric.of_model(*model, *task, config);
  return all;
}

void Learner::check_evaluation(Index examples) const {
  check_held_out(*task, examples);
  tapehead::evaluate(*model, *task, std::min(examples, evaluated_at_once(*task)), true, {},
                     metrics);
  measured();
}

}  // namespace tapehead
