#include "puzzle.hpp"
#include "../../../train/files/number.hpp"
#include "../../../train/files/strings.hpp"
#include "../../rasp/circuit/truth.hpp"
#include "../../rasp/library.hpp"
#include "../../rasp/puzzle.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace tapehead {
namespace {

using rasp::Sequence;
using rasp::Value;

constexpr std::size_t choice_count = 8;

/// The topic of the questions: a head, and the value of another line.
struct Topic {
  std::string head;
  Sequence computes, carried;
};

/// A component whose output `patched` can replace: a head, or an MLP that computes expressions.
struct Replaceable {
  std::string name;
  std::set<Sequence> computes;
};

/// Draws puzzles. The program has run all inputs.
class Drawing {
 public:
  Drawing(int number, std::uint64_t student)
      : random_({student, Draw::sample, static_cast<std::uint32_t>(number), 2}),
        meanings_(rasp::puzzle_of(number, student).meanings) {
    puzzle_.number = number;
    puzzle_.student = student;
    puzzle_.task = std::make_shared<const rasp::ProgramTask>(
        rasp::read_program(rasp::puzzle_name(number, student)));
  }

  CircuitPuzzle draw() {
    const rasp::Circuit circuit = rasp::make_puzzle_circuit(known());
    const std::vector<rasp::Edge> edges = rasp::edges(circuit, program());
    puzzle_.layers = static_cast<Index>(circuit.heads.size());
    puzzle_.heads = static_cast<Index>(circuit.heads[0].size());
    list_edges();
    const Topic topic = draw_topic(circuit, edges);
    puzzle_.head = topic.head;
    puzzle_.carried = meaning(topic.carried);
    for (const rasp::Edge& edge : edges) {
      if (!is_of_head(edge)) continue;
      puzzle_.used.push_back(edge.from + " > " + edge.to);
      if (edge.sequence == program().sequences[topic.carried].name)
        puzzle_.carriers.push_back(puzzle_.used.back());
    }
    draw_choices(topic);
    draw_replacement(topic, circuit);
    return std::move(puzzle_);
  }

 private:
  const rasp::Interpreter& known() const { return puzzle_.task->interpreter(); }
  const rasp::Program& program() const { return known().program(); }
  const std::string& meaning(Sequence s) const { return meanings_.at(program().sequences[s].name); }
  template <class T>
  T& draw_from(std::vector<T>& all) {
    return all[static_cast<std::size_t>(random_.below(static_cast<Index>(all.size())))];
  }

  static bool is_of_head(const rasp::Edge& edge) {
    return starts_with(edge.from, "head") || starts_with(edge.to, "head");
  }

  /// Lists what each component can read from earlier ones, if one of both is a head.
  void list_edges() {
    std::vector<std::string> writers = {"embedding"};
    const auto read = [&](const std::string& to) {
      for (const std::string& from : writers)
        if (is_of_head({from, to, "", {}})) puzzle_.edges.push_back(from + " > " + to);
    };
    for (Index layer = 0; layer < puzzle_.layers; ++layer) {
      std::vector<std::string> heads;
      for (Index i = 0; i < puzzle_.heads; ++i) {
        heads.push_back(fmt::format("head {}.{}", layer, i));
        for (const char* input : {" query", " key", " value"}) read(heads.back() + input);
      }
      append(writers, heads);
      const std::string mlp = fmt::format("mlp {}", layer);
      read(mlp);
      writers.push_back(mlp);
    }
    read("logits");
  }

  /// Draws a head, and another line whose value an edge carries. Its name must not reveal what the
  /// head computes. The result of the model is too easy to find, so that value isn't asked for, and
  /// the head that writes it only if there is no other.
  Topic draw_topic(const rasp::Circuit& circuit, const std::vector<rasp::Edge>& edges) {
    std::vector<Topic> topics;
    for (std::size_t b = 0; b < circuit.heads.size(); ++b)
      for (std::size_t h = 0; h < circuit.heads[b].size(); ++h) {
        const Sequence computes = circuit.heads[b][h].sequence;
        if (computes == rasp::no_sequence) continue;  // an idle head
        for (auto s = rasp::indices + 1; s < static_cast<int>(program().sequences.size()); ++s) {
          const bool is_carried = any_of(edges, [&](const rasp::Edge& edge) {
            return is_of_head(edge) && edge.sequence == program().sequences[s].name;
          });
          if (is_carried && s != program().output && meaning(s) != meaning(computes))
            topics.push_back({fmt::format("head {}.{}", b, h), computes, s});
        }
      }
    const auto of_output = std::stable_partition(
        topics.begin(), topics.end(),
        [&](const Topic& topic) { return topic.computes != program().output; });
    if (of_output != topics.begin()) topics.erase(of_output, topics.end());
    return draw_from(topics);
  }

