#include "tasks.hpp"

#include <algorithm>
#include <sstream>

namespace tapehead {
namespace {

struct Operation {
  const char* name;
  char sign;
};
constexpr Operation operations[] = {
    {"add", '+'}, {"subtract", '-'}, {"multiply", '*'}, {"divide", '/'}};

const Operation& operation_option(const TaskOptions& options) {
  const std::string& given = options.at("operation");
  std::vector<std::string> names;
  for (const Operation& operation : operations) {
    if (operation.name == given) return operation;
    names.emplace_back(operation.name);
  }
  refuse_unknown("--operation", given, names);
}

int prime_option(const TaskOptions& options) {
  const Index prime = whole_option(options, "prime", 2, 997);
  for (Index divisor = 2; divisor * divisor <= prime; ++divisor)
    if (prime % divisor == 0)
      throw UsageError("--prime must be a prime number, and {} is {} x {}", prime, divisor,
                       prime / divisor);
  return static_cast<int>(prime);
}

/// a / b =, then c: numbers modulo a prime, a symbol each. All pairs of a and b are there; a fixed
/// share of them is for training.
class Modular : public Task {
 public:
  explicit Modular(const TaskOptions& options)
      : prime_(prime_option(options)), sign_(operation_option(options).sign) {
    const Index share = whole_option(options, "share", 1, 99);
    const double held_out = static_cast<double>(100 - share) / 100;
    const int sign = prime_, equals = prime_ + 1;
    for (int b = sign_ == '/' ? 1 : 0; b < prime_; ++b)
      for (int x = 0; x < prime_; ++x) {
        const auto [a, c] = sign_ == '/' ? std::pair(x * b % prime_, x) : std::pair(x, apply(x, b));
        const std::vector<int> tokens = {a, sign, b, equals, c};
        (is_held_out(tokens.data(), 4, held_out) ? held_out_ : training_).push_back(tokens);
      }
    if (training_.empty() || held_out_.empty())
      throw UsageError("--share {} leaves none of the {} pairs of --prime {} to {}", share,
                       training_.size() + held_out_.size(), prime_,
                       training_.empty() ? "learn from" : "test on");
  }

  Index vocabulary() const override { return prime_ + 2; }
  Index context() const override { return 4; }
  Example training_example(std::uint64_t seed, Index step, Index number) const override {
    Random random({seed, Draw::batch, static_cast<std::uint32_t>(step), 0,
                   static_cast<std::uint32_t>(number)});
    return {training_[static_cast<std::size_t>(random.below(static_cast<Index>(training_.size())))],
            4};
  }
  Index held_out_size() const override {
    return std::min<Index>(static_cast<Index>(held_out_.size()), 1000);
  }
  /// Where they are more than are used, those are evenly spread.
  Example held_out_example(Index number) const override {
    const auto place = static_cast<std::size_t>(number) * held_out_.size() /
                       static_cast<std::size_t>(held_out_size());
    return {held_out_[place], 4};
  }
  bool has_answers() const override { return true; }

  std::string show(const std::vector<int>& tokens) const override {
    std::vector<std::string> words;
    for (int token : tokens)
      words.push_back(token < prime_    ? std::to_string(token)
                      : token == prime_ ? std::string(1, sign_)
                                        : "=");
    return fmt::format("{}", fmt::join(words, " "));
  }
  std::vector<int> parse(const std::string& text) const override {
    std::vector<int> tokens;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      int token = 0;
      while (token < vocabulary() && show({token}) != word) ++token;
      if (token == vocabulary())
        throw ValueError("modular: '{}' is none of the symbols 0 to {}, {}, =", word, prime_ - 1,
                         sign_);
      tokens.push_back(token);
    }
    return tokens;
  }

 private:
  int apply(int a, int b) const {
    const int whole = sign_ == '+' ? a + b : sign_ == '-' ? a + prime_ - b : a * b;
    return whole % prime_;
  }

  int prime_;
  char sign_;
  std::vector<std::vector<int>> training_, held_out_;
};

}  // namespace

/// Grokking (Power and others, "Grokking: generalization beyond overfitting on small algorithmic
/// datasets").
TaskEntry modular_task() {
  TaskEntry entry;
  entry.name = "modular";
  entry.summary = "calculate with two numbers modulo a prime";
  entry.teaches = "half of a table is enough to find the rule behind it";
  entry.expected = "exact match above 99 %";
  // Weight decay of 1, not 0.1, brings 100 % instead of 99.7 %.
  entry.recipe = recipe(
      "--layers 1 --heads 4 --width 128 --norm rms --optimizer muon --lr 0.02 --adam-lr 0.005 "
      "--weight-decay 1 --batch 512 --steps 400 --eval-every 50");
  entry.length_option = "";
  entry.options = {{"operation", "add, subtract, multiply, divide", "divide"},
                   {"prime", "of numbers modulo it, 2 to 997", "97"},
                   {"share", "per cent of all pairs to learn from, 1 to 99", "50"}};
  entry.make = [](const TaskOptions& options) { return std::make_unique<Modular>(options); };
  return entry;
}

}  // namespace tapehead
