// Compares the included programs with definitions in C++, and compiled models with programs.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/model/architecture.hpp"
#include "../compile.hpp"
#include "../library.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(rasp_programs)

namespace {

using Texts = std::vector<std::string>;
using At = std::function<std::string(const Texts& x, std::size_t i)>;

std::string text(std::ptrdiff_t n) { return fmt::format("{}", n); }
std::string truth(bool is_true) { return is_true ? "1" : "0"; }
std::string fraction(std::ptrdiff_t a, std::ptrdiff_t b) { return rasp::Value(a, b).text(); }
std::ptrdiff_t occurrences(const Texts& x, const std::string& token, std::size_t end) {
  return std::count(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(end), token);
}
std::size_t first_of(const Texts& x, const std::string& token) {
  return static_cast<std::size_t>(std::find(x.begin(), x.end(), token) - x.begin());
}
std::string sorted_at(Texts x, std::size_t i, const std::string& order) {
  std::stable_sort(x.begin(), x.end(), [&](const std::string& a, const std::string& b) {
    return order.find(a) < order.find(b);
  });
  return x[i];
}
/// Returns T, P or F for the brackets up to position i, given pairs such as `()[]`.
std::string balanced(const Texts& x, std::size_t i, const std::string& pairs) {
  std::string open;
  for (std::size_t n = 0; n <= i; ++n) {
    const std::size_t kind = pairs.find(x[n]);
    if (kind == std::string::npos) continue;
    if (kind % 2 == 0)
      open += pairs[kind + 1];
    else if (!open.empty() && open.back() == pairs[kind])
      open.pop_back();
    else
      return "F";
  }
  return open.empty() ? "T" : "P";
}

const std::map<std::string, At> definitions = {
    {"identity", [](const Texts& x, std::size_t i) { return x[i]; }},
    {"shift", [](const Texts& x, std::size_t i) { return i == 0 ? "-" : x[i - 1]; }},
    {"reverse", [](const Texts& x, std::size_t i) { return x[x.size() - 1 - i]; }},
    {"length", [](const Texts& x, std::size_t) { return text(x.size()); }},
    {"histogram",
     [](const Texts& x, std::size_t i) { return text(occurrences(x, x[i], x.size())); }},
    {"sort", [](const Texts& x, std::size_t i) { return sorted_at(x, i, "0123"); }},
    {"sort-by-key", [](const Texts& x, std::size_t i) { return sorted_at(x, i, "bdac"); }},
    {"most-frequent",
     [](const Texts& x, std::size_t) {
       return *std::max_element(x.begin(), x.end(), [&](const auto& a, const auto& b) {
         return occurrences(x, a, x.size()) < occurrences(x, b, x.size());
       });
     }},
    {"fraction-of-previous",
     [](const Texts& x, std::size_t i) { return fraction(occurrences(x, "x", i + 1), i + 1); }},
    {"has-previous",
     [](const Texts& x, std::size_t i) { return truth(occurrences(x, x[i], i) > 0); }},
    {"induction",
     [](const Texts& x, std::size_t i) {
       for (std::size_t n = i; n-- > 0;)
         if (x[n] == x[i]) return x[n + 1];
       return std::string("-");
     }},
    {"brackets", [](const Texts& x, std::size_t i) { return balanced(x, i, "()"); }},
    {"brackets-of-two-kinds", [](const Texts& x, std::size_t i) { return balanced(x, i, "()[]"); }},
    {"first-occurrence", [](const Texts& x, std::size_t i) { return text(first_of(x, x[i])); }},
    {"count", [](const Texts& x, std::size_t) { return text(occurrences(x, "a", x.size())); }},
    {"remove-duplicates",
     [](const Texts& x, std::size_t i) {
       Texts kept;
       for (std::size_t n = 0; n < x.size(); ++n)
         if (first_of(x, x[n]) == n) kept.push_back(x[n]);
       return i < kept.size() ? kept[i] : "-";
     }},
    {"add-modulo",
     [](const Texts& x, std::size_t) { return text((std::stoi(x[0]) + std::stoi(x[1])) % 5); }},
    {"parity",
     [](const Texts& x, std::size_t) {
       return text((occurrences(x, "1", 6) + 2 * occurrences(x, "2", 6)) % 2);
     }},
    {"majority",
     [](const Texts& x, std::size_t) {
       return truth(2 * occurrences(x, "a", x.size()) > static_cast<std::ptrdiff_t>(x.size()));
     }},
    {"copy-at",
     [](const Texts& x, std::size_t) {
       const auto place = static_cast<std::size_t>(std::stoi(x[0]));
       return place < x.size() ? x[place] : "-";
     }},
};

Texts texts_of(const std::vector<rasp::Value>& values) {
  Texts texts;
  for (const rasp::Value& value : values) texts.push_back(value.text());
  return texts;
}

std::string file(const std::string& name) {
  return std::string(source_dir) + "/parts/rasp/tests/programs/" + name + ".rasp";
}

void check_compiles(const std::string& program) {
  const Registry registry = make_registry();
  for (const char* dtype : {"f32", "f64"}) {
    BOOST_TEST_CONTEXT(program << " in " << dtype) {
      const rasp::Compiled made = rasp::compile(program, dtype, registry);
      BOOST_TEST(rasp::wrong_examples(made).size() == 0u);
      BOOST_TEST(count_parameters(*made.model->module) < 5'000'000);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(programs_compute_what_they_say) {
  BOOST_TEST(rasp::included_programs().size() == 20u);
  for (const auto& [name, source] : rasp::included_programs()) {
    BOOST_TEST_CONTEXT(name) {
      const At& at = definitions.at(name);
      const rasp::Program program = rasp::parse(name, source);
      rasp::Interpreter interpreter(program);
      std::size_t wrong = 0;
      interpreter.run_all([&](const std::vector<rasp::Value>& input, const auto& values) {
        const Texts x = texts_of(input);
        const Texts results = texts_of(interpreter.values(values[program.output]));
        for (std::size_t i = 0; i < x.size(); ++i) wrong += results[i] != at(x, i);
      });
      BOOST_TEST(wrong == 0u);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_program_agrees_with_its_model) {
  for (const auto& [name, source] : rasp::included_programs()) check_compiles(name);
}

// Programs of RASP's and Tracr's authors, restated in this language.
BOOST_AUTO_TEST_CASE(programs_from_papers_agree_with_their_models) {
  for (const char* name : {"count-less-frequent", "detect-pattern", "pair-balance",
                           "shuffle-dyck-2", "sort-by-frequency"})
    check_compiles(file(name));
}

BOOST_AUTO_TEST_CASE(combined_selectors_agree_with_their_models) {
  const std::string head =
      "alphabet a b c\nlengths 1 to 5\n"
      "same = select(key.tokens == query.tokens)\n"
      "before = select(key.indices < query.indices)\n";
  for (const char* lines :
       {"output = width(select(same or before))\n",
        "output = width(select(not (same and before)))\n",
        "place = select((same or before) and not (same and before))\n"
        "output = mean(place, indices, default=0)\n",
        "n = width(same)\noutput = tokens if n > indices + 1 else n * indices\n",
        "causal\noutput = width(select(same or key.indices == 0))\n"})
    check_compiles(head + lines);
}

BOOST_AUTO_TEST_CASE(causal_programs_agree_with_their_models) {
  for (const char* name : {"causal-induction", "causal-fraction"}) check_compiles(file(name));
}

BOOST_AUTO_TEST_CASE(numbers_are_exact_to_rounding) {
  const auto error = [](const char* dtype) {
    const rasp::Compiled made = rasp::compile("fraction-of-previous", dtype, make_registry());
    Index direction = 0;
    while (made.circuit.directions[direction].name != "output") ++direction;
    double most = 0;
    for (const Example& example : made.task->all()) {
      Pass pass = Pass::evaluation();
      pass.hook = [&](const HookPoint& point, const Tensor& x) {
        if (point.module != std::string("blocks.1") || point.name != std::string("out")) return x;
        for (Index i = 1; i < x.dim(1); ++i) {
          const rasp::Value& right = made.circuit.vocabulary[example.tokens[x.dim(1) + i]];
          const Tensor column = slice(slice(x, 1, i, i + 1), 2, direction, direction + 1);
          most = std::max(most, std::abs(reshape(column, Shape{}).item() - right.number()));
        }
        return x;
      };
      logits_of(*made.model->module, made.model->batch({example}), pass);
    }
    return most;
  };
  BOOST_TEST(error("f32") < 1e-6);
  BOOST_TEST(error("f64") < 1e-9);
}

BOOST_AUTO_TEST_SUITE_END()
