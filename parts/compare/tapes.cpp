#include "tapes.hpp"
#include "../../core/containers.hpp"

#include <algorithm>
#include <set>

namespace tapehead {
namespace {

/// The row that shows a step of a tape, and whether the other tape has a corresponding step.
struct Place {
  int row = -1;
  bool shared = false;
};

std::vector<Place> places_of(const std::vector<ComparedStep>& rows, std::size_t steps,
                             int AlignedSteps::*side) {
  std::vector<Place> places(steps);
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (const int step = rows[row].*side; step >= 0)
      places[step] = {static_cast<int>(row), rows[row].is_pair()};
  return places;
}

/// The ops that only one tape has, between a step and the steps that both tapes have.
struct Path {
  std::set<int> steps;
  std::vector<int> rows;  // rows of the shared steps, in the order of use

  void begin_with(int row) {
    if (!contains(rows, row)) rows.push_back(row);
  }

  std::vector<std::string> ops(const Explained& tape, bool backward) const {
    std::vector<std::string> names;
    for (const int step : steps) names.push_back(tape.steps[step].op);
    if (backward) std::reverse(names.begin(), names.end());
    return names;
  }
};

/// Adds the ops that compute a step, back to shared steps or inputs.
void find_makers(const Explained& tape, const std::vector<Place>& places, int step, Path& path) {
  if (tape.steps[step].op.empty() || !path.steps.insert(step).second) return;
  for (const int input : tape.steps[step].inputs) {
    if (input < 0) continue;
    if (places[input].shared || tape.steps[input].op.empty())
      path.begin_with(places[input].row);
    else
      find_makers(tape, places, input, path);
  }
}

/// Adds the ops that send a step its gradient, on to shared steps.
void find_senders(const Explained& tape, const std::vector<Place>& places, int step, Path& path) {
  for (std::size_t user = 0; user < tape.steps.size(); ++user) {
    const ExplainedStep& uses = tape.steps[user];
    bool sends = false;
    for (std::size_t i = 0; i < uses.sent.size(); ++i)
      sends = sends || (uses.inputs[i] == step && uses.sent[i]);
    if (!sends || !path.steps.insert(static_cast<int>(user)).second) continue;
    if (places[user].shared)
      path.begin_with(places[user].row);
    else
      find_senders(tape, places, static_cast<int>(user), path);
  }
}

class Partings {
 public:
  explicit Partings(ComparedTapes& tapes)
      : tapes_(tapes),
        places_a_(places_of(tapes.rows, tapes.a.steps.size(), &AlignedSteps::a)),
        places_b_(places_of(tapes.rows, tapes.b.steps.size(), &AlignedSteps::b)) {}

  /// Returns the first op whose results differ; nothing if only variables differ.
  Divergence of_values() const {
    const auto& rows = tapes_.rows;
    const auto found = find_if(rows, [&](const ComparedStep& row) {
      return row.value_differs() &&
             !(tapes_.a.steps[row.a].op.empty() && tapes_.b.steps[row.b].op.empty());
    });
    if (found == rows.end()) return {};
    Path a, b;
    find_makers(tapes_.a, places_a_, found->a, a);
    find_makers(tapes_.b, places_b_, found->b, b);
    Divergence divergence = divergence_at(static_cast<int>(found - rows.begin()), a, b, false);
    std::set<int> inputs(a.rows.begin(), a.rows.end());
    inputs.insert(b.rows.begin(), b.rows.end());
    divergence.differing = differing_values(inputs);
    if (!divergence.differing.empty())
      divergence.cause = Divergence::Cause::inputs;
    else if (!same_inputs(*found))
      divergence.cause = Divergence::Cause::ops;
    return divergence;
  }