  /// Draws wrong choices from the meanings in all puzzles, and mixes them with the right one.
  void draw_choices(const Topic& topic) {
    std::set<std::string> distinct;
    for (const rasp::Puzzle& puzzle : rasp::puzzles())
      for (const auto& named : puzzle.meanings) distinct.insert(named.second);
    distinct.erase(meaning(topic.computes));
    distinct.erase(puzzle_.carried);
    std::vector<std::string> others(distinct.begin(), distinct.end());
    while (puzzle_.choices.size() + 1 < choice_count) {
      std::string& drawn = draw_from(others);
      puzzle_.choices.push_back(drawn);
      std::swap(drawn, others.back());
      others.pop_back();
    }
    puzzle_.role = static_cast<std::size_t>(random_.below(choice_count));
    puzzle_.choices.insert(puzzle_.choices.begin() + static_cast<std::ptrdiff_t>(puzzle_.role),
                           meaning(topic.computes));
  }

  std::vector<Value> draw_input(std::size_t shortest, std::size_t longest) {
    const std::vector<Example>& all = puzzle_.task->all();
    for (;;) {
      const Example& drawn =
          all[static_cast<std::size_t>(random_.below(static_cast<Index>(all.size())))];
      const auto length = static_cast<std::size_t>(drawn.question) - 1;
      if (length < shortest || length > longest) continue;
      std::vector<Value> input;
      for (std::size_t i = 1; i <= length; ++i)
        input.push_back(program().alphabet[static_cast<std::size_t>(drawn.tokens[i])]);
      return input;
    }
  }

  /// Draws a component and inputs. Prefers the head of the topic, then other heads.
  void draw_replacement(const Topic& topic, const rasp::Circuit& circuit) {
    std::vector<Replaceable> all = {{topic.head, {topic.computes}}};
    for (std::size_t b = 0; b < circuit.heads.size(); ++b)
      for (std::size_t h = 0; h < circuit.heads[b].size(); ++h)
        if (const Sequence s = circuit.heads[b][h].sequence; s != rasp::no_sequence)
          all.push_back({fmt::format("head {}.{}", b, h), {s}});
    for (std::size_t b = 0; b < circuit.neurons.size(); ++b) {
      Replaceable mlp{fmt::format("mlp {}", b), {}};
      for (const rasp::Neuron& neuron : circuit.neurons[b]) mlp.computes.insert(neuron.sequence);
      const bool is_map = all_of(mlp.computes, [&](Sequence s) {
        return program().sequences[s].kind == rasp::Operation::Kind::map;
      });
      if (is_map && !mlp.computes.empty()) all.push_back(std::move(mlp));
    }
    const auto is_output = [&](const Replaceable& each) {
      return each.computes.count(program().output) > 0;  // its result is always pieced together
    };
    erase_if(all, is_output);
    for (const Replaceable& each : all)
      if (draw_inputs(each)) return;
    throw Error("puzzle {}: found no inputs for student {}", puzzle_.number, puzzle_.student);
  }

  /// Draws two inputs such that the patched model computes only values that it has neurons for. Its
  /// result can't be pieced together from the results of both inputs.
  bool draw_inputs(const Replaceable& replaced) {
    constexpr int attempts = 2000;
    std::optional<rasp::Interpreter> interpreter(known());
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const std::vector<Value> input = draw_input(4, 5), other = draw_input(2, input.size());
      const auto of_other = interpreter->run(other), own = interpreter->run(input);
      rasp::Interpreter::Replaced values;
      for (Sequence s : replaced.computes) values[s] = of_other[s];
      const Sequence output = program().output;
      std::vector<int> second = of_other[output];
      second.resize(input.size(), second.back());
      try {
        const std::vector<int> patched = interpreter->run(input, values)[output];
        bool is_new = false;
        for (std::size_t i = 0; i < patched.size(); ++i)
          is_new = is_new || (patched[i] != own[output][i] && patched[i] != second[i]);
        if (is_new && interpreter->count_met() == known().count_met()) {
          puzzle_.replaces = replaced.name;
          puzzle_.input = rasp::joined(input);
          puzzle_.other = rasp::joined(other);
          puzzle_.replaced = other.size();
          for (const Value& value : interpreter->values(patched))
            puzzle_.patched.push_back(puzzle_.task->parse(value.text()).at(0));
          return true;
        }
      } catch (const FileError&) {  // the patched program has no result
      }
      if (interpreter->count_met() != known().count_met()) interpreter.emplace(known());
    }
    return false;
  }

  Random random_;
  const std::map<std::string, std::string>& meanings_;
  CircuitPuzzle puzzle_;
};

}  // namespace

int find_puzzle(const std::string& word) {
  const auto count = static_cast<int>(rasp::puzzles().size());
  const auto number = read_whole<int>(word);
  if (!number || *number < 1 || *number > count)
    throw UsageError("learn puzzle: expected a number from 1 to {}, got '{}'", count, word);
  return *number;
}

CircuitPuzzle make_puzzle(int number, std::uint64_t student) {
  return Drawing(number, student).draw();
}

}  // namespace tapehead
