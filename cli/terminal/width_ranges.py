#!/usr/bin/env python3
"""Writes width_ranges.hpp: the characters that take no column of a terminal, and those that take 2.

cli/terminal/width_ranges.py > cli/terminal/width_ranges.hpp

Combining marks and format characters take none, as in the C library's wcwidth. Marks that Unicode
calls spacing take one.
"""
import sys
import unicodedata

LAST = 0x10FFFF
# Vowels and final consonants of Hangul, which join the consonant before them.
JOINING_JAMO = {*range(0x1160, 0x1200), *range(0xD7B0, 0xD7C7), *range(0xD7CB, 0xD7FC)}
# Format characters that are seen: the soft hyphen, and signs before a number (Arabic, Syriac, Kaithi).
SEEN = {0xAD, *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
# Reserved for ideographs and for emoji, so that characters of later Unicode versions are wide, too.
RESERVED = {*range(0x1FA70, 0x1FB00), *range(0x20000, 0x2FFFE), *range(0x30000, 0x3FFFE)}


def is_joined(code):
    category = unicodedata.category(chr(code))
    return category in ("Mn", "Me", "Cf") and code not in SEEN or code in JOINING_JAMO


def is_wide(code):
    c = chr(code)
    reserved = code in RESERVED and unicodedata.category(c) == "Cn"
    return not is_joined(code) and (unicodedata.east_asian_width(c) in "FW" or reserved)


def ranges(condition):
    first = None
    for code in range(LAST + 2):
        holds = code <= LAST and condition(code)
        if holds and first is None:
            first = code
        elif not holds and first is not None:
            yield f"{{0x{first:x}, 0x{code - 1:x}}}"
            first = None


def table(name, condition):
    line = f"constexpr CodeRange {name}[] = {{"
    for one in ranges(condition):
        if len(line) + len(one) + 2 > 98:
            print(line.rstrip())
            line = "    "
        line += one + ", "
    print(line.rstrip(", ") + "};")


print(f"""#pragma once
// Written by width_ranges.py from Unicode {unicodedata.unidata_version}.
#include <cstdint>

namespace tapehead {{

// clang-format off
struct CodeRange {{
  std::uint32_t first, last;
}};
/// Characters that join the one before them.""")
table("joined_ranges", is_joined)
print("/// Characters of two columns.")
table("wide_ranges", is_wide)
print("""// clang-format on

}  // namespace tapehead""")