  Divergence of_gradients() const {
    const auto& rows = tapes_.rows;
    const auto found = std::find_if(rows.rbegin(), rows.rend(),
                                    [](const ComparedStep& row) { return row.gradient_differs(); });
    if (found == rows.rend()) return {};
    Path a, b;
    find_senders(tapes_.a, places_a_, found->a, a);
    find_senders(tapes_.b, places_b_, found->b, b);
    for (Path* path : {&a, &b}) std::sort(path->rows.begin(), path->rows.end());
    const auto row = static_cast<int>(rows.rend() - found) - 1;
    Divergence divergence = divergence_at(row, a, b, true);
    if (a.steps.empty() && b.steps.empty())
      divergence.cause = Divergence::Cause::start;
    else if (divergence.cause == Divergence::Cause::itself)
      explain_rules(divergence);
    return divergence;
  }

 private:
  Divergence divergence_at(int row, const Path& a, const Path& b, bool backward) const {
    Divergence divergence;
    divergence.row = row;
    divergence.ops_a = a.ops(tapes_.a, backward);
    divergence.ops_b = b.ops(tapes_.b, backward);
    divergence.from_a = a.rows;
    divergence.from_b = b.rows;
    if (divergence.ops_a != divergence.ops_b || a.rows != b.rows)
      divergence.cause = Divergence::Cause::ops;
    return divergence;
  }

  /// Returns whether the ops of a row have corresponding inputs.
  bool same_inputs(const ComparedStep& row) const {
    const std::vector<int>&a = tapes_.a.steps[row.a].inputs, &b = tapes_.b.steps[row.b].inputs;
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i)
      same = a[i] < 0 || b[i] < 0 ? a[i] == b[i] : places_a_[a[i]].row == places_b_[b[i]].row;
    return same;
  }

  std::vector<int> differing_values(const std::set<int>& among) const {
    std::vector<int> differing;
    for (const int row : among)
      if (tapes_.rows[row].value_differs()) differing.push_back(row);
    return differing;
  }

  /// Finds out why a gradient differs although the same ops send it: inputs or results of these ops
  /// differ, or terms are added in a different order.
  void explain_rules(Divergence& divergence) const {
    std::set<int> inputs;
    for (const int user : divergence.from_a)
      for (const int input : tapes_.a.steps[tapes_.rows[user].a].inputs)
        if (input >= 0 && places_a_[input].shared) inputs.insert(places_a_[input].row);
    divergence.differing = differing_values(inputs);
    const bool same =
        all_of(divergence.from_a, [&](int user) { return same_inputs(tapes_.rows[user]); });
    if (same && divergence.differing.empty())
      divergence.differing = differing_values({divergence.from_a.begin(), divergence.from_a.end()});
    if (same_terms(tapes_.rows[divergence.row]))
      divergence.cause = Divergence::Cause::order;
    else if (!divergence.differing.empty())
      divergence.cause = Divergence::Cause::inputs;
    else if (!same)
      divergence.cause = Divergence::Cause::ops;
  }

  bool same_terms(const ComparedStep& row) const {
    const std::vector<Contribution> a = tapes_.a.contributions(row.a),
                                    b = tapes_.b.contributions(row.b);
    return a.size() == b.size() && all_of(a, [&](const Contribution& term) {
             return any_of(b, [&](const Contribution& other) {
               return places_a_[term.step].row == places_b_[other.step].row &&
                      difference_of(term.gradient, other.gradient).same();
             });
           });
  }

  const ComparedTapes& tapes_;
  const std::vector<Place> places_a_, places_b_;
};

}  // namespace

ComparedTapes compare_tapes(const Explained& a, const Explained& b) {
  ComparedTapes tapes{a, b, {}, {}, {}};
  for (const AlignedSteps& steps : align(a.steps, b.steps)) {
    ComparedStep row{steps};
    if (row.is_pair()) {
      const ExplainedStep &left = a.steps[row.a], &right = b.steps[row.b];
      row.value = difference_of(left.value, right.value);
      if (left.gradient && right.gradient)
        row.gradient = difference_of(left.gradient, right.gradient);
    }
    tapes.rows.push_back(std::move(row));
  }
  const Partings partings(tapes);
  tapes.value = partings.of_values();
  tapes.gradient = partings.of_gradients();
  return tapes;
}

