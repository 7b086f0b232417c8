#include "circuit.hpp"
#include "../../../core/containers.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead::rasp {
namespace {

/// The score of a key for each condition that holds. The start token's score is half of it away
/// from others, so an unselected key gets at most exp(-25), 1.4e-11, of the attention.
constexpr double sharpness = 50;
/// The smallest difference of the right logit from others. With exp(-40), the gradient of the loss
/// is too small to change weights in training.
constexpr double certainty = 40;

double number_of(const Value& value) { return value.is_number() ? value.number() : 0; }

/// Builds a circuit, line by line. Attention of block b is at time 2 b, its MLP at 2 b + 1. A line
/// reads what was complete before its time.
///
/// At the start token, every direction but its own is 0, so that no selector selects it.
class Builder {
 public:
  explicit Builder(const Interpreter& interpreter)
      : program_(interpreter.program()), known_(interpreter), lines_(program_.sequences.size()) {
    demand();
    circuit_.vocabulary = vocabulary(interpreter);
    start_ = add_direction("tokens:" + std::string(start_token), tokens);
    for (std::size_t s = 0; s < lines_.size(); ++s)
      if (lines_[s].used) add_directions(static_cast<Sequence>(s));
    embed();
    for (std::size_t s = indices + 1; s < lines_.size(); ++s) {
      if (!lines_[s].used) continue;
      if (program_.sequences[s].kind == Operation::Kind::map)
        add_map(static_cast<Sequence>(s));
      else
        add_aggregate(static_cast<Sequence>(s));
    }
    block(0);  // a model has at least one
    add_logits();
  }

  Circuit circuit() && { return std::move(circuit_); }

 private:
  /// How the residual stream represents a sequence, and when it is complete.
  struct Line {
    bool used = false, one_hot = false, number = false;  // what later lines read
    std::map<int, int> of_value;                         // one-hot directions, by value
    int as_number = -1, share = -1, found = -1;          // other directions
    int ready = -1, number_ready = -1;                   // times
  };

  const Operation& operation(Sequence s) const { return program_.sequences[s]; }
  Line& line(Sequence s) { return lines_[s]; }

  /// Finds which lines are used, and whether as one-hot values, as numbers, or both.
  void demand() {
    const auto read = [&](Sequence s, bool as_number) {
      if (s == no_sequence) return;
      line(s).used = true;
      (as_number ? line(s).number : line(s).one_hot) = true;
    };
    // A gpt chooses between numbers by their directions, because its output layer has no bias.
    const bool is_mean = operation(program_.output).kind == Operation::Kind::mean;
    read(program_.output, is_mean && !program_.is_causal);
    for (auto s = static_cast<Sequence>(lines_.size()) - 1; s > indices; --s) {
      if (!line(s).used) continue;
      for (Sequence of_map : operation(s).reads) read(of_map, false);
      for (const Condition& condition : operation(s).selector.conditions) {
        read(condition.key, false);
        read(condition.query, false);
      }
      const bool is_pick = operation(s).kind == Operation::Kind::pick;
      if (is_pick && line(s).one_hot) read(operation(s).value, false);
      if (!is_pick || line(s).number) read(operation(s).value, true);
    }
  }

  int add_direction(const std::string& name, Sequence s) {
    circuit_.directions.push_back({name, s});
    return static_cast<int>(circuit_.directions.size()) - 1;
  }
  void add_directions(Sequence s) {
    Line& l = line(s);
    const std::string& name = operation(s).name;
    const auto kind = operation(s).kind;
    if (l.one_hot)
      for (int v : known_.met(s))
        l.of_value[v] = add_direction(name + ":" + known_.value(v).text(), s);
    if (l.number || kind == Operation::Kind::mean) l.as_number = add_direction(name, s);
    if (kind == Operation::Kind::width) l.share = add_direction(name + ".share", s);
    if (known_.has_met_empty(s)) l.found = add_direction(name + ".found", s);
  }

  /// Adds the weights that write a value of a sequence.
  void write(Terms& to, Sequence s, int value, double weight = 1) {
    const auto found = line(s).of_value.find(value);
    if (found != line(s).of_value.end()) to[found->second] += weight;
    const double number = number_of(known_.value(value)) * weight;
    if (line(s).number && number != 0) to[line(s).as_number] += number;
  }

