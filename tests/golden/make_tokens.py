#!/usr/bin/env python3
"""Creates tokens.json: the merges that tiktoken learns from a text, and encodings of other texts. Needs
tiktoken and regex; the tests need only the file.

"text" is the training text, and "tokens" the bytes of the learned tokens, in order. "cases" are
pairs of a text and its ids, in GPT-2's order of tokens. All bytes are written as hexadecimal
digits."""
import json
import random
import sys
from pathlib import Path

import tiktoken
from tiktoken._educational import bpe_train
from tiktoken_ext.openai_public import r50k_pat_str

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import tokens  # noqa: E402

SIZE = 256 + 400
PLAIN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
TEXTS = ["", " ", "  ", "   a", "a   ", "\n\n \n", "it's we'll I'VE they're don't 'tis''s", "x\r\ny",
         "aaaaaaaaaaaaa aaaa", "3.14159 10,000 ٣٤ ½ Ⅷ", "naïve cafe\u0301", "你好，世界", "ไทย",
         "👩‍👩‍👧‍👦🇩🇪", "<|endoftext|>", "\x00\x1f\x7f\x85\xa0\u180e\u200b\ufeff", "\U0010ffff\ue000"]


def main():
    draw = random.Random(28)
    parts = []
    for script in ["latin"] * 8 + ["greek", "han", "devanagari", "digits", "emoji"]:
        words = tokens.words_of(draw, script)[:60]
        for _ in range(120):
            parts.append(words[int(60 * draw.random() ** 2)])
            parts.append(draw.choice(tokens.ENDINGS + tokens.SPACES + [" "] * 60))
    parts.append("aaaa aaa aaaaaaa bananas " * 4)
    text = "".join(parts)
    ranks = bpe_train(text, SIZE, PLAIN, visualise=None)
    learned = sorted((rank, token) for token, rank in ranks.items() if rank >= 256)

    printable = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    order = printable + [byte for byte in range(256) if byte not in printable]
    ids = {bytes([byte]): i for i, byte in enumerate(order)}
    ids.update({token: rank for rank, token in learned})
    encoding = tiktoken.Encoding("learned", pat_str=r50k_pat_str, mergeable_ranks=ids,
                                 special_tokens={})
    cases = [text.encode() for text in TEXTS] + tokens.INVALID
    cases += [tokens.random_string(draw).encode() for _ in range(150)]
    cases += [bytes(draw.randrange(256) for _ in range(12)) for _ in range(50)]
    at = [draw.randrange(len(text) - 40) for _ in range(50)]
    cases += [text[i:i + 40].encode() for i in at]
    document = {
        "tiktoken": tiktoken.__version__, "text": text.encode().hex(),
        "tokens": [token.hex() for _, token in learned],
        "cases": [[case.hex(), encoding.encode_ordinary(case.decode(errors="replace"))]
                  for case in cases]}
    lines = json.dumps(document, separators=(",", ":")).replace("],[", "],\n[")
    (HERE / "tokens.json").write_text(lines + "\n")


if __name__ == "__main__":
    main()
