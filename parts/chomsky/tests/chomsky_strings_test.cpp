// Compares the tasks of the Chomsky hierarchy with other definitions, on all short inputs.
#include "../../../tests/shared/suite.hpp"
#include "../expressions.hpp"
#include "../strings.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

using namespace tapehead;
using namespace tapehead::chomsky;

BOOST_AUTO_TEST_SUITE(chomsky_strings)

namespace {

using Output = std::optional<std::string>;

std::vector<StringTask> all_tasks() {
  std::vector<StringTask> all = regular_tasks();
  for (const auto& more : {context_free_tasks(), context_sensitive_tasks()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

const StringTask& find(const std::string& name) {
  static const std::vector<StringTask> all = all_tasks();
  for (const StringTask& task : all)
    if (task.name == name) return task;
  throw std::runtime_error("no task " + name);
}

std::string one_digit(long value) { return std::to_string((value % 5 + 5) % 5); }

unsigned long from_last_bit(const std::string& bits) {
  unsigned long value = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) value |= (bits[i] == '1' ? 1UL : 0UL) << i;
  return value;
}
std::string to_last_bit(unsigned long value) {
  std::string bits;
  do bits += value % 2 == 1 ? '1' : '0';
  while ((value /= 2) > 0);
  return bits;
}

// Expressions as in the grammar, whose values come from rewriting: an operation on two digits, a
// sign, or brackets around a digit become a digit.
Output rewritten(std::string text) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] < '5';
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < text.size() && !changed; ++i) {
      const bool opens = i == 0 || text[i - 1] == '(' || text[i - 1] == '+' || text[i - 1] == '-' ||
                         text[i - 1] == '*';
      if (text[i] == '-' && opens && digit(i + 1)) {
        text.replace(i, 2, one_digit(-(text[i + 1] - '0')));
        changed = true;
      } else if (text[i] == '(' && digit(i + 1) && i + 2 < text.size() && text[i + 2] == ')') {
        text.replace(i, 3, text.substr(i + 1, 1));
        changed = true;
      } else if (text[i] == '(' && digit(i + 1) && digit(i + 3) && i + 4 < text.size() &&
                 text[i + 4] == ')') {
        const int a = text[i + 1] - '0', b = text[i + 3] - '0';
        const char sign = text[i + 2];
        text.replace(i, 5, one_digit(sign == '+' ? a + b : sign == '-' ? a - b : a * b));
        changed = true;
      }
    }
  }
  if (text.size() != 1 || !digit(0)) return {};
  return text;
}

