"""Monitoring: what a run records, and how to watch it."""
import json
import re
import socket
import subprocess
import urllib.request
from pathlib import Path

from common import COMMAND, case, lines_of, python, shell, tapehead

TINY = "--layers 1 --heads 2 --width 16 --batch 8"
DIVERGES = f"train copy {TINY} --optimizer sgd --lr 1e20 --clip 0 --warmup 0 --eval-every 1"


def data_of(page):
    text = Path(page).read_text()
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])["runs"]


def interrupted(options, lines=1):
    """Trains, and interrupts it after a second, or later if it has written fewer lines of metrics
    by then (on a busy machine). Returns its output."""
    for seconds in (1, 5, 25):
        said = shell(f"rm -rf run; timeout --signal=INT {seconds} $T train sort {TINY} "
                     f"--steps 10000000 --eval-every 0 --out run {options}")
        if Path("run/metrics.jsonl").exists() and len(lines_of("run")) >= lines:
            break
    return said


@case(118, "metrics of a run that is stopped early")
def stopped():
    said = interrupted("")
    lines = lines_of("run")
    step = lines[-1]["step"] if lines else 0
    yield f"line of step {step}", f"interrupted after step {step} of" in said.text
    yield "row on the console", any(line.split()[:1] == [str(step)]
                                    for line in said.text.splitlines())
    said = tapehead("verify run")
    yield f"verify: {said.short}", said.status == 0 and f"to step {step}" in said.text
    interrupted("--log-every 7", 3)
    steps = [line["step"] for line in lines_of("run")]
    yield f"--log-every 7: {steps[:3]}", steps[:3] == [7, 14, 21]


@case("118b", "metrics in Python, before there are any", python=True)
def no_metrics():
    said = python("import os, tapehead\n"
                  "run = tapehead.train('copy', layers=1, width=16, steps=2, out='run')\n"
                  "os.remove('run/metrics.jsonl')\n"
                  "print(run.metrics, 'step' in run._repr_html_())")
    return said.short, said.text.strip() == "[] True"


@case(110, "report and export of a run that diverged")
def diverged():
    said = tapehead(f"{DIVERGES} --steps 20 --out run")
    yield said.short, said.status == 1
    said = tapehead("report run")
    yield said.short, said.status == 0
    [run] = data_of("run/report.html")
    notes = " ".join(run["notes"])
    yield notes, "Training diverged: step 2" in notes and "isn't finite" in notes and run["curves"]
    said = tapehead("export run run.onnx --format onnx")
    yield said.short, said.refused("model's output isn't finite")


@case(109, "a run whose steps are skipped")
def skipped():
    said = tapehead(f"{DIVERGES} --steps 60 --skip-bad-steps true --out run")
    yield said.short, said.status == 0 and "-nan" not in said.text + said.errors
    yield "nothing that would fail is recommended", "sample run" not in said.text
    said = tapehead("report run")
    notes = " ".join(data_of("run/report.html")[0]["notes"])
    yield notes, "59 steps were skipped" in notes and "validation loss at step 60" in notes
    said = tapehead("runs .")
    yield said.short, re.search(r"^run +diverged", said.text, re.M) is not None


@case(121, "samples and answers to prompts, by step")
def samples():
    Path("text.txt").write_text("the cat sat on the mat. " * 100)
    for options, prompt in (("", None), ("--prompt 'the cat'", "the cat")):
        shell("rm -rf run")
        said = tapehead(f"train text --data text.txt {TINY} --context 16 --steps 4 --eval-every 2 "
                        f"--out run {options}")
        yield said.short, said.status == 0
        tapehead("report run")
        texts = data_of("run/report.html")[0]["texts"] or []
        yield f"texts of steps {[each['step'] for each in texts]}", \
            [each["step"] for each in texts] == [2, 4]
        found = texts[-1]["samples"][0]
        yield f"{found['prompt']!r}", found["text"] != "" and prompt in (None, found["prompt"])


@case(123, "a page that is served")
def served():
    tapehead(f"train copy {TINY} --steps 20 --eval-every 10 --out run")
    server = subprocess.Popen([COMMAND, "report", "run", "--serve", "0"], stdout=subprocess.PIPE,
                              text=True)
    try:
        address = next(re.search(r"http://127.0.0.1:(\d+)/", line) for line in server.stdout
                       if "http://" in line)
        port = int(address[1])
        silent = socket.create_connection(("127.0.0.1", port), timeout=60)  # sends nothing
        page = urllib.request.urlopen(address[0], timeout=60).read().decode()
        silent.close()
        yield "the page", "20" in page and '"state":"finished"' in page.replace('": "', '":"')
        said = tapehead(f"report run --serve {port}")
        yield said.short, said.refused("in use")
        server.send_signal(2)
        yield "Ctrl-C ends it", server.wait(timeout=60) == 0
    finally:
        server.kill()
