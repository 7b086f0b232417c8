#include "trace.hpp"
#include "tape.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tapehead {

Trace& Trace::current() {
  thread_local Trace trace;
  return trace;
}

Scope::Scope(const char* name) : outer_(std::exchange(Trace::current().module, name)) {}
Scope::~Scope() { Trace::current().module = outer_; }

Listening::Listening(TapeListener* listener)
    : outer_(std::exchange(Trace::current().listener, listener)) {}
Listening::~Listening() { Trace::current().listener = outer_; }

Primitive::Primitive() : outer_(std::exchange(Trace::current().primitive, true)) {}
Primitive::~Primitive() { Trace::current().primitive = outer_; }

// ---- the tape as a table

namespace {

std::string number(const Tensor& x) {
  return !x ? "" : x.rank() == 0 ? fmt::format("{:.4f}", x.item()) : to_string(x);
}

std::string inputs_of(const int* inputs, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (!text.empty()) text += ", ";
    text += inputs[i] < 0 ? "const" : std::to_string(inputs[i]);
  }
  return text;
}

}  // namespace

std::string to_string(const Tape& tape) {
  constexpr std::size_t columns = 7;
  constexpr std::array<bool, columns> right = {true, false, false, false, true, true, false};
  using Row = std::array<std::string, columns>;
  std::vector<Row> rows{{"#", "op", "inputs", "shape", "value", "", ""}};
  for (const Tape::Entry& entry : tape.entries_) {
    const std::string op = *entry.op ? entry.op : "watch";
    rows.push_back({std::to_string(rows.size() - 1), op, inputs_of(tape.inputs(entry), entry.count),
                    to_string(entry.shape), number(entry.value), number(entry.gradient),
                    entry.module});
    if (entry.gradient) rows[0][5] = "gradient";
    if (*entry.module) rows[0][6] = "module";
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
