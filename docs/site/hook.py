"""mkdocs hook: selects and orders the pages of the site, and converts GitHub's Markdown to mkdocs's
Markdown."""

import logging
import os
import posixpath
import re
import shlex
from base64 import b64encode
from html import escape
from pathlib import Path
from urllib.parse import quote, unquote_plus

from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

ROOT = Path(__file__).resolve().parents[2]
INDEX = "docs/README.md"
KIT = "docs/learn/class-kit.md"
SLIDES = "docs/learn/slides.md"
# The HTML page that contains the command, if it was built.
WEB = Path(os.environ.get("TAPEHEAD_WEB", ROOT / "build/web/tapehead.html"))
SHEET = "sheets/wrong-gradient.html"  # built with that page
# Whether to build only the folder for a class: the class kit and the pages that a class needs.
CLASS = "TAPEHEAD_CLASS" in os.environ
TASKS = set("""add copy dyck induction majority modular mqar parity recall regression reverse select
    sort translate""".split())  # tasks that read no file
KATEX = Path("/usr/share/javascript/katex")

log = logging.getLogger("mkdocs.tapehead")  # with this name, --strict counts its warnings
source_url = ""  # the repository's address, if CMakeLists.txt has it

# ---- parsing code and links in Markdown

TOKEN = re.compile(
    r"^(?P<indent> *)```(?P<language>\S*).*?\n(?P<code>.*?)^ *```$"
    r"|(?P<span>`+)(?:.*?[^`])?(?P=span)(?!`)"
    r"|(?P<image>!?)\[(?P<label>(?:[^][]|\[[^][]*\])*)\]\((?P<target>[^()\s]+)\)",
    re.MULTILINE | re.DOTALL,
)


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def resolve(page, target):
    """Returns the path in the repository of a link's target, or '' for an external link."""
    if re.match(r"[a-z]+:|#", target):
        return ""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), target.partition("#")[0]))


def links(page, text=None):
    """Yields (label, path) for each link in a page whose target is in the repository."""
    for token in TOKEN.finditer(read(page) if text is None else text):
        if token["target"] and (path := resolve(page, token["target"])):
            yield " ".join(token["label"].split()), path


def is_shown(path):
    if CLASS and not path.startswith(("docs/learn/", "parts/learn/", "docs/start/browser.")):
        return False
    return path.endswith((".md", ".png", ".svg")) and (ROOT / path).is_file()


def reached():
    """Returns all pages and pictures that the first page links to, directly or through others."""
    found = [KIT if CLASS else "README.md"]
    for path in found:
        if path.endswith(".md"):
            found += dict.fromkeys(p for _, p in links(path) if is_shown(p) and p not in found)
    return found


# ---- order of pages, as in docs/README.md and the README.md of each folder


def navigation(pages):
    contents = read(INDEX).partition("\n## ")[0]
    sections = re.split(r"^- ", contents, flags=re.MULTILINE)[1:]
    listed = {path for section in sections for _, path in links(INDEX, section)} | {INDEX}
    entries = []
    for section in sections:
        title = re.match(r"\W*([\w ]+)", section)[1]
        inside, rest = [], []
        for label, path in links(INDEX, section):
            if not path.endswith(".md"):
                continue
            folder = posixpath.dirname(path) + "/"
            below = [] if not path.endswith("/README.md") else list(dict.fromkeys(
                p for _, p in links(path)
                if p.startswith(folder) and p.endswith(".md") and p in pages and p not in listed))
            listed.update(below)
            if below and inside:
                inside.append({label[0].upper() + label[1:]: [path, *below]})
            else:
                inside.append({"Slides": path} if path == SLIDES else path)
                rest += below
        entries.append({title: inside + rest})
    about = [page for page in pages if page not in listed and page != "README.md"]
    return [{"Tapehead": ["README.md", INDEX, *about]}, *entries]


def on_config(config):
    global source_url
    found = re.search(r'HOMEPAGE_URL\s+"?(https?://[^\s")]+)', read("CMakeLists.txt"))
    source_url = found[1].rstrip("/") + "/blob/HEAD/" if found else ""
    pages = [path for path in reached() if path.endswith(".md")]
    config.extra["formulas"] = KATEX.is_dir()
    if CLASS:
        config.extra["homepage"] = "index.html"  # from a disk, a folder would show its files
        config.nav = [{"Slides": page} if page == SLIDES else page for page in pages]
        return config
    for path in sorted(p.relative_to(ROOT).as_posix() for pattern in
                       ("*.md", "docs/**/*.md", "parts/*.md", "parts/*/*.md")
                       for p in ROOT.glob(pattern)):
        if path not in pages:
            log.warning(f"no page links to {path}")
    config.nav = navigation(pages)
    return config


def on_files(files, config):
    def add(path, folder):
        files.append(File(path, str(folder), config.site_dir, config.use_directory_urls))

    for path in reached():
        add(path, ROOT)
    if WEB.is_file():
        add(WEB.name, WEB.parent)
        add(SHEET, WEB.parent)
    else:
        log.info(f"{WEB} isn't built: the site lacks the page to try commands in")
    if KATEX.is_dir():
        for file in [KATEX / "katex.min.js", KATEX / "katex.min.css", *KATEX.glob("fonts/*.woff2")]:
            add(file.relative_to(KATEX.parent).as_posix(), KATEX.parent)
    return files


