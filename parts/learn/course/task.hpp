#pragma once
// The tasks of the course "Build it yourself": inputs, the engine's results, and the results of
// typical mistakes, with which a student's results are compared.
#include "../../../core/function.hpp"
#include "../work.hpp"

#include <functional>
#include <map>

namespace tapehead {

class Registry;
struct TrainConfig;

/// Named tensors, in the order in which they are compared.
using CourseTensors = std::vector<std::pair<std::string, Tensor>>;

/// Results that differ from the right ones for a known reason.
struct Candidate {
  std::string note;
  CourseTensors results;
};

struct CourseTask {
  std::string name;
  CourseTensors inputs;
  CourseTensors expected;
  std::vector<Candidate> mistakes = {};  ///< wrong values
  std::vector<Candidate> orders = {};    ///< right values that were rounded differently
  std::string advice = {};               ///< how to get the engine's bits
  std::size_t compared = 99;  ///< number of leading results that must be close; the other results
                              ///< are compared only bit by bit
};

/// Returns the tasks of a chapter, 1 to 6, except the weight hash.
std::vector<CourseTask> course_tasks(int chapter, const Registry& registry);
std::vector<CourseTask> tape_tasks(const Registry& registry);
std::vector<CourseTask> op_tasks(const Registry& registry);
std::vector<CourseTask> layer_tasks(const Registry& registry);
std::vector<CourseTask> attention_tasks(const Registry& registry);
std::vector<CourseTask> optimizer_tasks(const Registry& registry);
std::vector<CourseTask> run_tasks(const Registry& registry);
/// Returns the inputs of the last task and the weights after training `reverse` for `steps` steps.
CourseTask hash_task(const Registry& registry, Index steps);

// ---- helpers for tasks

/// Returns normally distributed f32 numbers, different for each `number`.
Tensor drawn(const Shape& shape, std::uint32_t number);
Tensor find(const CourseTensors& all, const std::string& name);

/// Returns a task whose expected results are y = f(inputs) and the gradients of all inputs for a
/// random gradient dy. The program also gets `constants`.
CourseTask differentiated(const std::string& name, CourseTensors inputs, const Function& f,
                          CourseTensors constants = {});
/// Returns the results of another function for the same inputs and the same dy.
CourseTensors results_of(const CourseTask& task, const Function& f);

/// Returns inputs of a transformer's block for x of this shape, (..., width): x, gain, bias, w_in
/// (hidden, width), b_in, w_out (width, read), b_out.
CourseTensors block_inputs(const Shape& shape, Index hidden, Index read);
/// Returns the mistakes of a task that computes x + branch(inputs).
std::vector<Candidate> residual_mistakes(const CourseTask& task, const Function& branch);

/// Returns the default configuration of `reverse`, for this number of steps.
TrainConfig course_config(const Registry& registry, Index steps);

// ---- comparison

/// What a program wrote for a task: results, or a message, which is "todo" for an unsolved task.
struct Written {
  std::map<std::string, Tensor> results;
  std::string message = {};
};

/// Compares a program's results with the expected ones. Sets `exact` to whether every bit is equal.
CheckedPart compare(const CourseTask& task, const Written& written, bool& exact);

}  // namespace tapehead
