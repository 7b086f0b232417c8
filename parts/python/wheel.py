#!/usr/bin/env python3
"""Creates a wheel of a built command: python3 wheel.py --command FILE --platform NAME --out DIR

The wheel contains the command, which pip installs as a script, and the package tapehead; with
--core also the compiled module. Equal files give a bitwise identical wheel.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import re
import struct
import sys
import time
import tomllib
import zipfile

here = pathlib.Path(__file__).resolve().parent


def is_static(file):
    """Returns whether an ELF file is statically linked: no program header names an interpreter."""
    start, = struct.unpack_from("<Q", file, 32)
    size, count = struct.unpack_from("<HH", file, 54)
    interpreter = 3  # PT_INTERP
    return all(struct.unpack_from("<I", file, start + i * size)[0] != interpreter
               for i in range(count))


def linux(machine, arch):
    def tags(file):
        if file[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", file, 18)[0] != machine:
            return None
        if not is_static(file):
            return [f"linux_{arch}"]  # only for systems with the same libraries
        return [f"manylinux_2_17_{arch}", f"manylinux2014_{arch}", f"musllinux_1_1_{arch}"]
    return tags


def windows(file):
    header = struct.unpack_from("<I", file, 60)[0] if file[:2] == b"MZ" else 0
    is_amd64 = header and file[header:header + 6] == b"PE\0\0\x64\x86"
    return ["win_amd64"] if is_amd64 else None


def macos(cpu, arch):
    def tags(file):
        magic, found, _, _, commands = struct.unpack_from("<5I", file)
        if magic != 0xfeedfacf or found != cpu:
            return None
        at, least = 32, None
        for _ in range(commands):
            command, size = struct.unpack_from("<2I", file, at)
            if command == 0x32:  # LC_BUILD_VERSION: platform, minimum version
                least, = struct.unpack_from("<I", file, at + 12)
            elif command == 0x24:  # LC_VERSION_MIN_MACOSX
                least, = struct.unpack_from("<I", file, at + 8)
            at += size
        if least is None:
            raise ValueError("has no minimum macOS version")
        major, minor = least >> 16, least >> 8 & 255
        return [f"macosx_{major}_{0 if major > 10 else minor}_{arch}"]  # always 0 since macOS 11
    return tags


# For each platform, a function that returns pip's tags, or None for another platform's file.
platforms = {
    "linux-x86_64": linux(62, "x86_64"),
    "linux-aarch64": linux(183, "aarch64"),
    "windows-x86_64": windows,
    "macos-x86_64": macos(0x01000007, "x86_64"),
    "macos-aarch64": macos(0x0100000c, "arm64"),
}


def platform_tags(path, platform):
    file = path.read_bytes()
    try:
        tags = platforms[platform](file)
        if tags:
            return tags
        reason = f"isn't a program for {platform}"
    except struct.error:
        reason = "is truncated"
    except ValueError as error:
        reason = error
    raise SystemExit(f"wheel.py: {path}: {reason}")


def python_tag(core):
    """Returns the Python tag in a module's name: cp311 for _core.cp311-win_amd64.pyd."""
    found = re.fullmatch(r"_core\.(?:cpython-|cp)(\d+)-[\w-]+\.(so|pyd)", core.name)
    if not found:
        raise SystemExit(f"wheel.py: {core}: isn't named like a compiled module of CPython, such as "
                         "_core.cpython-311-x86_64-linux-gnu.so")
    return f"cp{found[1]}"


def tag_of_modules(cores, arch):
    """Returns the manylinux tag of the glibc that modules need, or linux_ARCH if they also need
    other libraries."""
    of_glibc = {b"libc.so.6", b"libm.so.6", b"libpthread.so.0", b"libdl.so.2", b"librt.so.1",
                b"ld-linux-x86-64.so.2", b"ld-linux-aarch64.so.1"}
    least = 17
    for file in [core.read_bytes() for core in cores]:
        if not of_glibc.issuperset(re.findall(rb"\0((?:lib|ld-)[\w+.-]+\.so[.\d]*)(?=\0)", file)):
            return f"linux_{arch}"  # only for systems with the same libraries
        least = max([least, *map(int, re.findall(rb"\0GLIBC_2\.(\d+)", file))])
    return f"manylinux_2_{least}_{arch}"