  void embed() {
    for (const Value& token : circuit_.vocabulary) {
      Row row;
      for (int v : known_.met(tokens))
        if (known_.value(v) == token && line(tokens).used) write(row.terms, tokens, v);
      circuit_.embedding.push_back(row);
    }
    circuit_.embedding.back().terms = {{start_, 1}};
    circuit_.positions.resize(1 + program_.longest);
    for (int v : known_.met(indices))
      if (line(indices).used)
        write(circuit_.positions[1 + known_.value(v).numerator()].terms, indices, v);
  }

  void block(int number) {
    const auto needed = static_cast<std::size_t>(number) + 1;
    if (circuit_.heads.size() >= needed) return;
    circuit_.heads.resize(needed);
    circuit_.neurons.resize(needed);
  }
  /// Adds a neuron that writes values of a sequence, each times a weight.
  void add_neuron(int time, Sequence s, const Row& in,
                  const std::vector<std::pair<int, double>>& values) {
    Neuron neuron{s, in, {}};
    for (const auto& [value, weight] : values) write(neuron.out, s, value, weight);
    if (neuron.out.empty()) return;
    block(time / 2);
    circuit_.neurons[time / 2].push_back(std::move(neuron));
  }

  /// Adds a neuron for each pair of values: it is 1 if both directions are.
  void add_map(Sequence s) {
    int time = -1;
    const std::vector<Sequence>& reads = operation(s).reads;
    for (Sequence read : reads) time = std::max(time, line(read).ready);
    time += time % 2 == 0 ? 1 : 2;
    for (const Results::Row& known : known_.map(s).rows()) {
      Row in = reads.empty() ? not_at_start() : Row{{}, 1.0 - static_cast<double>(reads.size())};
      if (!reads.empty()) in.terms[line(reads[0]).of_value.at(known.a)] = 1;
      if (reads.size() > 1) in.terms[line(reads[1]).of_value.at(known.b)] = 1;
      add_neuron(time, s, in, {{known.result, 1}});
    }
    line(s).ready = line(s).number_ready = time;
  }

  Row not_at_start() const { return {{{start_, -1}}, 1}; }

  // ---- attention

  /// Adds the dimensions of a condition: their products are `sharpness` where it holds, else 0.
  /// Returns whether it could fail.
  bool add_condition(Head& head, const Condition& condition, const Results& table) {
    const auto direction = [&](Sequence s, int v) { return line(s).of_value.at(v); };
    std::map<int, Row> by_key, by_query;  // the other side's row, by value
    for (const Results::Row& row : table.rows()) {
      Row &of_query = by_key[row.a], &of_key = by_query[row.b];
      if (row.result == 0) continue;
      if (condition.query != no_sequence)
        of_query.terms[direction(condition.query, row.b)] = sharpness;
      if (condition.key != no_sequence)
        of_key.terms[direction(condition.key, row.a)] = 1;
      else
        of_key = not_at_start();
    }
    if (condition.key == no_sequence && condition.query == no_sequence)
      return table.rows().at(0).result == 0;
    const bool by_keys = condition.query != no_sequence && condition.key != no_sequence &&
                         by_key.size() <= by_query.size();
    for (auto& [value, row] : by_keys ? by_key : by_query) {
      if (row.terms.empty()) continue;
      const Sequence own = by_keys ? condition.key : condition.query;
      Row other;
      if (own != no_sequence)
        other.terms[direction(own, value)] = by_keys ? 1 : sharpness;
      else
        other.bias = sharpness;
      head.queries.push_back(by_keys ? row : other);
      head.keys.push_back(by_keys ? other : row);
    }
    return true;
  }

  /// Adds a dimension for the start token. It is selected if nothing else is; with `always`, also
  /// together with all that is selected. A query at the start token selects only that.
  void add_start(Head& head, double conditions, bool always) {
    head.queries.push_back(
        {{{start_, sharpness * (conditions + 1)}}, sharpness * (conditions - (always ? 0 : 0.5))});
    head.keys.push_back({{{start_, 1}}});
  }

