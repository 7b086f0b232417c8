#include "interpreter.hpp"
#include "../../../core/error.hpp"

#include <algorithm>

namespace tapehead::rasp {

Interpreter::Interpreter(const Program& program)
    : program_(program),
      maps_(program.sequences.size()),
      conditions_(program.sequences.size()),
      met_(program.sequences.size()),
      empty_(program.sequences.size()) {
  for (std::size_t s = 0; s < program.sequences.size(); ++s)
    conditions_[s].resize(program.sequences[s].selector.conditions.size());
}

int Interpreter::number(const Value& value) {
  const auto [found, is_new] = numbers_.emplace(value, static_cast<int>(values_.size()));
  if (is_new) values_.push_back(value);
  return found->second;
}

std::vector<Value> Interpreter::values(const std::vector<int>& numbers) const {
  std::vector<Value> all;
  for (int n : numbers) all.push_back(values_[n]);
  return all;
}

std::vector<int> Interpreter::met(Sequence s) const {
  std::vector<int> all(met_[s].begin(), met_[s].end());
  std::sort(all.begin(), all.end(), [&](int a, int b) { return values_[a] < values_[b]; });
  return all;
}

std::size_t Interpreter::count_met() const {
  std::size_t count = 0;
  for (std::size_t s = 0; s < met_.size(); ++s) {
    count += met_[s].size() + maps_[s].rows().size();
    for (const Results& condition : conditions_[s]) count += condition.rows().size();
    count += empty_[s] ? 1 : 0;
  }
  return count;
}

std::vector<std::vector<int>> Interpreter::run(const std::vector<Value>& input,
                                               const Replaced& replaced) {
  std::vector<std::vector<int>> values(program_.sequences.size(), std::vector<int>(input.size()));
  for (std::size_t i = 0; i < input.size(); ++i) {
    values[tokens][i] = number(input[i]);
    values[indices][i] = number(static_cast<std::int64_t>(i));
  }
  try {
    for (std::size_t s = 0; s < values.size(); ++s) {
      const auto kind = program_.sequences[s].kind;
      if (kind == Operation::Kind::map)
        run_map(static_cast<Sequence>(s), values);
      else if (kind != Operation::Kind::tokens && kind != Operation::Kind::indices)
        run_aggregate(static_cast<Sequence>(s), values);
      if (const auto found = replaced.find(static_cast<Sequence>(s)); found != replaced.end())
        std::copy_n(found->second.begin(), std::min(found->second.size(), input.size()),
                    values[s].begin());
      met_[s].insert(values[s].begin(), values[s].end());
    }
  } catch (FileError& error) {
    error.append(fmt::format(" (input: {})", joined(input)));
    throw;
  }
  return values;
}

void Interpreter::run_map(Sequence s, std::vector<std::vector<int>>& values) {
  const Operation& line = program_.sequences[s];
  for (std::size_t i = 0; i < values[s].size(); ++i) {
    const auto read = [&](std::size_t n) {
      return n < line.reads.size() ? values[line.reads[n]][i] : -1;
    };
    values[s][i] = maps_[s].at(read(0), read(1), [&] {
      return number(evaluate(program_, line.map,
                             [&](const Expression& e) { return values_[values[e.sequence][i]]; }));
    });
  }
}

void Interpreter::run_aggregate(Sequence s, std::vector<std::vector<int>>& values) {
  const Operation& line = program_.sequences[s];
  const std::vector<Condition>& conditions = line.selector.conditions;
  const auto number_at = [&](Sequence read, std::size_t i) {
    return read == no_sequence ? -1 : values[read][i];
  };
  const auto holds = [&](std::size_t c, std::size_t key, std::size_t query) {
    const int a = number_at(conditions[c].key, key), b = number_at(conditions[c].query, query);
    return conditions_[s][c].at(a, b, [&] {
      const Value result = evaluate(program_, conditions[c].predicate, [&](const Expression& e) {
        return values_[values[e.sequence][e.kind == Expression::Kind::key ? key : query]];
      });
      if (!result.is_number())
        program_.fail(conditions[c].predicate.place,
                      fmt::format("a condition must be true or false, got '{}'", result.text()));
      return result.is_true() ? 1 : 0;
    }) != 0;
  };
  const std::size_t length = values[s].size();
  for (std::size_t query = 0; query < length; ++query) {
    std::vector<int> selected;  // key positions
    const std::size_t end = program_.is_causal ? query + 1 : length;
    for (std::size_t key = 0; key < end; ++key) {
      bool all = true;  // computes each condition, so that the tables are complete
      for (std::size_t c = 0; c < conditions.size(); ++c) all = holds(c, key, query) && all;
      if (all) selected.push_back(static_cast<int>(key));
    }
    const std::vector<int> none;
    values[s][query] =
        aggregated(s, selected, line.value == no_sequence ? none : values[line.value], query);
  }
}

int Interpreter::aggregated(Sequence s, const std::vector<int>& selected,
                            const std::vector<int>& of, std::size_t position) {
  const Operation& line = program_.sequences[s];
  if (line.kind == Operation::Kind::width)
    return number(static_cast<std::int64_t>(selected.size()));
  if (selected.empty()) {
    empty_[s] = true;
    if (!line.fallback)
      program_.fail(line.place, fmt::format("nothing is selected at position {}; add a value for "
                                            "this case, as in default=0",
                                            position));
    return number(*line.fallback);
  }
  if (line.kind == Operation::Kind::pick) {
    for (int key : selected)
      if (of[key] != of[selected[0]])
        program_.fail(line.place,
                      fmt::format("pick selects different values at position {}: {} at {} and {} "
                                  "at {}; select one position, or use mean",
                                  position, values_[of[selected[0]]].text(), selected[0],
                                  values_[of[key]].text(), key));
    return of[selected[0]];
  }
  try {
    return number(mean_of(s, selected, of));
  } catch (const ValueError& error) {
    program_.fail(line.place, error.what());
  }
}

Value Interpreter::mean_of(Sequence s, const std::vector<int>& selected,
                           const std::vector<int>& of) const {
  const Operation& line = program_.sequences[s];
  Value sum;
  for (int key : selected) {
    const Value& value = values_[of[key]];
    if (!value.is_number())
      program_.fail(line.place,
                    fmt::format("mean needs numbers, got the word '{}'; use pick", value.text()));
    sum = add(sum, value);
  }
  return multiply(sum, {1, static_cast<std::int64_t>(selected.size())});
}

void Interpreter::run_all(
    const std::function<void(const std::vector<Value>&, const std::vector<std::vector<int>>&)>& f) {
  constexpr double most = 1 << 17;
  const std::size_t kinds = program_.alphabet.size();
  double count = 0, of_length = 1;
  for (int length = 1; length <= program_.longest; ++length) {
    of_length *= static_cast<double>(kinds);
    if (length >= program_.shortest) count += of_length;
  }
  if (count > most)
    program_.fail(program_.lengths_place,
                  fmt::format("these lengths and {} tokens give {:.3g} inputs, expected at most {} "
                              "to check them all; use shorter inputs",
                              kinds, count, most));
  for (int length = program_.shortest; length <= program_.longest; ++length) {
    std::vector<std::size_t> digits(length);
    for (bool done = false; !done;) {
      std::vector<Value> input;
      for (std::size_t digit : digits) input.push_back(program_.alphabet[digit]);
      const std::vector<std::vector<int>> values = run(input);
      if (f) f(input, values);
      std::size_t i = digits.size();
      while (i > 0 && ++digits[i - 1] == kinds) digits[--i] = 0;
      done = i == 0;
    }
  }
}

}  // namespace tapehead::rasp
