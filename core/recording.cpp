#include "recording.hpp"
#include "tape_stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tapehead {

int TapeRecording::step_of(const Tensor& x) {
  if (!x) return -1;
  const auto [at, is_new] = by_tensor_.try_emplace(x.id(), static_cast<int>(steps_.size()));
  if (!is_new) return at->second;
  const bool on_tape = is_tracked(x);
  steps_.push_back(
      {"", {}, on_tape ? ModuleScope::current() : "", {}, x.shape(), kept(x), {}, {}, on_tape});
  return at->second;
}

void TapeRecording::watched(const Tensor& x) { step_of(x); }

void TapeRecording::computed(const OpCall& call, const Tensor& y,
                             const std::vector<Tensor>& inputs) {
  RecordedStep step{
      call.name, {call.begin(), call.end()}, ModuleScope::current(), {}, y.shape(), kept(y), {}, {},
      false};
  for (const Tensor& x : inputs) {
    step.inputs.push_back(step_of(x));
    step.on_tape = step.on_tape || (y.is_float() && x && is_tracked(x));
  }
  by_tensor_[y.id()] = static_cast<int>(steps_.size());
  steps_.push_back(std::move(step));
}

void TapeRecording::gradient_ready(std::uint64_t x, const Tensor& dx) {
  const auto step = by_tensor_.find(x);
  if (step != by_tensor_.end()) steps_[step->second].gradient = kept(dx);
}

void TapeRecording::differentiated(std::uint64_t y, const char*, const Tensor&,
                                   const Grads& grads) {
  const auto step = by_tensor_.find(y);
  if (step == by_tensor_.end()) return;  // y was computed before this recording started
  steps_[step->second].sent.clear();
  for (const Tensor& dx : grads) steps_[step->second].sent.push_back(kept(dx));
}

namespace {

constexpr Index small = 16;  // largest number of elements of a printed tensor

std::string number(const Tensor& x) {
  if (!x || x.size() > small) return "";
  return x.rank() == 0 ? fmt::format("{:.4f}", x.item()) : to_string(x);
}

}  // namespace

std::string to_string(const TapeRecording& recording) {
  constexpr std::size_t columns = 7;
  constexpr std::array<bool, columns> right = {true, false, false, false, true, true, false};
  using Row = std::array<std::string, columns>;
  std::vector<Row> rows{{"#", "op", "inputs", "shape", "value", "", ""}};
  std::vector<std::string> numbers;  // each step's row number in the table, or `const`
  for (const RecordedStep& step : recording.steps()) {
    numbers.push_back(step.on_tape ? std::to_string(rows.size() - 1) : "const");
    if (!step.on_tape) continue;
    std::string inputs;
    for (const int input : step.inputs)
      inputs += (inputs.empty() ? "" : ", ") + (input < 0 ? "const" : numbers[input]);
    rows.push_back({numbers.back(), step.op.empty() ? "watch" : step.op, inputs,
                    to_string(step.shape), number(step.value), number(step.gradient), step.module});
    if (!rows.back()[5].empty()) rows[0][5] = "gradient";
    if (!step.module.empty()) rows[0][6] = "module";
  }

  std::array<std::size_t, columns> widths{};
  for (const Row& row : rows)
    for (std::size_t column = 0; column < columns; ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string table;
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < columns; ++column)
      table += right[column] ? fmt::format("  {:>{}}", row[column], widths[column])
                             : fmt::format("  {:<{}}", row[column], widths[column]);
    table.erase(table.find_last_not_of(' ') + 1) += '\n';
  }
  return table;
}

}  // namespace tapehead
