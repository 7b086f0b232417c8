#include "../../core/error.hpp"
#include "byte_pairs.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>

namespace tapehead {
namespace {

// PCRE2 10.40 and later know the letters and numbers of Unicode 14. The additions of Unicode 15
// and 16 are listed here, so that words don't depend on the installed version.
#define LATER_LETTERS                                                                           \
  R"(\x{1c89}\x{1c8a}\x{a7cb}-\x{a7cd}\x{a7da}-\x{a7dc}\x{105c0}-\x{105f3}\x{10d4a}-\x{10d65})" \
  R"(\x{10d6f}-\x{10d85}\x{10ec2}-\x{10ec4}\x{1123f}\x{11240}\x{11380}-\x{11389}\x{1138b})"     \
  R"(\x{1138e}\x{11390}-\x{113b5}\x{113b7}\x{113d1}\x{113d3}\x{11bc0}-\x{11be0}\x{11f02})"      \
  R"(\x{11f04}-\x{11f10}\x{11f12}-\x{11f33}\x{1342f}\x{13441}-\x{13446}\x{13460}-\x{143fa})"    \
  R"(\x{16100}-\x{1611d}\x{16d40}-\x{16d6c}\x{18cff}\x{1b132}\x{1b155}\x{1df25}-\x{1df2a})"     \
  R"(\x{1e030}-\x{1e06d}\x{1e4d0}-\x{1e4eb}\x{1e5d0}-\x{1e5ed}\x{1e5f0}\x{2b739})"              \
  R"(\x{2ebf0}-\x{2ee5d}\x{31350}-\x{323af})"
#define LATER_NUMBERS                                                               \
  R"(\x{10d40}-\x{10d49}\x{116d0}-\x{116e3}\x{11bf0}-\x{11bf9}\x{11f50}-\x{11f59})" \
  R"(\x{16130}-\x{16139}\x{16d70}-\x{16d79}\x{1ccf0}-\x{1ccf9}\x{1d2c0}-\x{1d2d3})" \
  R"(\x{1e4f0}-\x{1e4f9}\x{1e5f1}-\x{1e5fa})"
#define LETTERS R"(\p{L})" LATER_LETTERS
#define NUMBERS R"(\p{N})" LATER_NUMBERS
// The characters with Unicode's property White_Space. PCRE2's \s has one more character.
#define SPACES \
  R"(\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})"

// GPT-2's pattern. The last of several spaces belongs to the next word.
constexpr const char* pattern =
    "'(?:[sdmt]|ll|ve|re)| ?[" LETTERS "]+| ?[" NUMBERS "]+| ?[^" SPACES LETTERS NUMBERS
    "]+|[" SPACES "]+(?![^" SPACES "])|[" SPACES "]+";

struct Free {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
using Code = std::unique_ptr<pcre2_code, Free>;

Code compiled() {
  int error = 0;
  PCRE2_SIZE offset = 0;
  Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), PCRE2_ZERO_TERMINATED,
                          PCRE2_UTF | PCRE2_ANCHORED, &error, &offset, nullptr));
  if (!code) throw Error("words: PCRE2 can't compile the pattern at {}: error {}", offset, error);
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // if it fails, PCRE2 uses its interpreter
  return code;
}

}  // namespace

void for_each_word(std::string_view text, const std::function<void(std::string_view)>& f) {
  static const Code code = compiled();
  const std::unique_ptr<pcre2_match_data, Free> found(pcre2_match_data_create(1, nullptr));
  const auto* begin = reinterpret_cast<PCRE2_SPTR>(text.data());
  for (std::size_t at = 0; at < text.size();) {
    const int status =
        pcre2_match(code.get(), begin, text.size(), at, PCRE2_NO_UTF_CHECK, found.get(), nullptr);
    if (status < 0) throw Error("words: PCRE2 failed at byte {}: error {}", at, status);
    const std::size_t end = pcre2_get_ovector_pointer(found.get())[1];
    f(text.substr(at, end - at));
    at = end;
  }
}

}  // namespace tapehead