# ---- commands that run in the browser


def in_page(command):
    """Returns the arguments of a command that the browser's page can run; None for a command that
    needs a shell or files, or that contains a placeholder."""
    line = re.sub(r"\s*\\\n\s*", " ", command).removeprefix("tapehead ")
    line = re.sub(r" --out runs/\S+", "", line)  # the page names runs itself
    try:
        shell = shlex.shlex(line, posix=True, punctuation_chars=True)
        shell.whitespace_split = True
        words = list(shell)
    except ValueError:  # a quote isn't closed
        return None
    # Rejects shell syntax, files, placeholders, and slow commands.
    elsewhere = r"^[();<>|&]+$|[$`…]|^[\w.]+/|\.[a-z]{2,}$|^[A-Z]+$|^\.\.\.$|^--(preset|into|record)$"
    if not words or any(re.search(elsewhere, word) for word in words):
        return None
    first, second = (words + [""])[:2]
    able = {
        "train": second in TASKS,
        "explain": second != "",
        "compare": second != "",
        "learn": second in ("", "rule", "fault") or second.isdigit(),
        "gradcheck": True,
        "ops": True,
        "tasks": True,
    }
    return line if able.get(first) else None


def web_link(page, line, files):
    """Returns a link from a page of the site to the browser's page that runs the command line; None
    if that page wasn't built."""
    if WEB.name not in files:
        return None
    fragment = "#" + quote(line, safe="") if line else ""
    return get_relative_url(WEB.name, posixpath.dirname(page) + "/") + fragment


# ---- conversion of GitHub's Markdown to mkdocs's


def on_page_markdown(markdown, page, config, files):
    path = page.file.src_uri

    def block(token):
        indent, language, code = token["indent"], token["language"], token["code"]
        text = f"{indent}```{language}\n{code}{indent}```\n"
        note = token[0].splitlines()[0].strip()[len("```" + language):]
        first = re.match(r"\$ (tapehead (?:.*\\\n)*.*)", code)
        line = in_page(first[1]) if first and language == "console" and not note else None
        url = web_link(path, line, files) if line else None
        if not url:
            return text
        title = escape(f"tapehead {line}")
        return f'{text}\n{indent}<p class="try"><a href="{url}" title="{title}">Try it</a></p>\n'

    def link(token):
        label, target = token["label"], token["target"]
        leads_to = resolve(path, target)
        if token["image"] or not leads_to or leads_to in files:
            return token[0]
        if not (ROOT / leads_to).exists():
            log.warning(f"{path} links to {target}, which doesn't exist")
        if source_url:
            return f"[{label}]({source_url}{leads_to})"
        shown = leads_to + "/" * (ROOT / leads_to).is_dir()
        return f"`{shown}`" if label.strip("`") in shown else f"{label} (`{shown}`)"

    def span(token):
        command = " ".join(token[0].strip("`").split())
        if command.startswith("tapehead "):
            line = in_page(command)
        else:  # can be an address of the browser's page
            name, _, fragment = command.partition("#")
            line = unquote_plus(fragment) if name == WEB.name else None
        url = web_link(path, line, files) if line is not None else None
        if command == SHEET and SHEET in files:
            url = get_relative_url(SHEET, posixpath.dirname(path) + "/")
        return f"[{token[0]}]({url})" if url else token[0]

    def replace(token):
        kind = block if token["code"] is not None else link if token["target"] else span
        return kind(token)

    if path == SLIDES:
        page.meta["template"] = "slides.html"
    text = TOKEN.sub(replace, markdown)
    if path == "README.md" and (url := web_link(path, "train reverse", files)):
        before, program, after = text.partition("\n```cpp")
        text = before + LIVE.format(url=url) + program + after
    return text


LIVE = """
<p class="live"><a href="{url}">Train a model in this browser</a>: the whole command in one page,
without a server.</p>
"""


def on_page_content(html, page, config, files):
    """Writes the slides as one HTML file: a section for each heading, with embedded pictures."""
    if page.file.src_uri != SLIDES:
        return html

    def picture(source):
        file = (Path(page.file.abs_dest_path).parent / source[1]).resolve()
        path = file.relative_to(Path(config.site_dir).resolve()).as_posix()
        data = b64encode((ROOT / path).read_bytes()).decode()
        return f'src="data:image/svg+xml;base64,{data}"'

    html = re.sub(r'src="([^":]+\.svg)"', picture, html)
    slides = re.split(r"(?=<h[12] )", html)
    return "".join(f"<section>{slide}</section>" for slide in slides if slide)


def on_post_build(config):
    """Writes the search index also as a script, for from-disk.js in pages opened as files. Adds a
    link to the class kit to the page of the command."""
    site = Path(config.site_dir)
    index = (site / "search/search_index.json").read_text(encoding="utf-8")
    (site / "search/search_index.js").write_text(f"searchIndex({index})", encoding="utf-8")
    kit = KIT.replace(".md", ".html")
    if (page := site / WEB.name).is_file():
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("<html ", f'<html data-kit="{kit}" ', 1), encoding="utf-8")
    if CLASS:
        (site / "index.html").write_text(START.format(kit=kit), encoding="utf-8")


START = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Tapehead</title>
<meta http-equiv="refresh" content="0; url={kit}">
<a href="{kit}">Class kit</a>
"""