/// The definitions to compare with. They may expect a valid input.
const std::map<std::string, std::function<std::string(const std::string&)>> references = {
    {"even-pairs",
     [](const std::string& s) {
       int changes = 0;
       for (std::size_t i = 1; i < s.size(); ++i) changes += s[i] != s[i - 1];
       return std::to_string(changes % 2);
     }},
    {"modular-arithmetic",
     [](const std::string& s) {  // products first, then their sum
       long sum = 0, term = s[0] - '0', sign = 1;
       for (std::size_t i = 1; i < s.size(); i += 2) {
         const int next = s[i + 1] - '0';
         if (s[i] == '*') {
           term *= next;
         } else {
           sum += sign * term;
           term = next;
           sign = s[i] == '+' ? 1 : -1;
         }
       }
       return one_digit(sum + sign * term);
     }},
    {"parity-check",
     [](const std::string& s) {
       char odd = '0';
       for (const char c : s) odd = c == odd ? '0' : '1';
       return std::string(1, odd);
     }},
    {"cycle-navigation",
     [](const std::string& s) {
       int place = 0;
       for (const char c : s)
         place = c == '>' ? (place + 1) % 5 : c == '<' ? (place + 4) % 5 : place;
       return std::to_string(place);
     }},
    {"stack-manipulation",
     [](const std::string& s) {  // from the end: a pop removes the next older push
       std::string top_down;
       int pops = 0;
       const std::size_t steps = std::min(s.find_first_of("POI"), s.size());
       // Popping an empty stack does nothing, so such steps are dropped first.
       std::string kept = s.substr(0, steps);
       int height = static_cast<int>(steps);
       for (const char c : s.substr(steps)) {
         if (c == 'P' && height == 0) continue;
         height += c == 'P' ? -1 : 1;
         kept += c == 'O' ? '0' : c == 'I' ? '1' : c;
       }
       for (std::size_t i = kept.size(); i-- > 0;) {
         if (kept[i] == 'P')
           ++pops;
         else if (pops > 0)
           --pops;
         else
           top_down += kept[i];
       }
       return top_down + '.';
     }},
    {"reverse-string",
     [](std::string s) {
       std::reverse(s.begin(), s.end());
       return s;
     }},
    {"modular-brackets", [](const std::string& s) { return *rewritten(s); }},
    {"solve-equation",
     [](const std::string& s) {
       if (s.size() < 3) return std::string("0");
       for (char x = '0'; x < '5'; ++x) {
         std::string left = s.substr(0, s.size() - 2);
         left[left.find('x')] = x;
         if (rewritten(left) == s.substr(s.size() - 1)) return std::string(1, x);
       }
       return std::string("none");
     }},
    {"duplicate-string",
     [](const std::string& s) {
       std::string twice;
       for (std::size_t i = 0; i < 2 * s.size(); ++i) twice += s[i % s.size()];
       return twice;
     }},
    {"missing-duplicate",
     [](std::string s) {  // the bit with which both halves are equal
       if (s == "1") return s;
       const std::size_t half = s.size() / 2, place = s.find('?');
       for (const char bit : {'0', '1'}) {
         s[place] = bit;
         if (s.compare(0, half, s, half, half) == 0) return std::string(1, bit);
       }
       return std::string("none");
     }},
    {"odds-first",
     [](const std::string& s) {
       std::string moved(s.size(), ' ');
       const std::size_t odd = (s.size() + 1) / 2;
       for (std::size_t i = 0; i < s.size(); ++i) moved[i % 2 == 0 ? i / 2 : odd + i / 2] = s[i];
       return moved;
     }},
    {"binary-addition",
     [](const std::string& s) {
       const std::size_t sign = s.find('+');
       const unsigned long b = sign > s.size() ? 0 : from_last_bit(s.substr(sign + 1));
       return to_last_bit(from_last_bit(s.substr(0, sign)) + b) + '.';
     }},
    {"binary-multiplication",
     [](const std::string& s) {
       const std::size_t sign = s.find('*');
       if (sign > s.size()) return std::string(s.size() - 1, '0') + '.';
       return to_last_bit(from_last_bit(s.substr(0, sign)) * from_last_bit(s.substr(sign + 1))) +
              '.';
     }},
    {"compute-sqrt",
     [](const std::string& s) {
       unsigned long value = 0, root = 0;
       for (const char c : s) value = 2 * value + (c == '1' ? 1 : 0);
       while ((root + 1) * (root + 1) <= value) ++root;
       std::string bits = to_last_bit(root);
       bits.resize((s.size() + 1) / 2, '0');
       return std::string(bits.rbegin(), bits.rend());
     }},
    {"bucket-sort", [](const std::string& s) {
       std::string sorted;
       for (char c = '0'; c < '5'; ++c) sorted.append(std::count(s.begin(), s.end(), c), c);
       return sorted;
     }}};

std::set<std::string> of_characters(Index length, const std::string& alphabet) {
  std::set<std::string> all = {""};
  for (Index i = 0; i < length; ++i) {
    std::set<std::string> longer;
    for (const std::string& text : all)
      for (const char c : alphabet) longer.insert(text + c);
    all = longer;
  }
  return all;
}

std::set<std::string> expressions(Index length, const std::string& signs) {
  std::set<std::string> all;
  for (char d = '0'; d < '5' && length <= 4; ++d)
    all.insert(std::vector<std::string>{std::string(1, d), std::string("-") + d,
                                        std::string("(") + d + ')',
                                        std::string("(-") + d + ')'}[length - 1]);
  for (Index left = 1; left <= length - 4; ++left)
    for (const std::string& a : expressions(left, signs))
      for (const char sign : signs)
        for (const std::string& b : expressions(length - 3 - left, signs))
          all.insert('(' + a + sign + b + ')');
  return all;
}

std::set<std::string> equations(Index length) {
  std::set<std::string> all;
  if (length < 3) return {std::string(static_cast<std::size_t>(length), '0')};
  for (std::string text : expressions(length - 2, "+-")) {
    const std::string value = *rewritten(text);
    for (char& c : text)
      if (c >= '0' && c < '5') {
        const char digit = c;
        c = 'x';
        all.insert(text + '=' + value);
        c = digit;
      }
  }
  return all;
}

