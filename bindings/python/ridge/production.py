# SPDX-License-Identifier: Apache-2.0
"""What a program asks of ridge while it runs: which variant, whether that holds what it promised, and its regions' times."""

from __future__ import annotations

import math
import os
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_double, c_int, c_void_p
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _library as lib


def stream_handle(stream: Any) -> int:
    """The handle of a PyTorch, CuPy or cuda.core stream, or of an integer; None = the default stream."""
    if stream is None:
        return 0
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        found = stream.__cuda_stream__
        return int((found() if callable(found) else found)[1])
    for attribute in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba and cuda.core
        if hasattr(stream, attribute):
            value = getattr(stream, attribute)
            return int(getattr(value, "value", value) or 0)
    raise TypeError(f"{type(stream).__name__} is no stream: pass one of PyTorch, CuPy or cuda.core, "
                    "or its handle")


@dataclass(frozen=True)
class Selection:
    """What Device.select() chose: a variant and the values of its axes, as text."""
    variant: str
    parameters: Mapping[str, str]
    tuned: bool  # False: a fallback
    case: str  # that it was tuned at
    octaves: float  # how far that is: the sum of |log2| of the sizes' ratios
    time_ns: float  # there
    provenance: str
    why: str  # why it is a fallback, or what of the table was not used
    energy_mj: float = math.nan  # of a run, there; NaN: not measured


def sizes_of(sizes: Mapping[str, float]) -> Any:
    """NAME=VALUE texts as the library takes them."""
    texts: List[Optional[bytes]] = [lib.encoded(f"{name}={value:.15g}") for name, value in sizes.items()]
    return (c_char_p * max(len(texts), 1))(*texts)


def select_query(experiment: str, sizes: Mapping[str, float], source: Union[str, "os.PathLike[str]"],
                 fallbacks: Sequence[Tuple[float, str, str]], variant: Optional[str], flags: Optional[str],
                 table: Optional[str], objective: Optional[str] = None) -> Tuple[lib.SelectQuery, object]:
    """The query, and what must live as long as it is used."""
    texts = sizes_of(sizes)
    given = (lib.Fallback * max(len(fallbacks), 1))(
        *[lib.Fallback(cc, lib.encoded(name), lib.encoded(chosen)) for cc, name, chosen in fallbacks])
    query = lib.SelectQuery(lib.encoded(experiment), lib.encoded(variant), texts, len(sizes), os.fsencode(source),
                            lib.encoded(flags), None, lib.encoded(table), given, len(fallbacks),
                            lib.encoded(objective))
    return query, (texts, given)


def selection_of(found: lib.Selection) -> Selection:
    """The library's struct as a Python object."""
    pairs = [pair.split("=", 1) for pair in (lib.text(found.parameters) or "").split()]
    return Selection(lib.text(found.variant) or "", {name: value for name, value in pairs}, bool(found.tuned),
                     lib.text(found.case_label) or "", found.octaves, found.time_ns,
                     lib.text(found.provenance) or "", lib.text(found.why) or "", found.energy_mj)


class _Handle:
    """Something of the library's that is closed once, before the device that it is of."""
    _close = ""

    def __init__(self) -> None:
        self._handle = c_void_p()

    def close(self) -> None:
        """Ends it; further calls of close() do nothing."""
        handle, self._handle = self._handle, c_void_p()
        if handle:
            getattr(lib.library(), self._close)(handle)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Adaptive(_Handle):
    """A selection that is taken back when it does not hold what it promised; made by Device.adapt()."""
    _close = "ridge_adapt_close"

    def __init__(self, device: Any, query: lib.SelectQuery, kept: object, options: lib.AdaptOptions):
        super().__init__()
        self._kept = kept
        lib.call("ridge_adapt_open", device, byref(query), byref(options), byref(self._handle))

    @property
    def selection(self) -> Selection:
        """What is chosen now."""
        return selection_of(lib.library().ridge_adapt_selection(self._handle).contents)

    def add(self, time_ns: float) -> bool:
        """What a run of it took. True: another variant is chosen from now on."""
        anew = c_int()
        lib.call("ridge_adapt_add", self._handle, time_ns, byref(anew))
        return bool(anew.value)

    def size(self, sizes: Mapping[str, float]) -> bool:
        """The work has another size from now on. True: another variant is chosen for it."""
        anew = c_int()
        lib.call("ridge_adapt_size", self._handle, sizes_of(sizes), len(sizes), byref(anew))
        return bool(anew.value)

    @property
    def choices(self) -> int:
        """So far, the first among them."""
        return int(lib.library().ridge_adapt_choices(self._handle))


@dataclass(frozen=True)
class Watched:
    """A region's figures so far; nan where no pass was timed."""
    passes: int
    timed: int
    total_ns: float
    median_ns: float
    overhead: float


class Watch(_Handle):
    """Regions timed now and then; made by Device.watch()."""
    _close = "ridge_watch_close"

    def __init__(self, device: Any, options: lib.WatchOptions):
        super().__init__()
        lib.call("ridge_watch_open", device, byref(options), byref(self._handle))

    @contextmanager
    def region(self, name: str, stream: Any = None) -> Iterator[Dict[str, float]]:
        """Around work enqueued on the stream; afterwards ["time_ns"] of what it gave is this pass's, nan if not timed."""
        took = {"time_ns": math.nan}
        handle = stream_handle(stream)
        lib.call("ridge_watch_begin", self._handle, lib.encoded(name), handle)
        try:
            yield took
        finally:
            time_ns = c_double()
            lib.call("ridge_watch_end", self._handle, handle, byref(time_ns))
            took["time_ns"] = time_ns.value

    def figures(self, name: str) -> Watched:
        """Of a region that ended at least once."""
        out = lib.Watched()
        lib.call("ridge_watch_figures", self._handle, lib.encoded(name), byref(out))
        return Watched(out.passes, out.timed, out.total_ns, out.median_ns, out.overhead)

    def write(self, file: str) -> None:
        """All regions, as Prometheus reads them."""
        lib.call("ridge_watch_write", self._handle, lib.encoded(file))
