"""Tests of wheels of the command: their contents, and the features when installed."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import venv
import zipfile

import numpy
import pytest

COMMAND = os.environ.get("TAPEHEAD_COMMAND")
SCRIPT = pathlib.Path(__file__).parents[1] / "wheel.py"


def call(*words, status=0, **named):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **named)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stderr.strip() if status else done.stdout.strip()


def make(out, command, platform, *words, **named):
    return call(sys.executable, SCRIPT, "--command", command, "--platform", platform, "--out", out,
                *words, **named)


def elf(machine, *segments):
    """Returns a 64-bit ELF file for a machine, with segments of these types."""
    start = struct.pack("<16s2HI3QI6H", b"\x7fELF\2\1\1", 3, machine, 1, 0, 64, 0, 0, 64, 56,
                        len(segments), 0, 0, 0)
    return start + b"".join(struct.pack("<I52x", kind) for kind in segments)


def mach(cpu, major, minor):
    command = struct.pack("<6I", 0x32, 24, 1, major << 16 | minor << 8, 0, 0)
    return struct.pack("<8I", 0xfeedfacf, cpu, 0, 2, 1, len(command), 0, 0) + command


PE = b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", 0x8664)
LINUX = "manylinux_2_17_{0}.manylinux2014_{0}.musllinux_1_1_{0}"


@pytest.mark.parametrize("file, platform, tag", [
    (elf(62, 1, 2), "linux-x86_64", LINUX.format("x86_64")),
    (elf(183, 1), "linux-aarch64", LINUX.format("aarch64")),
    (elf(62, 1, 3), "linux-x86_64", "linux_x86_64"),  # segment 3 names a dynamic linker
    (PE, "windows-x86_64", "win_amd64"),
    (mach(0x01000007, 10, 15), "macos-x86_64", "macosx_10_15_x86_64"),
    (mach(0x0100000c, 11, 3), "macos-aarch64", "macosx_11_0_arm64")])
def test_tags_are_those_of_the_file(tmp_path, file, platform, tag):
    (tmp_path / "command").write_bytes(file)
    wheel = pathlib.Path(make(tmp_path, tmp_path / "command", platform))
    assert wheel.name.removesuffix(".whl").split("-")[2:] == ["py3", "none", tag]
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if ".data/" in name]
        assert name.endswith("scripts/tapehead" + ".exe" * (platform == "windows-x86_64"))
        assert archive.read(name) == file
        assert archive.getinfo(name).external_attr >> 16 == 0o100755
        written = archive.read(f"{name.partition('.data')[0]}.dist-info/WHEEL").decode()
    assert written.count("Tag: ") == len(tag.split("."))


@pytest.mark.parametrize("file, platform, text", [
    (elf(62, 1), "linux-aarch64", "isn't a program for linux-aarch64"),
    (elf(62, 1)[:30], "linux-x86_64", "is truncated"),
    (b"#!/bin/sh\n" * 9, "macos-x86_64", "isn't a program for macos-x86_64"),
    (PE[:-2] + b"LL", "windows-x86_64", "isn't a program for windows-x86_64")])
def test_other_files_are_refused(tmp_path, file, platform, text):
    (tmp_path / "command").write_bytes(file)
    assert make(tmp_path, tmp_path / "command", platform,
                status=1) == f"wheel.py: {tmp_path}/command: {text}"


def test_a_compiled_module_names_its_python(tmp_path):
    command, core = tmp_path / "command", tmp_path / "_core.cpython-311-x86_64-linux-gnu.so"
    command.write_bytes(elf(62, 1))
    for needs, tag in [(b"libm.so.6 libc.so.6 GLIBC_2.2.5 GLIBC_2.3", "manylinux_2_17_x86_64"),
                       (b"libc.so.6 GLIBC_2.34", "manylinux_2_34_x86_64"),
                       (b"libc.so.6 libstdc++.so.6 GLIBC_2.2.5", "linux_x86_64")]:
        core.write_bytes(b"\0" + needs.replace(b" ", b"\0") + b"\0")
        wheel = make(tmp_path, command, "linux-x86_64", "--core", core)
        assert wheel.endswith(f"-cp311-cp311-{tag}.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert f"tapehead/{core.name}" in archive.namelist()
        [metadata] = [name for name in archive.namelist() if name.endswith("METADATA")]
        assert "\nRequires-Dist: numpy\n" in archive.read(metadata).decode()
    assert "isn't named like a compiled module" in make(tmp_path, command, "linux-x86_64", "--core",
                                                      command, status=1)


def test_the_same_files_make_the_same_bytes(tmp_path):
    command = tmp_path / "command"
    command.write_bytes(elf(62, 1) + bytes(range(256)) * 99)
    first = make(tmp_path / "a", command, "linux-x86_64")
    os.utime(command, (1, 1))
    again = make(tmp_path / "b", command, "linux-x86_64")
    assert pathlib.Path(first).read_bytes() == pathlib.Path(again).read_bytes()
    dated = make(tmp_path / "c", command, "linux-x86_64",
                 env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"})
    with zipfile.ZipFile(dated) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(2023, 11, 14, 22, 13, 20)}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Installs the wheel in a new environment without NumPy. Returns the folder of programs."""
    pytest.importorskip("pip")
    if not COMMAND:
        pytest.skip("TAPEHEAD_COMMAND names no command")
    folder = tmp_path_factory.mktemp("installed")
    wheel = make(folder, COMMAND, "linux-" + os.uname().machine)
    venv.create(folder / "venv")
    call(sys.executable, "-m", "pip", "--python", folder / "venv/bin/python", "install", "--no-index",
         "--no-deps", "--disable-pip-version-check", wheel)
    return folder / "venv/bin"