std::set<std::string> pairs_of_numbers(Index length, char sign) {
  if (length <= 2) return of_characters(length, "01");
  std::set<std::string> all;
  for (Index first = 1; first <= length - 2; ++first)
    for (const std::string& a : of_characters(first, "01"))
      for (const std::string& b : of_characters(length - 1 - first, "01"))
        if (a.find('1') != std::string::npos && b.find('1') != std::string::npos)
          all.insert(a + sign + b);
  return all;
}

/// Returns all inputs of a length that the paper's program draws.
std::set<std::string> inputs(const std::string& name, Index length) {
  if (name == "cycle-navigation") return of_characters(length, "<=>");
  if (name == "bucket-sort") return of_characters(length, "01234");
  if (name == "modular-brackets") return expressions(length, "+-*");
  if (name == "solve-equation") return equations(length);
  if (name == "binary-addition") return pairs_of_numbers(length, '+');
  if (name == "binary-multiplication") return pairs_of_numbers(length, '*');
  std::set<std::string> all;
  if (name == "modular-arithmetic") {
    all = of_characters(1, "01234");
    for (Index i = 3; i <= length; i += 2) {
      std::set<std::string> longer;
      for (const std::string& text : all)
        for (const std::string& more : of_characters(1, "+-*"))
          for (const std::string& digit : of_characters(1, "01234"))
            longer.insert(text + more + digit);
      all = longer;
    }
  } else if (name == "stack-manipulation") {
    for (Index height = 1; height <= std::max<Index>(length - 1, 1); ++height)
      for (const std::string& stack : of_characters(height, "01"))
        for (const std::string& steps : of_characters(length - height, "POI"))
          all.insert(stack + steps);
  } else if (name == "missing-duplicate") {
    if (length == 1) return {"1"};
    for (const std::string& half : of_characters(length / 2, "01"))
      for (Index place = 0; place < length / 2 * 2; ++place) {
        std::string text = half + half + (length % 2 == 1 ? "-" : "");
        text[static_cast<std::size_t>(place)] = '?';
        all.insert(text);
      }
  } else {
    all = of_characters(length, "01");
    if (name == "compute-sqrt") all.erase(std::string(static_cast<std::size_t>(length), '0'));
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(there_are_fifteen) {
  BOOST_TEST(all_tasks().size() == 15u);
  BOOST_TEST(references.size() == 15u);
}

// Draws exactly the inputs of the paper, and all of them; solves each as the reference does.
BOOST_AUTO_TEST_CASE(all_short_inputs) {
  for (const StringTask& task : all_tasks()) BOOST_TEST_CONTEXT(task.name) {
      std::size_t checked = 0;
      for (Index length = 1; length <= 9; ++length) {
        const std::set<std::string> all = inputs(task.name, length);
        if (all.size() > 10000) break;
        for (const std::string& input : all) {
          const Output output = task.solve(input);
          BOOST_TEST_REQUIRE(output.has_value(), input);
          BOOST_TEST(*output == references.at(task.name)(input), input);
          BOOST_TEST(static_cast<Index>(output->size()) <= task.outputs(length), input);
        }
        checked += all.size();
        std::set<std::string> drawn;
        const auto draws = all.size() < 200 ? static_cast<Index>(40 * all.size()) : 2000;
        Random random(RandomKey{1});
        for (Index i = 0; i < draws; ++i) drawn.insert(task.draw(random, length));
        for (const std::string& input : drawn) BOOST_TEST(all.count(input) == 1u, input);
        if (all.size() < 200) BOOST_TEST(drawn.size() == all.size(), "length " << length);
      }
      BOOST_TEST(checked > 200u);
    }
}

// Tasks of all strings of some characters accept nothing else; others refuse wrong forms.
BOOST_AUTO_TEST_CASE(invalid_inputs) {
  for (const StringTask& task : all_tasks()) BOOST_TEST_CONTEXT(task.name) {
      BOOST_TEST(!task.solve("").has_value());
      const std::set<std::string> loose = {"modular-brackets",      "solve-equation",
                                           "compute-sqrt",          "binary-addition",
                                           "binary-multiplication", "stack-manipulation"};
      for (Index length = 1; length <= 3 && loose.count(task.name) == 0; ++length) {
        const std::set<std::string> valid = inputs(task.name, length);
        for (const std::string& text : of_characters(length, std::string(task.alphabet) + "_"))
          BOOST_TEST(task.solve(text).has_value() == (valid.count(text) > 0), text);
      }
    }
  const std::vector<std::pair<const char*, const char*>> wrong = {
      {"modular-arithmetic", "1+"},  {"modular-arithmetic", "-1+"},
      {"modular-brackets", "(1+2"},  {"modular-brackets", "1+2)"},
      {"modular-brackets", "()"},    {"modular-brackets", "12"},
      {"modular-brackets", "x"},     {"solve-equation", "x"},
      {"solve-equation", "1=1"},     {"solve-equation", "1=2"},
      {"solve-equation", "(x-x)=0"}, {"solve-equation", "(x+1)=x"},
      {"solve-equation", "(x+1)2"},  {"binary-addition", "1+"},
      {"binary-addition", "+1"},     {"binary-addition", "1+1+1"},
      {"binary-addition", "111"},    {"binary-multiplication", "10+1"},
      {"missing-duplicate", "01?"},  {"missing-duplicate", "0?11"},
      {"missing-duplicate", "0??1"}, {"missing-duplicate", "0101"},
      {"missing-duplicate", "01-?"}, {"stack-manipulation", "P"},
      {"stack-manipulation", "0P1"}, {"stack-manipulation", "0."}};
  for (const auto& [name, input] : wrong)
    BOOST_TEST(!find(name).solve(input).has_value(), name << ' ' << input);
}

// Examples from the paper and its program, in our characters.
BOOST_AUTO_TEST_CASE(examples_of_the_paper) {
  const std::vector<std::array<const char*, 3>> rows = {
      {"even-pairs", "001110", "0"},
      {"even-pairs", "0101001", "1"},
      {"modular-arithmetic", "1+2*3", "2"},
      {"modular-arithmetic", "1-1-1", "4"},
      {"modular-arithmetic", "0*1+4*3-2", "0"},
      {"parity-check", "1010100", "1"},
      {"parity-check", "01111", "0"},
      {"cycle-navigation", "><=<<", "3"},
      {"cycle-navigation", ">>><", "2"},
      {"stack-manipulation", "0110IPP", "110."},
      {"stack-manipulation", "110PPP", "."},
      {"reverse-string", "011010", "010110"},
      {"duplicate-string", "101", "101101"},
      {"missing-duplicate", "01100?10", "1"},
      {"missing-duplicate", "101?01-", "1"},
      {"odds-first", "00110101", "01000111"},
      {"odds-first", "110", "101"},
      {"binary-addition", "001+01101", "01011."},
      {"binary-addition", "1001+000001", "100101."},
      {"binary-multiplication", "001*01101", "0001101."},
      {"binary-multiplication", "1001*000001", "000001001."},
      {"compute-sqrt", "100101", "110"},
      {"compute-sqrt", "111", "10"},
      {"bucket-sort", "10204112", "00111224"}};
  for (const auto& [name, input, output] : rows)
    BOOST_TEST(find(name).solve(input).value_or("invalid") == output, name << ' ' << input);
}

// Long inputs have the right length and are valid; a root and a product of hundreds of bits are
// checked by their defining property.
BOOST_AUTO_TEST_CASE(long_inputs) {
  Random random(RandomKey{2});
  for (const StringTask& task : all_tasks()) BOOST_TEST_CONTEXT(task.name)
  for (const Index length : {40, 41, 499, 500, 1024}) {
    const std::string input = task.draw(random, length);
    const bool odd = std::string(task.name) == "modular-arithmetic" && length % 2 == 0;
    BOOST_TEST(static_cast<Index>(input.size()) == length - (odd ? 1 : 0));
    const Output output = task.solve(input);
    BOOST_TEST_REQUIRE(output.has_value(), input);
    BOOST_TEST(static_cast<Index>(output->size()) <= task.outputs(length));
  }
  const std::string root = draw_bits(random, 200), bits = "1" + root;
  const std::string from_last(bits.rbegin(), bits.rend());
  std::string square = *find("binary-multiplication").solve(from_last + '*' + from_last);
  square.pop_back();
  const std::string squared(square.rbegin(), square.rend());
  BOOST_TEST(*find("compute-sqrt").solve(squared) == bits);
}

BOOST_AUTO_TEST_SUITE_END()
