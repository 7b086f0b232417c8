#pragma once
// Puzzles: included programs under a name that doesn't reveal them, with other tokens for each
// student.
#include "circuit/circuit.hpp"

#include <map>

namespace tapehead::rasp {

/// A program to be found out from its compiled model.
struct Puzzle {
  const char* program;                          ///< name of an included program
  std::map<std::string, std::string> meanings;  ///< a description of each sequence, by name
};

/// Returns all puzzles, the easiest first.
const std::vector<Puzzle>& puzzles();
/// Returns a student's puzzle; numbers count from 1. The student number shuffles puzzles of similar
/// difficulty: four each.
const Puzzle& puzzle_of(int number, std::uint64_t student);
/// Returns the name puzzle-NUMBER-STUDENT, which read_program accepts.
std::string puzzle_name(int number, std::uint64_t student);
/// Returns the program of a puzzle's name; none for other names. Its words in the alphabet are
/// replaced by letters that the student number determines.
std::optional<Program> read_puzzle(const std::string& name);
/// Compiles a program as make_circuit does. A puzzle gets idle heads, so that each block has four,
/// in an order that the student number determines.
Circuit make_puzzle_circuit(const Interpreter& interpreter);

}  // namespace tapehead::rasp
