#include "task.hpp"
#include "../../../core/ops.hpp"
#include "../../../core/random.hpp"
#include "../../../core/tape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tapehead {
namespace {

constexpr double tolerance = 1e-4;  // relative to the largest number of a row

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Returns the first element of x that isn't near `expected`, or -1. Shapes must be equal.
Index first_far(const Tensor& x, const Tensor& expected) {
  const Index width = expected.rank() == 0 ? 1 : std::max<Index>(expected.dim(-1), 1);
  for (Index row = 0; row < expected.size(); row += width) {
    double most = 1e-30;
    for (Index i = row; i < row + width; ++i)
      if (std::isfinite(expected(i))) most = std::max(most, std::abs(expected(i)));
    for (Index i = row; i < row + width; ++i)
      if (!is_same(x(i), expected(i)) && !(std::abs(x(i) - expected(i)) <= tolerance * most))
        return i;
  }
  return -1;
}
bool is_close(const Tensor& x, const Tensor& expected) {
  return x.shape() == expected.shape() && first_far(x, expected) < 0;
}

/// Returns the number of elements that differ, and the first of them.
std::pair<Index, Index> difference(const Tensor& x, const Tensor& expected) {
  Index count = 0, first = -1;
  for (Index i = expected.size(); i-- > 0;)
    if (!is_same(x(i), expected(i))) ++count, first = i;
  return {count, first};
}

std::string place(const std::string& name, const Shape& shape, Index element) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; element /= shape[axis--])
    text = std::to_string(element % shape[axis]) + (text.empty() ? "" : ", ") + text;
  return text.empty() ? name : fmt::format("{}[{}]", name, text);
}

/// Names a constant factor between a wrong result and the right one; empty if there is none.
std::string factor_between(const Tensor& x, const Tensor& expected) {
  Index largest = 0;
  for (Index i = 0; i < expected.size(); ++i)
    if (std::abs(expected(i)) > std::abs(expected(largest))) largest = i;
  const double factor = x(largest) / expected(largest);
  if (!std::isfinite(factor) || !is_close(x, expected * factor)) return "";
  if (factor == 0) return "every element is 0: nothing arrives here";
  return fmt::format("every element is {:.6g} times what it should be", factor);
}

/// Returns whether a mistake explains a program's result number `wrong`, and doesn't contradict the
/// results before it.
bool explains(const CourseTensors& mistaken, const CourseTask& task, const Written& written,
              std::size_t wrong) {
  for (std::size_t i = 0; i <= wrong; ++i) {
    const auto& [name, expected] = task.expected[i];
    const Tensor x = find(mistaken, name);
    if (!x ? i == wrong : !is_close(written.results.at(name), x)) return false;
    if (i == wrong && is_close(x, expected)) return false;
  }
  return true;
}

/// Describes result number `wrong`, the first that is wrong.
void diagnose(const CourseTask& task, const Written& written, std::size_t wrong,
              CheckedPart& part) {
  const auto& [name, expected] = task.expected[wrong];
  const Tensor& x = written.results.at(name);
  part.state = "wrong";
  if (x.shape() != expected.shape()) {
    part.where = "the shape of " + name;
    part.given = fmt::format("{}", x.shape());
    part.expected = fmt::format("{}", expected.shape());
  } else {
    const Index at = first_far(x, expected);
    part.where = place(name, expected.shape(), at);
    std::tie(part.given, part.expected) = format_pair(x(at), expected(at));
  }
  for (const Candidate& mistake : task.mistakes)
    if (explains(mistake.results, task, written, wrong)) {
      part.mistake = mistake.note;
      return;
    }
  if (x.shape() == expected.shape()) part.note = factor_between(x, expected);
}

/// Describes a result that is right, but has other bits.
std::string describe_bits(const CourseTask& task, const std::string& name, const Tensor& x,
                          const Tensor& expected) {
  const auto [count, first] = difference(x, expected);
  std::string why = task.advice;
  for (const Candidate& order : task.orders)
    if (const Tensor other = find(order.results, name); other && difference(x, other).first == 0)
      why = order.note;
  const std::string text =
      fmt::format("{} of {} numbers of {} differ in the last bits, first {}", count,
                  expected.size(), name, place(name, expected.shape(), first));
  return why.empty() ? text : text + ": " + why;
}

}  // namespace

Tensor drawn(const Shape& shape, std::uint32_t number) {
  return random_normal(shape, RandomKey{0, Draw::test, 5000, 0, number});
}

Tensor find(const CourseTensors& all, const std::string& name) {
  for (const auto& [each, x] : all)
    if (each == name) return x;
  return {};
}

CourseTensors results_of(const CourseTask& task, const Function& f) {
  std::vector<Tensor> x;
  Tape tape;
  for (const auto& [name, result] : task.expected)
    if (name != "y") tape.watch(x.emplace_back(find(task.inputs, name.substr(1)).detached()));
  const Tensor y = f(x);
  const Gradients gradients = tape.backward(y, find(task.inputs, "dy"), {false, false, true});
  CourseTensors results = {{"y", y.detached()}};
  for (std::size_t i = 0; i < x.size(); ++i)
    results.push_back({task.expected[i + 1].first, gradients[x[i]]});
  return results;
}

CourseTask differentiated(const std::string& name, CourseTensors inputs, const Function& f,
                          CourseTensors constants) {
  CourseTask task{name, inputs, {{"y", {}}}};
  std::vector<Tensor> x;
  for (const auto& [input, value] : inputs) {
    task.expected.push_back({"d" + input, {}});
    x.push_back(value);
  }
  for (auto& each : constants) task.inputs.push_back(std::move(each));
  task.inputs.push_back({"dy", drawn(f(x).shape(), 1000)});
  task.expected = results_of(task, f);
  return task;
}

CheckedPart compare(const CourseTask& task, const Written& written, bool& exact) {
  CheckedPart part{task.name, "right", "", "", "", ""};
  exact = false;
  if (!written.message.empty()) {
    part.state = written.message == "todo" ? "not done" : "failed";
    if (part.state == "failed") part.note = written.message;
    return part;
  }
  std::string bits;
  for (std::size_t i = 0; i < task.expected.size(); ++i) {
    const auto& [name, expected] = task.expected[i];
    const auto found = written.results.find(name);
    if (found == written.results.end()) {
      part.state = "failed";
      part.note = "the program ended before " + name;
      return part;
    }
    const Tensor& x = found->second;
    if (x.shape() != expected.shape() || (i < task.compared && !is_close(x, expected))) {
      diagnose(task, written, i, part);
      return part;
    }
    if (bits.empty() && difference(x, expected).first > 0)
      bits = describe_bits(task, name, x, expected);
  }
  exact = bits.empty();
  part.note = exact ? "bit for bit" : bits;
  return part;
}

std::vector<CourseTask> course_tasks(int chapter, const Registry& registry) {
  constexpr decltype(tape_tasks)* all[] = {tape_tasks,      op_tasks,        layer_tasks,
                                           attention_tasks, optimizer_tasks, run_tasks};
  return all[chapter - 1](registry);
}

}  // namespace tapehead
