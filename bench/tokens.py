#!/usr/bin/env python3
"""Compares the token ids of Tapehead and tiktoken for 20 MB of mixed text, each Unicode character,
and a million random strings. Also encodes and decodes a million random byte strings. Needs
tiktoken, which builds the GPT-2 encoding from the list of merges and downloads nothing. Prints a
line for each test, and the speed of both in MB per second of CPU time. Fails if an id differs."""
import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

import tiktoken
from tiktoken_ext.openai_public import r50k_pat_str

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS = os.path.join(ROOT, "build/release/bench_tokens")

# For each script: the first and last character of its alphabet, and the approximate length of a
# word (0 for a script without spaces).
SCRIPTS = {
    "latin": ("az", 5), "latin-1": ("ßÿ", 6), "greek": ("αω", 6), "cyrillic": ("ая", 7),
    "armenian": ("աֆ", 6), "hebrew": ("את", 4), "arabic": ("ءي", 5), "devanagari": ("अह", 5),
    "combining devanagari": ("ऀॣ", 5), "thai": ("ก๎", 0), "georgian": ("აჰ", 6),
    "hangul": ("가힣", 3), "hiragana": ("ぁん", 0), "katakana": ("ァヺ", 0), "han": ("一鿿", 0),
    "ethiopic": ("ሀፚ", 5), "digits": ("09", 3), "arabic digits": ("٠٩", 4), "gothic": ("𐌰𐍊", 5),
    "mathematical": ("𝐀𝟿", 3), "han, later": ("𠀀𪛟", 0), "marks": ("!/", 2),
    "arrows": ("←⇿", 2), "emoji": ("😀🙏", 2), "pictures": ("🌀🗿", 1)}
JOINED = ["👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "e\u0301", "n\u0303", "\u200f", "\ufeff", "\u180e", "ſ", "ǅ"]
SPACES = [" ", "  ", "    ", "\n", "\n\n", "\r\n", "\t", "\t\t", " \n ", "\u00a0", "\u3000", "\u2028",
          "\x0b", "\x0c", "\x1c", "\x85", "\u200b"]
ENDINGS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "''", "’s", ".", ",", "!?", "..."]
INVALID = [b"\xff", b"\x80", b"\xc3", b"\xc0\xaf", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f\x98",
           b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80"]


def words_of(draw, script):
    """Returns some thousand random words of an alphabet."""
    (first, last), length = SCRIPTS[script]
    span = ord(last) - ord(first) + 1
    return ["".join(chr(ord(first) + draw.randrange(span))
                    for _ in range(1 + draw.randrange(2 * max(length, 3))))
            for _ in range(4000)]


def code():
    """Yields the source files of Python's standard library."""
    folder = os.path.dirname(os.__file__)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), "rb") as file:
                yield file.read()


def mixed_text(size, draw):
    """Returns a text of `size` bytes: paragraphs in one script each, pages of code, and other
    strings."""
    parts, total = [], 0
    words = {script: words_of(draw, script) for script in SCRIPTS}
    sources = list(code())
    while total < size:
        script = draw.choice(["latin"] * 20 + list(SCRIPTS))
        text = []
        for _ in range(100):
            word = words[script][int(4000 * draw.random() ** 3)]
            gap = "" if SCRIPTS[script][1] == 0 and draw.random() < 0.9 else " "
            text.append(word.capitalize() if draw.random() < 0.1 else word)
            if draw.random() < 0.1:
                text.append(draw.choice(ENDINGS))
            text.append(gap if draw.random() < 0.95 else draw.choice(SPACES + JOINED))
        part = "".join(text).encode()
        if draw.random() < 0.1:
            part += draw.choice(INVALID)
        if draw.random() < 0.2:
            source = draw.choice(sources)
            at = draw.randrange(max(1, len(source) - 2000))
            part += source[at:at + 2000]
        parts.append(part)
        total += len(part)
    return b"".join(parts)[:size]


def any_character(draw):
    point = draw.randrange(0x110000 - 0x800)
    return chr(point if point < 0xd800 else point + 0x800)


def random_string(draw):
    kind = draw.randrange(4)
    length = draw.randrange(24)
    if kind == 0:  # any code points, assigned or not
        return "".join(any_character(draw) for _ in range(length))
    if kind == 1:
        return "".join(chr(draw.randrange(1, 128)) for _ in range(length))
    if kind == 2:  # characters that affect word boundaries
        return "".join(draw.choice("aZ09é你٣' \n\t\u00a0\u180e\u3000.,-'s't") for _ in range(length))
    return "".join(draw.choice([draw.choice(ENDINGS), draw.choice(SPACES), draw.choice(JOINED),
                                chr(draw.randrange(0x20, 0x3000)), "the", "ing"])
                   for _ in range(length))


