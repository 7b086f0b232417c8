#include "../../core/plural.hpp"
#include "../config/names.hpp"
#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr int plus = 10, equals = 11, colon = 12;

/// The format of examples. If their lengths differ, the token `end` follows each sum.
struct Form {
  Index digits = 0;      ///< number of digits in each number, or its maximum
  bool shorter = false;  ///< training examples have any number of digits from 1 on, equally often
  bool padded = false;   ///< half of the training pairs start with zeros
  bool operands_reversed = false, sum_reversed = true, carries = false;
  int end = -1;
};

/// Returns `1 2 3 + 4 5 6 =`, then `9 7 5 0`: the sum from its last digit, with one digit more than
/// the numbers. With `carries`, the carries come before the sum: `0 0 0 : 9 7 5 0`. They are in the
/// same order as the sum's digits.
Example addition(Random& random, Index digits, const Form& form) {
  std::vector<int> a = random_tokens(random, digits, 10);
  std::vector<int> b = random_tokens(random, digits, 10);
  if (form.padded && random.below(2) == 0)
    for (std::vector<int>* number : {&a, &b})
      std::fill_n(number->begin(), random.below(digits + 1), 0);
  std::vector<int> sum, carried;  // from the last digit to the first
  int carry = 0;
  for (Index i = digits; i-- > 0;) {
    const int value = a[i] + b[i] + carry;
    carry = value / 10;
    sum.push_back(value % 10);
    carried.push_back(carry);
  }
  sum.push_back(carry);
  for (std::vector<int>* number : {&a, &b})
    if (form.operands_reversed) std::reverse(number->begin(), number->end());
  for (std::vector<int>* tokens : {&sum, &carried})
    if (!form.sum_reversed) std::reverse(tokens->begin(), tokens->end());

  Example example;
  const auto write = [&](const std::vector<int>& tokens) { append(example.tokens, tokens); };
  write(a);
  write({plus});
  write(b);
  write({equals});
  example.question = 2 * digits + 2;
  if (form.carries) {
    write(carried);
    write({colon});
  }
  write(sum);
  if (form.end >= 0) write({form.end});
  return example;
}

bool is_question(const std::vector<int>& tokens, const Form& form) {
  const auto length = static_cast<Index>(tokens.size());
  const Index digits = (length - 2) / 2;
  return length == 2 * digits + 2 && digits >= (form.shorter ? 1 : form.digits) &&
         digits <= form.digits && tokens[digits] == plus && tokens.back() == equals &&
         count_if(tokens, [](int token) { return is_below(token, 10); }) == 2 * digits;
}

std::unique_ptr<Task> make_add(const TaskOptions& options) {
  Form form;
  form.carries = truth_option(options, "carries");
  form.digits = whole_option(options, "digits", 1, 256);
  form.shorter = truth_option(options, "shorter");
  const std::string& reversed = options.at("reversed");
  require_known("--reversed", reversed, {"none", "sum", "all"});
  form.operands_reversed = reversed == "all";
  form.sum_reversed = reversed != "none";
  std::string texts = form.carries ? "0123456789+=:" : "0123456789+=";
  if (form.shorter) {
    form.end = static_cast<int>(texts.size());
    texts += '.';
  }
  SequenceRules rules{"add", characters(texts),
                      [=](Random& random) { return addition(random, form.digits, form); }};
  Form training = form;
  training.padded = truth_option(options, "padded");
  rules.draw_training = [=](Random& random) {
    return addition(random, form.shorter ? 1 + random.below(form.digits) : form.digits, training);
  };
  rules.few_prompts = few_prompts(2 * form.digits, 10, fmt::format("--digits {}", form.digits));
  rules.held_out = whole_option(options, "held-out", 1, 1000000);
  rules.end = form.end;
  const std::string number = plural(form.digits, "digit");
  rules.question = form.shorter ? fmt::format("1 to {} + as many digits =", number)
                                : fmt::format("{0} + {0} =", number);
  rules.is_question = [=](const std::vector<int>& tokens) { return is_question(tokens, form); };
  if (form.carries) rules.answer_format = "as the carry of each digit, then the sum";
  if (form.sum_reversed)
    rules.answer_format += form.carries ? ", both from the last digit" : "from the last digit";
  return std::make_unique<Sequences>(rules);
}

}  // namespace

TaskEntry add_task() {
  return {"add",
          "add two numbers, digit by digit",
          "heads pair digits; carries are easy only from the last digit",
          "exact match 100 %",
          // With AdamW and --lr 0.003, two of five seeds still make errors after 1,500 steps.
          muon_defaults("--layers 2 --heads 4 --width 64 --lr 0.01 --adam-lr 0.005 --batch 128 "
                        "--steps 1000 --eval-every 250"),
          // The slow rotary pair turns once in 11 positions, the distance between matching digits.
          {{"smallest", "ten digits with 110 parameters",
            parse_settings("--digits 10 --reversed all --padded true --held-out 10000 --layers 1 "
                           "--heads 1 --head-width 4 --width 3 --mlp swiglu --mlp-width 2 "
                           "--norm none --biases false --qk-norm true "
                           "--position rotary --rotary-base 3.065 --init-std 0.1 "
                           "--optimizer adamw --lr 0.03 --batch 64 --warmup 200 --steps 30000 "
                           "--eval-every 5000")}},
          {{"digits", "digits of each number, 1 to 256", "3"},
           {"shorter", "training numbers of all lengths up to --digits", "false"},
           {"padded", "leading zeros in half of the training pairs", "false"},
           {"held-out", "number of validation (held-out) pairs", "1000"},
           {"reversed", "numbers written from the last digit", "sum", "", {"none", "sum", "all"}},
           {"carries", "carries written before the sum", "false"}},
          "digits",
          {"gpt"},
          make_add,
          {},
          {},
          "+=:"};
}

}  // namespace tapehead
