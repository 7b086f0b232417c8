// Shared by all exercises: todo, your own numbers, and a check that finds the first wrong number.
// Has an include guard instead of #pragma once, because `learn check` may include two copies of
// this file.
#ifndef TAPEHEAD_LEARN_EXERCISE
#define TAPEHEAD_LEARN_EXERCISE
#include <tapehead/tapehead.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace learn {

using namespace tapehead;

#ifndef STUDENT
#define STUDENT 0
#endif
inline std::uint64_t student = STUDENT;  ///< student number

// ---- for exercise.cpp

struct NotDone {};
/// A placeholder that converts to any type. As a number it is a special NaN, so that the check can
/// still compare the numbers before it. Converting it to another type ends the part as "not done".
inline double unfinished() { return std::nan("7777"); }
inline bool is_unfinished(double number) {
  const double hole = unfinished();
  return std::isnan(number) && std::memcmp(&number, &hole, 6) == 0;  // all but the sign
}
/// A placeholder of any type for code that you write.
struct Todo {
  operator double() const { return unfinished(); }
  template <class T>
  operator T() const {
    throw NotDone();
  }
};
constexpr Todo todo;

/// Return your own number k, which the text of the exercise shows too: size(k) is 0.5 to 3 with one
/// decimal, given(k) also has a sign, and whole(k) is an integer from -4 to 5 without 0.
inline Random numbers(int k) {
  return Random(RandomKey{student, Draw::test, static_cast<std::uint32_t>(k)});
}
inline double size(int k) { return static_cast<double>(5 + numbers(k).below(26)) / 10; }
inline double given(int k) { return numbers(k + 1000).below(2) == 0 ? size(k) : -size(k); }
inline double whole(int k) {
  const auto number = static_cast<double>(numbers(k).below(9)) - 4;
  return number < 0 ? number : number + 1;
}

// ---- for check.cpp

struct Part {
  std::string name;
  std::string state = "right";  ///< right, wrong, not done or failed
  std::string where;            ///< place of the first wrong number, such as "dx[1, 2]"
  double given = 0, expected = 0;
  std::string note;
};

class Check {
 public:
  explicit Check(std::uint64_t whose) { student = whose; }

  /// Runs a part up to its first wrong number.
  void part(const std::string& name, const std::function<void()>& run) {
    results.push_back({name});
    if (before) before(name);
    try {
      run();
    } catch (const Wrong&) {
    } catch (const NotDone&) {
      results.back().state = "not done";
    } catch (const std::exception& error) {
      results.back().state = "failed";
      results.back().note = error.what();
    }
    if (after) after(results.back());
  }

  /// Ends the part as wrong unless the numbers are equal. The tolerance is relative if the expected
  /// number is above 1.
  void equal(const std::string& where, double given, double expected, double tolerance = 1e-9,
             const std::string& note = "") {
    if (is_unfinished(given)) {
      results.back().note = where + " is still to do";
      throw NotDone();
    }
    const bool same = std::isnan(expected)
                          ? std::isnan(given)
                          : given == expected || std::abs(given - expected) <=
                                                     tolerance * std::max(1.0, std::abs(expected));
    if (!same) wrong({"", "wrong", where, given, expected, note});
  }
  /// Ends the part as wrong unless the numbers are equal to two decimals. The last argument is the
  /// number that follows from your other numbers, which earns credit without a compiler.
  void by_hand(const std::string& where, double given, double expected, double = 0) {
    equal(where, given, expected, 0.0051, "two decimals are enough");
  }
  /// Ends the part as wrong unless shapes and elements are equal. A null tensor is wrong, too.
  void equal(const std::string& where, const Tensor& given, const Tensor& expected,
             double tolerance = 1e-9, const std::string& note = "") {
    require(bool(given), where + " is a null tensor");
    require(given.shape() == expected.shape(),
            fmt::format("{} has shape {}, expected {}", where, given.shape(), expected.shape()));
    for (Index i = 0; i < given.size(); ++i)
      equal(where + place(given.shape(), i), given(i), expected(i), tolerance, note);
  }
  void require(bool holds, const std::string& note) {
    if (!holds) wrong({"", "wrong", "", 0, 0, note});
  }
  /// Compares the gradients of f with the gradients of `known`, a correct function, for these
  /// inputs and a random gradient of the result. `names` are the names of the inputs.
  void gradients(const std::vector<std::string>& names, const Function& f, const Function& known,
                 const std::vector<Tensor>& inputs, const std::string& note = "") {
    const std::vector<Tensor> given = differentiate(f, inputs),
                              expected = differentiate(known, inputs);
    for (std::size_t i = 0; i < names.size(); ++i)
      equal("d" + names[i], given[i], expected[i], 1e-9, note);
  }
  /// Returns the derivatives of f, computed with the library's tape, at these numbers.
  static std::vector<double> slopes(const Function& f, const std::vector<double>& at) {
    std::vector<Tensor> in;
    for (const double number : at) in.push_back(scalar(number, DType::f64));
    Tape tape;
    for (const Tensor& x : in) tape.watch(x);
    const Gradients gradients = tape.backward(f(in), {false, false, true});
    std::vector<double> slopes;
    for (const Tensor& x : in) slopes.push_back(gradients[x].item());
    return slopes;
  }
  /// Returns a tensor of normally distributed f64 numbers. Every run of a student's check draws the
  /// same ones.
  Tensor normal(const Shape& shape) {
    return random_normal(shape, RandomKey{student, Draw::test, 1000000, 0, drawn_++}, DType::f64);
  }

