# SPDX-License-Identifier: Apache-2.0
"""Results of regions: summaries, counters, comparisons, and their way into the journal."""

from __future__ import annotations

from ctypes import byref, c_char_p, c_double, c_void_p
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from . import _library as lib

if TYPE_CHECKING:
    from .device import Device


@dataclass(frozen=True)
class Summary:
    """Times of a result. provenance: "measured", "modelled", or "absent" (no samples yet)."""
    name: str
    case: Optional[str]
    provenance: str
    samples_ns: Tuple[float, ...]
    median_ns: float
    low_ns: float    # 95 % interval of the median
    high_ns: float
    mean_ns: float
    stddev_ns: float
    min_ns: float
    max_ns: float
    p10_ns: float
    p90_ns: float
    batch: Optional[int]             # runs that a sample is the mean of; None = not known
    sm_mhz: Optional[float]
    power_w: Optional[float]
    temperature_c: Optional[float]
    energy_mj: Optional[float]       # of one run, back to back
    throttled: Optional[str]
    note: Optional[str]              # what could not be had, with the reason


@dataclass(frozen=True)
class Counter:
    value: float
    provenance: str  # "measured", "simulated", "modelled"


@dataclass(frozen=True)
class Comparison:
    """ratio: time of the base over the new time; above 1 = the new one is faster."""
    ratio: float
    low: float       # 95 % interval
    high: float
    verdict: str     # "no difference", "faster", "slower"


class Result:
    """Samples and counters under a name; lives until its device is closed."""

    def __init__(self, device: "Device", handle: c_void_p) -> None:
        self._device, self._handle = device, handle

    def add_sample(self, time_ns: float) -> None:
        """A time that the program measured itself."""
        self._device._open()
        lib.call("ridge_add_sample", self._handle, time_ns)

    def set_counter(self, counter: str, value: float) -> None:
        """A counter that the program counted itself, by the name that `--json` has for it."""
        self._device._open()
        lib.call("ridge_set_counter", self._handle, lib.encoded(counter), value)

    def counter(self, name: str) -> Optional[Counter]:
        """A counter or a ratio of counters ("load_sectors_per_request"); None = it is absent."""
        self._device._open()
        value, provenance = c_double(), c_char_p()
        lib.call("ridge_get_counter", self._handle, lib.encoded(name), byref(value), byref(provenance))
        kind = lib.text(provenance.value) or "absent"
        return None if kind == "absent" else Counter(value.value, kind)

    def summary(self) -> Summary:
        """Its samples and what they say: median with its 95 % interval, spread, clocks, energy."""
        self._device._open()
        s = lib.Summary()
        lib.call("ridge_summarize", self._handle, byref(s))
        return Summary(lib.text(s.name) or "", lib.text(s.case_label), lib.text(s.provenance) or "absent",
                       tuple(s.samples_ns[:s.sample_count]), s.median_ns, s.low_ns, s.high_ns, s.mean_ns,
                       s.stddev_ns, s.min_ns, s.max_ns, s.p10_ns, s.p90_ns, s.batch or None,
                       s.sm_mhz or None, s.power_w or None, s.temperature_c or None, s.energy_mj or None,
                       lib.text(s.throttled), lib.text(s.note))

    @property
    def median_ns(self) -> float:
        """The median of its samples."""
        return self.summary().median_ns

    def row(self) -> Dict[str, Any]:
        """The summary as a flat dict, for a table: pandas.DataFrame([r.row() for r in results])."""
        flat = asdict(self.summary())
        flat["samples"] = len(flat.pop("samples_ns"))
        return flat

    def compare(self, base: "Result") -> Comparison:
        """This result against the base. Both need times of one provenance."""
        self._device._open()
        c = lib.Comparison()
        lib.call("ridge_compare", base._handle, self._handle, byref(c))
        return Comparison(c.ratio, c.low, c.high, lib.text(lib.library().ridge_verdict_name(c.verdict)) or "")

    def record(self, base: Optional["Result"] = None) -> None:
        """Writes it to the journal, once, compared with the base; `ridge show` and `explain` have it then."""
        self._device._open()
        lib.call("ridge_record", self._handle, base._handle if base else None)