namespace {

using Steps = std::vector<ExplainedStep>;

bool same_op(const ExplainedStep& a, const ExplainedStep& b) {
  return a.op == b.op && a.module == b.module && a.inputs.size() == b.inputs.size();
}

/// Returns whether two steps without an op are the same variable, parameter or number.
bool is_same_input(const ExplainedStep& a, const ExplainedStep& b) {
  return a.op.empty() && b.op.empty() && a.name == b.name;
}

bool same_sequence(const Steps& a, const Steps& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i)
    same = a[i].op.empty() ? is_same_input(a[i], b[i])
                           : same_op(a[i], b[i]) && a[i].inputs == b[i].inputs;
  return same;
}

class Alignment {
 public:
  Alignment(const Steps& a, const Steps& b)
      : a_(a), b_(b), of_a_(a.size(), -1), of_b_(b.size(), -1) {}

  std::vector<AlignedSteps> aligned() {
    if (same_sequence(a_, b_))
      for (std::size_t i = 0; i < a_.size(); ++i) pair(static_cast<int>(i), static_cast<int>(i));
    else
      from_both_ends();
    return in_order();
  }

 private:
  void pair(int a, int b) { of_a_[a] = b, of_b_[b] = a; }

  void from_both_ends() {
    const int result_a = static_cast<int>(a_.size()) - 1,
              result_b = static_cast<int>(b_.size()) - 1;
    pair(result_a, result_b);
    for (std::size_t a = 0; a < a_.size(); ++a)
      for (std::size_t b = 0; b < b_.size() && of_a_[a] < 0; ++b)
        if (of_b_[b] < 0 && are_alike(a_[a], b_[b])) pair(static_cast<int>(a), static_cast<int>(b));
    pair_inputs(result_a, result_b);
  }

  /// Returns whether two steps have the same op and corresponding inputs, or are equal inputs of
  /// the tapes.
  bool are_alike(const ExplainedStep& a, const ExplainedStep& b) const {
    if (a.op.empty())
      return is_same_input(a, b) &&
             (a.name != "constant" || difference_of(a.value, b.value).same());
    if (!same_op(a, b)) return false;
    for (std::size_t i = 0; i < a.inputs.size(); ++i) {
      const int left = a.inputs[i], right = b.inputs[i];
      if (left < 0 || right < 0 ? left != right : of_a_[left] != right) return false;
    }
    return true;
  }

  /// Pairs the inputs of two corresponding ops, and recursively the inputs of these.
  void pair_inputs(int a, int b) {
    if (a_[a].op.empty() || !same_op(a_[a], b_[b])) return;
    for (std::size_t i = 0; i < a_[a].inputs.size(); ++i) {
      const int left = a_[a].inputs[i], right = b_[b].inputs[i];
      if (left < 0 || right < 0 || of_a_[left] >= 0 || of_b_[right] >= 0) continue;
      pair(left, right);
      pair_inputs(left, right);
    }
  }

  std::vector<AlignedSteps> in_order() const {
    std::vector<AlignedSteps> rows;
    int next = 0;  // b's first step that isn't in `rows` yet
    const auto alone_before = [&](int end) {
      for (; next < end; ++next)
        if (of_b_[next] < 0) rows.push_back({-1, next});
    };
    for (std::size_t a = 0; a < a_.size(); ++a) {
      alone_before(of_a_[a]);
      rows.push_back({static_cast<int>(a), of_a_[a]});
    }
    alone_before(static_cast<int>(b_.size()));
    return rows;
  }

  const Steps &a_, &b_;
  std::vector<int> of_a_, of_b_;  // the corresponding step of the other tape; -1: none
};

}  // namespace

std::vector<AlignedSteps> align(const std::vector<ExplainedStep>& a,
                                const std::vector<ExplainedStep>& b) {
  return Alignment(a, b).aligned();
}

}  // namespace tapehead
