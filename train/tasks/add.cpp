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

/// 1 2 3 + 4 5 6 =, then 9 7 5 0: the sum from its last digit, with one digit more than the
/// numbers. With `carries`, the carry of each digit is written before the sum: 0 0 0 : 9 7 5 0. If
/// the sum isn't reversed, neither are the carries.
Example addition(Random& random, Index digits, bool reversed, bool carries) {
  const std::vector<int> a = random_tokens(random, digits, 10);
  const std::vector<int> b = random_tokens(random, digits, 10);
  std::vector<int> sum, carried;  // from the last digit to the first
  int carry = 0;
  for (Index i = digits; i-- > 0;) {
    const int value = a[i] + b[i] + carry;
    carry = value / 10;
    sum.push_back(value % 10);
    carried.push_back(carry);
  }
  sum.push_back(carry);
  if (!reversed) {
    std::reverse(sum.begin(), sum.end());
    std::reverse(carried.begin(), carried.end());
  }

  Example example;
  const auto write = [&](const std::vector<int>& tokens) {
    example.tokens.insert(example.tokens.end(), tokens.begin(), tokens.end());
  };
  write(a);
  write({plus});
  write(b);
  write({equals});
  example.question = 2 * digits + 2;
  if (carries) {
    write(carried);
    write({colon});
  }
  write(sum);
  return example;
}

std::unique_ptr<Task> make(const TaskOptions& options) {
  const bool carries = truth_option(options, "carries");
  const Index digits = whole_option(options, "digits", 2, 32);
  const bool reversed = truth_option(options, "reversed");
  SequenceRules rules{"add", characters(carries ? "0123456789+=:" : "0123456789+="),
                      [=](Random& random) { return addition(random, digits, reversed, carries); }};
  rules.question = fmt::format("{0} digits + {0} digits =", digits);
  rules.is_question = [=](const std::vector<int>& tokens) {
    return static_cast<Index>(tokens.size()) == 2 * digits + 2 && tokens[digits] == plus &&
           tokens.back() == equals && std::count_if(tokens.begin(), tokens.end(), [](int token) {
                                        return is_below(token, 10);
                                      }) == 2 * digits;
  };
  if (carries) rules.answers_are_written = "as the carry of each digit, then the sum";
  if (reversed)
    rules.answers_are_written += carries ? ", both from the last digit" : "from the last digit";
  return std::make_unique<Sequences>(rules);
}

}  // namespace

TaskEntry add_task() {
  return {"add",
          "add two numbers, digit by digit",
          "heads that pair digits, and carries, which are easy only from the sum's end",
          "exact match 100 %",
          // With AdamW at 0.003, two seeds of five still make errors after 1,500 steps.
          muon_recipe("--layers 2 --heads 4 --width 64 --lr 0.01 --adam-lr 0.005 --batch 128 "
                      "--steps 1000 --eval-every 250"),
          {},
          {{"digits", "of each number, 2 to 32", "3"},
           {"reversed", "write the sum from its last digit", "true"},
           {"carries", "write the carries before the sum", "false"}},
          "digits",
          {"gpt"},
          make};
}

}  // namespace tapehead