def gpt2(merges):
    """Makes tiktoken's GPT-2 encoding from a file of merges."""
    printable = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    order = printable + [byte for byte in range(256) if byte not in printable]
    spelled = {chr(byte if i < len(printable) else 0x100 + i - len(printable)): bytes([byte])
               for i, byte in enumerate(order)}
    ranks = {bytes([byte]): i for i, byte in enumerate(order)}
    with open(merges, encoding="utf-8") as file:
        for line in file.read().split("\n")[1:]:
            if line:
                ranks[b"".join(spelled[c] for c in line if c != " ")] = len(ranks)
    return tiktoken.Encoding("gpt2", pat_str=r50k_pat_str, mergeable_ranks=ranks,
                             special_tokens={"<|endoftext|>": len(ranks)})


def ours(merges, texts):
    """Encodes texts with bench_tokens. Returns the ids of each text, as bytes of u32, and the speed
    in MB per second."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = os.path.join(folder, "texts"), os.path.join(folder, "ids")
        with open(given, "wb") as file:
            for text in texts:
                file.write(struct.pack("<I", len(text)) + text)
        speed = float(subprocess.run([OURS, "encode", merges, given, made], check=True,
                                     capture_output=True).stdout)
        with open(made, "rb") as file:
            all_ids = file.read()
    ids, at = [], 0
    while at < len(all_ids):
        end = at + 4 + 4 * struct.unpack_from("<I", all_ids, at)[0]
        ids.append(all_ids[at + 4:end])
        at = end
    return ids, speed


def compare(what, encoding, merges, texts):
    """Prints how many texts have the same ids in both programs. Returns whether all have."""
    decoded = [text.decode("utf-8", errors="replace") for text in texts]
    start = time.process_time()
    theirs = [encoding.encode_ordinary(text) for text in decoded]
    seconds = time.process_time() - start
    size = sum(map(len, texts))
    mine, speed = ours(merges, texts)
    wrong = [i for i, ids in enumerate(theirs) if struct.pack(f"<{len(ids)}I", *ids) != mine[i]]
    print(f"{what}: {len(texts) - len(wrong):,} of {len(texts):,} texts, {sum(map(len, theirs)):,} "
          f"tokens, have the same ids; {speed:.1f} MB/s, tiktoken {1e-6 * size / seconds:.1f} MB/s")
    for i in wrong[:3]:
        got = struct.unpack(f"<{len(mine[i]) // 4}I", mine[i])
        at = next((k for k, (a, b) in enumerate(zip(theirs[i], got)) if a != b), -1)
        print(f"  {texts[i][:80]!r}: from token {at}: tiktoken {theirs[i][at:at + 6]}, "
              f"here {list(got[at:at + 6])}")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--merges", required=True, help="GPT-2's merges.txt")
    parser.add_argument("--strings", type=int, default=1000000, help="random strings [1000000]")
    parser.add_argument("--megabytes", type=int, default=20, help="megabytes of mixed text [20]")
    args = parser.parse_args()
    if not os.path.exists(OURS):
        sys.exit(f"{OURS}: missing; ./dev build makes it")
    encoding, draw = gpt2(args.merges), random.Random(1)
    print(f"tiktoken {tiktoken.__version__}, {encoding.n_vocab:,} tokens")
    everything = [chr(c) for c in range(0x110000) if not 0xd800 <= c < 0xe000]
    same = [
        compare("mixed text", encoding, args.merges, [mixed_text(args.megabytes * 10**6, draw)]),
        compare("each token", encoding, args.merges,
                [encoding.decode_single_token_bytes(i) for i in range(encoding.n_vocab - 1)]),
        compare("each character after a letter, a digit and a sign", encoding, args.merges,
                [f"a{c}a 1{c}1 -{c}-  {c} ".encode() for c in everything]),
        compare("random strings", encoding, args.merges,
                [random_string(draw).encode() for _ in range(args.strings)])]
    wrong = subprocess.run([OURS, "bytes", args.merges, str(args.strings)],
                           capture_output=True, text=True).stdout.strip()
    print(f"random bytes: {args.strings:,} strings encoded and decoded, {wrong} come back otherwise")
    sys.exit(not all(same) or wrong != "0")


if __name__ == "__main__":
    main()