def python(installed, program, folder, with_numpy=False, **named):
    paths = str(pathlib.Path(numpy.__file__).parents[1]) if with_numpy else ""
    program = f"import sys, tapehead\nsys.path += {[paths]}\n" + program
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return call(installed / "python", "-c", program, cwd=folder, env=outside, **named)


def test_the_command_is_there(installed, tmp_path):
    said = call(installed / "tapehead", "train", "copy", "--steps", 20, "--out", tmp_path / "a")
    assert "done in" in said and (tmp_path / "a/model.safetensors").exists()
    assert (installed / "tapehead").read_bytes() == pathlib.Path(COMMAND).read_bytes()


@pytest.mark.skipif(not shutil.which("cmake"), reason="cmake isn't installed")
def test_what_needs_the_library_says_so(installed, tmp_path):
    call(installed / "tapehead", "learn", "softmax", "--into", tmp_path / "d")
    done = subprocess.run([installed / "tapehead", "learn", "check", tmp_path / "d"],
                          capture_output=True, text=True)
    assert "  the C++ library isn't installed, only the command;" in done.stdout + done.stderr


def test_runs_without_numpy(installed, tmp_path):
    said = python(installed, """
run = tapehead.train("copy", layers=1, width=16, steps=5, eval_every=5)
print(run, run.evaluate(8)["examples"], len(run.sample(samples=2, examples=1)))
for f in (lambda: run.weights, run.attention):
    try:
        f()
    except ImportError as error:
        print(error)
""", tmp_path)
    wanted = "tapehead: arrays need NumPy; run pip install numpy"
    assert said.splitlines() == ["<run runs/copy-0: copy, step 5> 8 2", wanted, wanted]


def test_runs_with_numpy(installed, tmp_path):
    said = python(installed, """
tapehead.train("copy", layers=1, width=16, steps=5, eval_every=5, out="a")
run = tapehead.load("a")
print(run.weights["tokens.weight"].shape, run.attention()[0].weights.shape, run.sample()[0].right)
""", tmp_path, with_numpy=True)
    assert said == "(16, 16) (2, 31, 31) False"


def test_what_needs_the_compiled_module_says_so(installed, tmp_path):
    said = json.loads(python(installed, """
import json
from tapehead import _command
lines = {}
for name in [*_command.compiled, *tapehead.ops]:
    try:
        exec(f"from tapehead import {name}")
    except ImportError as error:
        lines[name] = str(error)
run = tapehead.train("copy", layers=1, width=16, steps=5, eval_every=5)
for name in _command.compiled_of_runs:
    try:
        getattr(run, name)
    except AttributeError as error:
        lines["run." + name] = str(error)
print(json.dumps([lines, hasattr(tapehead, "nothing"), hasattr(run, "nothing")]))
""", tmp_path))
    lines, *others = said
    assert {"Tape", "tensor", "softmax", "gradcheck", "run.logits"} < lines.keys() and len(lines) > 80
    for name, line in lines.items():
        whole = name.replace("run.", "a run's ") if "." in name else f"tapehead.{name}"
        assert line == (f"{whole} needs the compiled module: in a checkout, "
                        "pip install ./parts/python")
    assert others == [False, False]


def test_without_the_command(installed, tmp_path):
    alone = tmp_path / "tapehead"
    shutil.copytree(next(installed.parent.glob("lib/python*/site-packages/tapehead")), alone)
    said = call(sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
                "import tapehead\ntapehead.load('a')", status=1,
                env={"PATH": "", "HOME": str(tmp_path)}, cwd=tmp_path)
    assert said.splitlines()[-1].startswith("FileNotFoundError: tapehead: the command is neither in")
