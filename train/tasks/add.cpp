#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr int plus = 10, equals = 11, colon = 12;

bool truth_option(const TaskOptions& options, const std::string& name) {
  const std::string& text = options.at(name);
  if (text != "true" && text != "false")
    throw UsageError("--{} must be true or false, not '{}'", name, text);
  return text == "true";
}

/// 1 2 3 + 4 5 6 =, then 9 7 5 0: the sum from its end, with a digit more than the numbers. With
/// `carries`, what each digit hands to the next comes before: 0 0 0 : 9 7 5 0. Where the sum isn't
/// reversed, neither are they.
class Addition {
 public:
  explicit Addition(const TaskOptions& options)
      : carries(truth_option(options, "carries")),
        digits_(whole_option(options, "digits", 2, 32)),
        reversed_(truth_option(options, "reversed")) {}

  Example operator()(Random& random) const {
    const std::vector<int> a = random_symbols(random, digits_, 10);
    const std::vector<int> b = random_symbols(random, digits_, 10);
    std::vector<int> sum, handed;  // from the last digit to the first
    int carry = 0;
    for (auto i = a.size(); i-- > 0;) {
      const int value = a[i] + b[i] + carry;
      carry = value / 10;
      sum.push_back(value % 10);
      handed.push_back(carry);
    }
    sum.push_back(carry);

    Example example;
    const auto write = [&](const std::vector<int>& symbols) {
      example.tokens.insert(example.tokens.end(), symbols.begin(), symbols.end());
    };
    const auto answer = [&](std::vector<int>& symbols) {
      if (!reversed_) std::reverse(symbols.begin(), symbols.end());
      write(symbols);
    };
    write(a), write({plus}), write(b), write({equals});
    example.question = static_cast<Index>(example.tokens.size());
    if (carries) answer(handed), write({colon});
    answer(sum);
    return example;
  }

  bool carries;

 private:
  Index digits_;
  bool reversed_;
};

}  // namespace

TaskEntry add_task() {
  TaskEntry entry;
  entry.name = "add";
  entry.summary = "add two numbers, digit by digit";
  entry.teaches = "heads that pair digits, and carries that are easy only from the sum's end";
  entry.expected = "exact match 100 %";
  // With AdamW at 0.003 two seeds of five err after 1,500 steps.
  entry.recipe = muon_recipe(
      "--layers 2 --heads 4 --width 64 --lr 0.01 --adam-lr 0.005 --batch 128 "
      "--steps 1000 --eval-every 250");
  entry.length_option = "digits";
  entry.options = {{"digits", "of each number, 2 to 32", "3"},
                   {"reversed", "the sum begins with its last digit", "true"},
                   {"carries", "written out before the sum", "false"}};
  entry.make = [](const TaskOptions& options) {
    const Addition addition(options);
    return std::make_unique<Sequences>(
        "add", addition.carries ? "0123456789+=:" : "0123456789+=", 1000, addition);
  };
  return entry;
}

}  // namespace tapehead
