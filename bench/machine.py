"""What the results depend on besides the programs: versions, the processor, its load."""
import os
import platform
import signal
import subprocess
import sys

FLAGS = ("avx2", "fma", "avx512f", "avx512_bf16", "amx_bf16")


PROBE = """
import torch
print(torch.__version__, flush=True)
x = torch.ones(64, 64, dtype=torch.bfloat16)
torch.nn.functional.linear(x, x, x[0])
"""
WITHOUT_AMX = {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_FP16"}


def torch_here():
    """-> the version of the PyTorch that this Python imports, None without one, and what its
    processes need in their environment. Some virtual machines announce AMX without describing its
    tiles; PyTorch's bf16 products then end in an illegal instruction, unless AMX is disabled."""
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True)
    if not done.stdout:
        return None, {}
    return done.stdout.strip(), WITHOUT_AMX if done.returncode == -signal.SIGILL else {}


def jax_here():
    """-> the version of the JAX that this Python imports, None without one"""
    done = subprocess.run([sys.executable, "-c", "import jax; print(jax.__version__)"],
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
        pass  # not Linux: use the architecture's name
    flags = found.get("flags", "").split()
    return {
        "name": found.get("model name", platform.processor() or platform.machine()),
        "processors": len(os.sched_getaffinity(0)),  # that this process may run on
        "flags": [flag for flag in FLAGS if flag in flags],
        "load": os.getloadavg()[0],  # average number of runnable processes in the last minute
    }


def processor_name():
    """-> the name with the widest unit, as "AMD EPYC" is the name of several generations"""
    here = processor()
    return f"{here['name']} with {(here['flags'] or ['no vectors'])[-1]}"


def has_bf16(machine):
    return any(flag in machine["flags"] for flag in ("avx512_bf16", "amx_bf16"))
