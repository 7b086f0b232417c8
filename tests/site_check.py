#!/usr/bin/env python3
"""Builds the documentation site and the folder for a class in strict mode and checks their pages.
The pages must load nothing from other sites, internal links must lead to existing pages and
headings, and links to the command's page must have command lines that it supports."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.text = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        for name in ("href", "src"):
            if name in attributes:
                loaded = name == "src" or tag == "link"
                self.links.append((attributes[name], loaded))

    def handle_data(self, data):
        self.text.append(data)


COMMANDS = ("train reverse", "explain 'tanh(x*w + b)' x=2 w=-3 b=6.8813735870195432",
            "learn fault --seed 38")


def check(site):
    pages = {path: Page(path) for path in site.rglob("*.html")}
    lines = {unquote(link.partition("#")[2]) for page in pages.values() for link, _ in page.links
             if urlsplit(link).path.endswith("tapehead.html")}
    for line in COMMANDS:
        if line not in lines:
            yield f"no link runs {line}"
    if not any(line.startswith("sheet ") for line in lines):
        yield "no link opens a worksheet"
    kit = 'data-kit="docs/learn/class-kit.html"'
    if kit not in (site / "tapehead.html").read_text(encoding="utf-8"):
        yield f"tapehead.html lacks {kit}"
    if not (site / "index.html").is_file():
        yield "index.html is missing"
    for line in sorted(lines):
        if re.search(r" [|>&]+ | --out |\bruns/", line):
            yield f"a link needs a shell or a file: {line}"
    for path, page in sorted(pages.items()):
        name = path.relative_to(site)
        if re.search(r"^\|[ :-]*-\|", "".join(page.text), re.MULTILINE):
            yield f"{name}: a broken table"
        for link, loaded in page.links:
            url = urlsplit(link)
            if url.scheme == "data" or name.name == "404.html":
                continue
            if url.scheme or url.netloc:
                if loaded:
                    yield f"{name} loads {link}"
                continue
            target = path if not url.path else (path.parent / unquote(url.path)).resolve()
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                yield f"{name} links to {link}, which doesn't exist"
            elif url.fragment and target in pages and target.name != "tapehead.html":
                if unquote(url.fragment) not in pages[target].ids:
                    yield f"{name} links to {link}, but there is no such heading"
    for path in site.rglob("*.css"):
        if re.search(r"(@import|url\()[\"' ]*(https?:)?//", path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)} loads something from another site"


def main():
    if not shutil.which("mkdocs"):
        print("\nskipped docs/site: mkdocs isn't installed; ./dev site installs it")
        return 0
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        # Placeholders for the page of the command, and the worksheet.
        web, sheets = Path(folder) / "tapehead.html", Path(folder) / "sheets"
        sheets.mkdir()
        for file in (web, sheets / "wrong-gradient.html"):
            file.write_text('<!doctype html><html lang="en">', encoding="utf-8")
        for name, choice in (("site", {}), ("class", {"TAPEHEAD_CLASS": "1"})):
            site = Path(folder).resolve() / name
            built = subprocess.run(
                ["mkdocs", "build", "--strict", "-f", "docs/site/mkdocs.yml", "--site-dir", site],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                env=os.environ | {"TAPEHEAD_WEB": str(web)} | choice)
            found = [built.stdout] if built.returncode else check(site)
            faults += [f"{name}: {fault}" for fault in found]
    print("\n".join(faults))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