def metadata(project, with_core, license):
    needs = [f"Requires-Dist: {name}" for name in project["dependencies"]]
    if not with_core:  # without the compiled module, only arrays need NumPy
        needs = [f"Provides-Extra: {name}\n{need}; extra == '{name}'"
                 for need, name in zip(needs, project["dependencies"])]
    readme = (here / "../../README.md").read_text("utf-8")
    return "\n".join([
        "Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {project['version']}",
        f"Summary: {project['description']}", f"License-File: {license}",
        f"Requires-Python: {project['requires-python']}", *needs,
        "Description-Content-Type: text/markdown", "", readme])


def contents(project, command, cores, platform, tags, license):
    """Returns the bytes of each file in the wheel by name, without RECORD."""
    stem = f"{project['name']}-{project['version']}"
    files = {f"{stem}.data/scripts/tapehead" + (".exe" if platform == "windows-x86_64" else ""):
             command.read_bytes()}
    for path in sorted((here / "tapehead").iterdir()):
        if path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed":
            files[f"tapehead/{path.name}"] = path.read_bytes()
    for core in cores:
        files[f"tapehead/{core.name}"] = core.read_bytes()
    wheel = ["Wheel-Version: 1.0", "Generator: parts/python/wheel.py", "Root-Is-Purelib: false",
             *(f"Tag: {tag}" for tag in tags)]
    files[f"{stem}.dist-info/WHEEL"] = "\n".join(wheel + [""]).encode()
    files[f"{stem}.dist-info/METADATA"] = metadata(
        project, bool(cores), license.name).encode()
    files[f"{stem}.dist-info/licenses/{license.name}"] = license.read_bytes()
    return files


def record(files, name):
    def line(path, content):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        return f"{path},sha256={digest},{len(content)}\n"
    return ("".join(line(*file) for file in sorted(files.items())) + f"{name},,\n").encode()


def write(path, files):
    """Writes an archive whose bytes depend only on the files and on SOURCE_DATE_EPOCH."""
    first = 315532800  # 1980, the earliest time in ZIP archives
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", first)), first))[:6]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files:
            entry = zipfile.ZipInfo(name, date)
            entry.create_system = 3  # Unix permissions
            entry.external_attr = (0o100755 if ".data/scripts/" in name else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--command", type=pathlib.Path, required=True, metavar="FILE",
                        help="the command, for that platform")
    parser.add_argument("--platform", choices=platforms, required=True)
    parser.add_argument("--core", type=pathlib.Path, nargs="*", default=[], metavar="FILE",
                        help="compiled modules, _core.*, each for one Python")
    parser.add_argument("--licenses", type=pathlib.Path, metavar="FILE",
                        default=here / "../../LICENSE",
                        help="license of everything compiled into them [Tapehead's LICENSE]")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    given = parser.parse_args()
    project = tomllib.loads((here / "pyproject.toml").read_text("utf-8"))["project"]
    for path in [given.command, *given.core]:
        if not path.is_file():
            raise SystemExit(f"wheel.py: {path}: no such file")
    systems = platform_tags(given.command, given.platform)
    pythons = sorted({python_tag(core) for core in given.core})
    if given.core and given.platform.startswith("linux"):
        systems = [tag_of_modules(given.core, given.platform.partition("-")[2])]
    abis = pythons or ["none"]
    pythons = pythons or ["py3"]
    tags = [f"{python}-{abi}-{system}" for python in pythons for abi in abis for system in systems]
    name = "-".join([project["name"], project["version"], ".".join(pythons), ".".join(abis),
                     ".".join(systems)])
    files = contents(project, given.command, given.core, given.platform, tags,
                     given.licenses)
    record_name = f"{project['name']}-{project['version']}.dist-info/RECORD"
    given.out.mkdir(parents=True, exist_ok=True)
    wheel = given.out / f"{name}.whl"
    # RECORD comes last, as recommended for wheels.
    write(wheel, [*sorted(files.items()), (record_name, record(files, record_name))])
    print(wheel)


if __name__ == "__main__":
    sys.exit(main())