  std::vector<Part> results;
  std::function<void(const std::string& name)> before;
  std::function<void(const Part&)> after;

 private:
  struct Wrong {};
  [[noreturn]] void wrong(Part part) {
    part.name = results.back().name;
    results.back() = std::move(part);
    throw Wrong();
  }
  /// Formats the indices of an element as "[1, 2]"; empty for a scalar.
  static std::string place(const Shape& shape, Index element) {
    std::string text;
    for (int axis = shape.rank() - 1; axis >= 0; element /= shape[axis--])
      text = std::to_string(element % shape[axis]) + (text.empty() ? "" : ", ") + text;
    return text.empty() ? "" : "[" + text + "]";
  }
  static std::vector<Tensor> differentiate(const Function& f, const std::vector<Tensor>& inputs) {
    std::vector<Tensor> watched, gradients;
    for (const Tensor& x : inputs) watched.push_back(x.detached());
    Tape tape;
    for (const Tensor& x : watched) tape.watch(x);
    const Tensor y = f(watched);
    const RandomKey key{student, Draw::test, 2000000};
    const Gradients grads =
        tape.backward(y, random_normal(y.shape(), key, DType::f64), {false, false, true});
    for (const Tensor& x : watched) gradients.push_back(grads[x]);
    return gradients;
  }

  std::uint32_t drawn_ = 0;
};

// ---- the program

/// Formats a number as JSON, which has no NaN and infinity: these become strings.
inline std::string text_of(double number) {
  if (std::isnan(number)) return "\"nan\"";
  return std::isfinite(number) ? fmt::format("{:.17g}", number) : fmt::format("\"{}\"", number);
}
inline std::string text_of(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}
inline std::string line_of(const Part& part) {
  std::string line =
      fmt::format(R"({{"name": {}, "state": {})", text_of(part.name), text_of(part.state));
  if (!part.where.empty())
    line += fmt::format(R"(, "where": {}, "given": {}, "expected": {})", text_of(part.where),
                        text_of(part.given), text_of(part.expected));
  if (!part.note.empty()) line += fmt::format(R"(, "note": {})", text_of(part.note));
  return line + "}";
}

/// Runs a check. Writes one line of JSON when a part begins and one with its result, to the file
/// argv[1] or to standard output.
inline int run(int argc, char** argv, void (*check)(Check&)) {
  std::FILE* out = argc > 1 ? std::fopen(argv[1], "w") : stdout;
  if (!out) return 2;
  const auto write = [&](const std::string& line) {
    std::fputs((line + "\n").c_str(), out);
    std::fflush(out);
  };
  Check all(STUDENT);
  all.before = [&](const std::string& name) { write("{\"begins\": " + text_of(name) + "}"); };
  all.after = [&](const Part& part) { write(line_of(part)); };
  check(all);
  bool right = true;
  for (const Part& part : all.results) right = right && part.state == "right";
  return right ? 0 : 1;
}

}  // namespace learn

#ifndef EXERCISE_TESTED
void check(learn::Check& c);  // in check.cpp
int main(int argc, char** argv) { return learn::run(argc, argv, check); }
#endif

#endif  // TAPEHEAD_LEARN_EXERCISE
