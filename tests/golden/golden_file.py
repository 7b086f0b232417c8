"""Shared by the generators of golden values: seeded cases, and the safetensors file."""
import json
import struct
import zlib
from pathlib import Path

import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


class GoldenFile:
    """Cases of named tensors. Tensor t of case c is stored as `c/t`; floats as F64, whole numbers
    and truth values as I32. The metadata says which torch made them ("torch") and, as a JSON object
    ("cases"), the options of each case."""

    def __init__(self, name):
        self.path = Path(__file__).parent / f"{name}.safetensors"
        self.cases, self.tensors = {}, {}

    def case(self, name, **options):
        """Starts a case. Random numbers depend only on its name."""
        assert name not in self.cases and "/" not in name, name
        self.cases[name] = options
        torch.manual_seed(zlib.crc32(name.encode()))
        return self

    def add(self, **tensors):
        """Adds tensors to the current case; omits None."""
        for key, value in tensors.items():
            self.add_named({key: value})

    def add_named(self, tensors, prefix=""):
        case = next(reversed(self.cases))
        for key, value in tensors.items():
            if value is None:
                continue
            value = torch.as_tensor(value).detach()
            kind = torch.float64 if value.is_floating_point() else torch.int32
            assert not value.isnan().any(), (case, key)
            assert f"{case}/{prefix}{key}" not in self.tensors, (case, key)
            self.tensors[f"{case}/{prefix}{key}"] = value.to(kind).contiguous()

    def differentiate(self, y, inputs):
        """Stores y, a random cotangent dy, each input, and d.input for those that require gradients."""
        dy = torch.randn_like(y)
        y.backward(dy)
        self.add(y=y, dy=dy)
        self.add_named(inputs)
        self.add_named({k: x.grad for k, x in inputs.items() if x is not None}, "d.")

    def write(self):
        header = {"__metadata__": {"torch": torch.__version__, "cases": json.dumps(self.cases)}}
        data = b""
        for kind, code in ((torch.float64, "F64"), (torch.int32, "I32")):
            for name, x in self.tensors.items():
                if x.dtype != kind:
                    continue
                values = x.flatten().tolist()
                chunk = struct.pack(f"<{len(values)}{'d' if code == 'F64' else 'i'}", *values)
                header[name] = {
                    "dtype": code,
                    "shape": list(x.shape),
                    "data_offsets": [len(data), len(data) + len(chunk)],
                }
                data += chunk
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        self.path.write_bytes(struct.pack("<Q", len(text)) + text + data)
        print(f"{self.path.name}: {len(self.cases)} cases, {self.path.stat().st_size} bytes")


def normal(*shape, scale=1.0):
    """Returns normal numbers that require a gradient."""
    return (torch.randn(*shape) * scale).requires_grad_()
