#pragma once
#include "../../train/runs/run_folder.hpp"
#include "task.hpp"

namespace tapehead::rasp {

/// A compiled program: a model that computes it.
struct Compiled {
  TrainConfig config;
  std::shared_ptr<const ProgramTask> task;
  Circuit circuit;
  std::unique_ptr<TaskModel> model;
};

/// Compiles a program, given as to read_program, to weights of the type `dtype`, f32 or f64.
Compiled compile(const std::string& program, const std::string& dtype, const Registry& registry);

/// Returns the numbers, in ProgramTask::all(), of the inputs for which the model's likeliest tokens
/// differ from the program's result.
std::vector<std::size_t> wrong_examples(const Compiled& compiled);

/// Writes a run of 0 steps into a new folder, with circuit.json unless the program is a puzzle.
/// Throws FileError.
void write_run(const Compiled& compiled, const std::string& path, const Registry& registry);

}  // namespace tapehead::rasp
