# SPDX-License-Identifier: Apache-2.0
"""Types of elements, by the names that experiment files have, and comparing what a kernel wrote."""

from __future__ import annotations

import array
import math
import struct
from dataclasses import dataclass
from typing import Any, Iterable, List, Sequence, Tuple

# name: (bytes, code of the modules array and struct; "" = converted here)
ELEMENTS = {"f16": (2, "e"), "bf16": (2, ""), "f32": (4, "f"), "f64": (8, "d"), "i8": (1, "b"),
            "u8": (1, "B"), "i16": (2, "h"), "u16": (2, "H"), "i32": (4, "i"), "u32": (4, "I"),
            "i64": (8, "q"), "u64": (8, "Q")}

# NumPy's type strings (also of __cuda_array_interface__) to names; V2 is how bf16 is passed on.
TYPE_STRINGS = {"f2": "f16", "V2": "bf16", "f4": "f32", "f8": "f64", "i1": "i8", "u1": "u8",
                "b1": "u8", "i2": "i16", "u2": "u16", "i4": "i32", "u4": "u32", "i8": "i64",
                "u8": "u64"}


def element_bytes(type: str) -> int:
    if type not in ELEMENTS:
        raise ValueError(f"'{type}' is no type of elements; there are {' '.join(ELEMENTS)}")
    return ELEMENTS[type][0]


def is_float(type: str) -> bool:
    return type in ("f16", "bf16", "f32", "f64")


def _bf16_bits(value: float) -> int:
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if math.isnan(value):
        return (bits >> 16) | 0x40
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16  # to nearest, ties to even


def pack(values: Any, type: str) -> bytes:
    """Bytes of the values: of a buffer (bytes, array, NumPy array …) as they are if its elements
    have the type's size and kind, of other iterables converted one by one."""
    size, code = ELEMENTS[type] if type in ELEMENTS else (element_bytes(type), "")
    try:
        view = memoryview(values)
    except TypeError:
        view = None
    if view is not None:
        if view.format in ("B", "b", "c") or (view.itemsize == size and (
                type == "bf16" or (view.format[-1] in "efd") == is_float(type))):
            return view.tobytes()
        raise TypeError(f"elements of the values are '{view.format}', not {type}: convert them first")
    if type == "bf16":
        return b"".join(struct.pack("<H", _bf16_bits(v)) for v in values)
    if type == "f16":
        flat = list(values)
        return struct.pack(f"<{len(flat)}e", *flat)
    return array.array(code, values).tobytes()


def unpack(data: bytes, type: str) -> Sequence[Any]:
    """The values of the bytes: an array.array, for f16 and bf16 one of float."""
    size, code = ELEMENTS[type]
    if type == "bf16":
        bits = array.array("H", data)
        return array.array("f", b"".join(struct.pack("<I", b << 16) for b in bits))
    if type == "f16":
        return array.array("f", struct.unpack(f"<{len(data) // size}e", data))
    return array.array(code, data)


# Outputs are filled with these bytes before a kernel is checked: a NaN of every float type.
POISON = {type: (b"\xff" if is_float(type) else b"\xa5") * size
          for type, (size, _) in ELEMENTS.items()}


@dataclass(frozen=True)
class Check:
    """An output against what was wanted."""
    name: str
    count: int
    wrong: int       # elements outside the tolerance, unwritten ones included
    unwritten: int   # elements that still hold what was there before the kernel ran
    index: int       # of the worst element; -1 = all are right
    got: Any
    wanted: Any
    max_abs: float   # largest errors over all elements
    max_rel: float

    @property
    def ok(self) -> bool:
        """Whether no element is wrong."""
        return self.wrong == 0

    def __str__(self) -> str:
        if self.ok:
            return (f"'{self.name}': {self.count} elements are right, largest error {self.max_abs:.3g}"
                    f" (relative {self.max_rel:.3g})")
        if self.unwritten == self.wrong:
            return f"'{self.name}': {self.unwritten} of {self.count} elements were never written"
        return (f"'{self.name}': {self.wrong} of {self.count} elements are wrong; the worst is [{self.index}]:"
                f" {self.got} instead of {self.wanted}")


def _error(got: Any, wanted: Any) -> Tuple[float, float]:
    if got == wanted or (got != got and wanted != wanted):
        return 0.0, 0.0
    if got != got or wanted != wanted or math.isinf(got) or math.isinf(wanted):
        return math.inf, math.inf
    absolute = float(abs(got - wanted))
    return absolute, absolute / abs(wanted) if wanted else math.inf


def compare(name: str, data: bytes, type: str, wanted: Iterable[Any], rel: float = 0.0,
            abs: float = 0.0) -> Check:
    """The rule of experiment files: right is |got - wanted| <= abs + rel * |wanted|, and NaN where NaN
    is wanted. With both 0 the values must be equal."""
    size = element_bytes(type)
    got = unpack(data, type)
    expected: List[Any] = list(unpack(wanted, type) if isinstance(wanted, bytes) else wanted)
    if len(expected) != len(got):
        raise ValueError(f"'{name}' has {len(got)} elements, {len(expected)} are wanted")
    wrong = unwritten = 0
    index, worst, max_abs, max_rel = -1, (-1, -1.0), 0.0, 0.0
    for i, (g, w) in enumerate(zip(got, expected)):
        absolute, relative = _error(g, w)
        if absolute == 0.0:
            continue
        max_abs, max_rel = max(max_abs, absolute), max(max_rel, relative)
        poisoned = data[i * size:(i + 1) * size] == POISON[type]
        if absolute <= abs + rel * (w if w >= 0 else -w) and not math.isinf(absolute):
            continue
        wrong += 1
        unwritten += poisoned
        rank = (0 if poisoned else 1, absolute)
        if rank > worst:
            index, worst = i, rank
    return Check(name, len(got), wrong, unwritten, index, got[index] if wrong else None,
                 expected[index] if wrong else None, max_abs, max_rel)