  void add_aggregate(Sequence s) {
    const Operation& o = operation(s);
    const bool is_width = o.kind == Operation::Kind::width;
    Line& l = line(s);
    Head head{s};
    int time = -2, failing = 0;
    for (std::size_t i = 0; i < o.selector.conditions.size(); ++i) {
      const Condition& condition = o.selector.conditions[i];
      for (Sequence read : {condition.key, condition.query})
        if (read != no_sequence) time = std::max(time, line(read).ready);
      failing += add_condition(head, condition, known_.condition(s, i)) ? 1 : 0;
    }
    add_start(head, failing, is_width);
    const auto moves = [&](Row row, int to) {
      head.values.push_back(std::move(row));
      head.writes.push_back(to);
    };
    if (is_width) moves({{{start_, 1}}}, l.share);
    if (o.kind == Operation::Kind::pick && l.one_hot) {
      time = std::max(time, line(o.value).ready);
      for (const auto& [v, from] : line(o.value).of_value)
        if (l.of_value.count(v) > 0) moves({{{from, 1}}}, l.of_value[v]);
    }
    if (!is_width && l.as_number >= 0) {
      time = std::max(time, line(o.value).number_ready);
      moves({{{line(o.value).as_number, 1}}}, l.as_number);
    }
    if (l.found >= 0) moves(not_at_start(), l.found);
    time += time % 2 == 0 ? 2 : 1;
    block(time / 2);
    circuit_.heads[time / 2].push_back(std::move(head));
    l.ready = l.number_ready = time;
    if (is_width || (o.kind == Operation::Kind::mean && l.one_hot)) decode(s, time + 1);
    if (l.found < 0) return;
    Row nothing = not_at_start();
    nothing.terms[l.found] = -1;
    l.ready = l.number_ready = time + 1;
    for (int v : known_.met(s))
      if (known_.value(v) == *o.fallback) add_neuron(time + 1, s, nothing, {{v, 1}});
  }

  // ---- numbers to values

  /// Adds neurons that write the value of a width or mean, whose number is nearest to the one that
  /// attention wrote: a neuron for the lowest number, and two for each step to the next one.
  void decode(Sequence s, int time) {
    Line& l = line(s);
    const bool is_width = operation(s).kind == Operation::Kind::width;
    const int from = is_width ? l.share : l.as_number;
    std::vector<std::pair<double, int>> points;  // share of the start token, or mean; and value
    for (int v : known_.met(s)) {
      const double number = known_.value(v).number();
      points.emplace_back(is_width ? 1 / (1 + number) : number, v);
    }
    const bool has_number = l.number;
    l.number = l.number && is_width;  // attention has written a mean
    std::sort(points.begin(), points.end());
    const Row gate = line(s).found >= 0 ? Row{{{line(s).found, 1}}} : not_at_start();
    add_neuron(time, s, gate, {{points[0].second, 1}});
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double gap = points[i].first - points[i - 1].first, slope = 2 / gap;
      const double closed = slope * (2 + std::abs(points.front().first) + points.back().first);
      Row step{{{from, slope}}, -slope * (points[i - 1].first + gap / 4)};
      for (const auto& [direction, weight] : gate.terms) step.terms[direction] = closed * weight;
      step.bias += closed * (gate.bias - 1);
      for (double sign : {1.0, -1.0}) {
        add_neuron(time, s, step, {{points[i].second, sign}, {points[i - 1].second, -sign}});
        step.bias -= 1;
      }
    }
    l.number = has_number;
    l.ready = time;
    if (is_width) l.number_ready = time;
  }

  /// Adds the output layer: the token of a direction, or the token whose number is nearest.
  void add_logits() {
    const Sequence output = program_.output;
    const std::vector<int> results = known_.met(output);
    double gap = 1;
    for (std::size_t i = 1; i < results.size() && line(output).number; ++i)
      gap = std::min(gap,
                     number_of(known_.value(results[i])) - number_of(known_.value(results[i - 1])));
    const double scale = certainty / (gap * gap);  // of 2 x v - v^2, largest for the nearest v
    for (const Value& token : circuit_.vocabulary) {
      Row row{{}, line(output).number ? -certainty : 0};
      for (int v : results) {
        if (known_.value(v) != token) continue;
        if (line(output).one_hot) {
          row.terms = {{line(output).of_value.at(v), certainty}};
        } else {
          const double x = token.number();
          row = {{{line(output).as_number, 2 * scale * x}}, -scale * x * x};
        }
      }
      circuit_.logits.push_back(row);
    }
    if (!program_.is_causal) circuit_.logits.back() = {{{start_, 3 * certainty}}, -certainty};
  }

  const Program& program_;
  const Interpreter& known_;
  std::vector<Line> lines_;
  int start_ = 0;
  Circuit circuit_;
};

}  // namespace

std::vector<Value> vocabulary(const Interpreter& interpreter) {
  std::vector<Value> all = interpreter.program().alphabet;
  for (const Value& result : interpreter.values(interpreter.met(interpreter.program().output)))
    if (!contains(all, result)) all.push_back(result);
  all.emplace_back(start_token);
  return all;
}

Circuit make_circuit(const Interpreter& interpreter) { return Builder(interpreter).circuit(); }

}  // namespace tapehead::rasp
