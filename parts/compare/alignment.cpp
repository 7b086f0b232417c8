#include "alignment.hpp"
#include "tensors.hpp"

namespace tapehead {
namespace {

using Steps = std::vector<ExplainedStep>;

bool same_op(const ExplainedStep& a, const ExplainedStep& b) {
  return a.op == b.op && a.module == b.module && a.inputs.size() == b.inputs.size();
}

/// Of two steps that no op made.
bool same_given(const ExplainedStep& a, const ExplainedStep& b) {
  return a.op.empty() && b.op.empty() && a.name == b.name;
}

bool same_sequence(const Steps& a, const Steps& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i)
    same = a[i].op.empty() ? same_given(a[i], b[i])
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

  /// By what they are and what they were made of.
  bool are_alike(const ExplainedStep& a, const ExplainedStep& b) const {
    if (a.op.empty())
      return same_given(a, b) && (a.name != "constant" || difference_of(a.value, b.value).same());
    if (!same_op(a, b)) return false;
    for (std::size_t i = 0; i < a.inputs.size(); ++i) {
      const int left = a.inputs[i], right = b.inputs[i];
      if (left < 0 || right < 0 ? left != right : of_a_[left] != right) return false;
    }
    return true;
  }

  /// By their place in what the same op makes of them.
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
    int next = 0;  // of b's steps that stand alone
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
  std::vector<int> of_a_, of_b_;  // the step of the other tape; -1: none
};

}  // namespace

std::vector<AlignedSteps> align(const std::vector<ExplainedStep>& a,
                                const std::vector<ExplainedStep>& b) {
  return Alignment(a, b).aligned();
}

}  // namespace tapehead
