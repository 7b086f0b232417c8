"""The environment of the measurements: library versions, the processor, and its load."""
import os
import platform
import subprocess
import sys

FLAGS = ("avx2", "fma", "avx512f", "avx512_bf16", "amx_bf16")


def version_here(library):
    """Returns the version of a Python library, or None if it can't be imported."""
    done = subprocess.run([sys.executable, "-c", f"import {library}; print({library}.__version__)"],
                          capture_output=True, text=True)
    return done.stdout.strip() or None


def processor():
    found = {}
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                key, _, value = line.partition(":")
                found.setdefault(key.strip(), value.strip())
    except OSError:
        pass  # no /proc/cpuinfo: use the name of the architecture
    flags = found.get("flags", "").split()
    return {
        "name": found.get("model name", platform.processor() or platform.machine()),
        "processors": len(os.sched_getaffinity(0)),  # available to this process
        "flags": [flag for flag in FLAGS if flag in flags],
        "load": os.getloadavg()[0],  # load average of the last minute
    }


def processor_name():
    """Returns the processor's name and its widest vector unit; "AMD EPYC" alone names several
    generations."""
    here = processor()
    return f"{here['name']} with {(here['flags'] or ['no vectors'])[-1]}"
