#!/usr/bin/env python3
"""Makes the documentation's pictures of the terminal and of HTML pages, by running the command.
Requires pyte (pip install pyte) and, for pages, chromium."""
import argparse
import fcntl
import html
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

import pyte

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS, ROWS = 104, 24
CELL, LINE, MARGIN = 8.4, 18, 12
COLOURS = {"default": "#d8dade", "green": "#5fd75f", "red": "#ff6b68", "blue": "#7fb4ff"}


def frames(command, folder):
    """Yields the screen after each piece of output that the command writes to a terminal."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ["TERM"] = "xterm-256color"
        os.environ.pop("NO_COLOR", None)
        os.execv(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    while select.select([terminal], [], [], 600)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the command has exited
            break
        if not piece:
            break
        stream.feed(piece)
        yield screen
    os.waitpid(child, 0)


def snapshot(screen):
    """Returns the rows of the screen as (text, style) pieces."""
    rows = []
    for y in range(ROWS):
        cells = []
        for x in range(COLUMNS):
            cell = screen.buffer[y][x]
            style = (cell.fg, cell.bold)
            if cells and cells[-1][1] == style:
                cells[-1][0] += cell.data
            else:
                cells.append([cell.data, style])
        rows.append(cells)
    while rows and not "".join(text for text, _ in rows[-1]).strip():
        rows.pop()
    return rows


def colour(name):
    return COLOURS.get(name, f"#{name}" if re.fullmatch("[0-9a-f]{6}", name) else COLOURS["default"])


def svg(title, rows):
    width = round(COLUMNS * CELL + 2 * MARGIN)
    height = round(len(rows) * LINE + 2 * MARGIN)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'
        f'monospace" font-size="14">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#16181d"/>',
    ]
    for y, cells in enumerate(rows):
        x = 0
        for text, (fg, bold) in cells:
            stripped = text.strip()
            start = x + len(text) - len(text.lstrip())
            x += len(text)
            if not stripped:
                continue
            weight = ' font-weight="bold"' if bold else ""
            lines.append(
                f'<text x="{MARGIN + start * CELL:.1f}" y="{MARGIN + y * LINE + 13.5:.1f}" '
                f'textLength="{len(stripped) * CELL:.1f}" xml:space="preserve" '
                f'fill="{colour(fg)}"{weight}>{html.escape(stripped)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def training(tapehead, folder):
    """Draws the terminal during training of `sort`, after more than half of the steps, at an answer
    that is still wrong."""
    command = [tapehead, "train", "sort", "--eval-every", "100", "--out", "runs/sort"]
    best = None
    for screen in frames(command, folder):
        text = "\n".join(screen.display)
        done = re.findall(r"(\d+)% ", text)
        if done and int(done[-1]) < 60 and "out" in text and any(
                cell.fg == "red" for row in screen.buffer.values() for cell in row.values()):
            best = snapshot(screen)
    if best is None:
        sys.exit("pictures: found no screen with a wrong answer")
    prompt = [["$ tapehead train sort", ("blue", True)]]
    return svg("Training sort", [prompt, *best])


def screenshot(page, size, path):
    """Takes a screenshot of a page with chromium."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
                   None)
    if not browser:
        return print(f"pictures: chromium not found; {path} is unchanged")
    subprocess.run([browser, "--headless=new", "--no-sandbox", "--hide-scrollbars",
                    f"--window-size={size}", "--virtual-time-budget=3000",
                    f"--screenshot={ROOT}/{path}", f"file://{page}"], check=True,
                   stderr=subprocess.DEVNULL)


def pages(tapehead, folder):
    """Trains models, and takes screenshots of the pages that commands write about them."""
    def run(*words):
        subprocess.run([tapehead, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    run("train", "induction", "--keep", "20", "--eval-every", "20", "--out", "runs/induction")
    run("report", "runs/induction")
    screenshot(f"{folder}/runs/induction/report.html", "1200,1225", "docs/guides/report.png")
    run("explain", "runs/induction", "--out", "explain.html")
    screenshot(f"{folder}/explain.html#at=b38.0&see=38&state=1", "1280,1330", "docs/learn/explain-page.png")
    run("train", "induction", "--length", "12", "--symbols", "8", "--heads", "2", "--steps", "200",
        "--eval-every", "25", "--keep", "9", "--out", "runs/inside")
    run("inspect", "patch", "runs/inside", "--clean", "0 1 2 * 5 3 6 7 2 1 0 *", "--corrupted",
        "0 1 2 3 5 * 6 7 2 1 0 *", "--out", "patch.html")
    screenshot(f"{folder}/patch.html", "1200,1010", "docs/interpret/patch-page.png")
    run("inspect", "circuit", "runs/inside", "--out", "circuit.html")
    screenshot(f"{folder}/circuit.html", "1100,720", "docs/interpret/circuit-page.png")
    run("inspect", "heads", "runs/inside", "--checkpoints", "all", "--out", "heads.html")
    screenshot(f"{folder}/heads.html", "1000,970", "docs/interpret/heads-page.png")
    run("explain", "softmax(x @ w) * x", "x=[0,1;2,0]", "w=[1,2;3,4]", "--out",
        f"{ROOT}/docs/learn/explain-graph.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tapehead", metavar="PATH",
                        default=os.path.join(ROOT, "build/release/bin/tapehead"))
    tapehead = os.path.abspath(parser.parse_args().tapehead)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(ROOT, "docs/start/training.svg"), "w") as file:
            file.write(training(tapehead, folder))
        pages(tapehead, folder)


if __name__ == "__main__":
    main()
