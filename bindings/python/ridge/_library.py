# SPDX-License-Identifier: Apache-2.0
"""libridge by ctypes: where it is found, the structs and functions of include/ridge.h, its errors.

The structs repeat the header's; tests/bindings/python_test.sh compiles both and compares every
offset, so that they cannot drift apart.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, c_char_p, c_double, c_float, c_int,
                    c_int32, c_int64, c_size_t, c_uint, c_uint32, c_uint64, c_void_p)
from pathlib import Path
from typing import Any, List, Optional


class Error(Exception):
    """What went wrong, why, and what to do, in ridge's words."""


class CheckFailed(Error):
    """A kernel stopped on a problem: out of bounds, a trap, a time limit (status 1)."""


class InputError(Error):
    """The caller's mistake: an unknown device, a kernel that does not compile (status 2)."""


class SystemTrouble(Error):
    """The device's or the operating system's: no driver, a full disk (status 3)."""


STATUS_ERRORS = {1: CheckFailed, 2: InputError, 3: SystemTrouble}

Enqueue = CFUNCTYPE(c_int, c_void_p, c_void_p)


class Options(Structure):
    c_name = "ridge_options"
    _fields_ = [("program", c_char_p), ("journal", c_char_p), ("compiler", c_char_p),
                ("threads", c_int)]


class Value(Union):
    _fields_ = [("i32", c_int32), ("u32", c_uint32), ("i64", c_int64), ("u64", c_uint64),
                ("f32", c_float), ("f64", c_double)]


class Argument(Structure):
    c_name = "ridge_argument"
    _fields_ = [("type", c_int), ("value", Value)]


# enum ridge_type, in its order.
ARGUMENT_TYPES = ("i32", "u32", "i64", "u64", "f32", "f64", "address")


class Launch(Structure):
    c_name = "ridge_launch"
    _fields_ = [("kernel", c_char_p), ("grid", c_uint * 3), ("block", c_uint * 3),
                ("shared_bytes", c_uint), ("arguments", POINTER(Argument)),
                ("argument_count", c_int)]


class Summary(Structure):
    c_name = "ridge_summary"
    _fields_ = [("name", c_char_p), ("case_label", c_char_p), ("provenance", c_char_p),
                ("sample_count", c_size_t), ("samples_ns", POINTER(c_double)),
                ("median_ns", c_double), ("low_ns", c_double), ("high_ns", c_double),
                ("mean_ns", c_double), ("stddev_ns", c_double), ("min_ns", c_double),
                ("max_ns", c_double), ("p10_ns", c_double), ("p90_ns", c_double),
                ("batch", c_int), ("sm_mhz", c_double), ("power_w", c_double),
                ("temperature_c", c_double), ("energy_mj", c_double), ("throttled", c_char_p),
                ("note", c_char_p)]


class Work(Structure):
    c_name = "ridge_work"
    _fields_ = [("bytes", c_double), ("flops_f16", c_double), ("flops_f32", c_double),
                ("flops_f64", c_double), ("flops_tensor", c_double)]


class Region(Structure):
    c_name = "ridge_region"
    _fields_ = [("name", c_char_p), ("enqueue", Enqueue), ("prepare", Enqueue),
                ("user", c_void_p), ("work", Work)]


class MeasureOptions(Structure):
    c_name = "ridge_measure_options"
    _fields_ = [("case_label", c_char_p), ("warm", c_int), ("count", c_int),
                ("samples_max", c_size_t), ("time_limit_s", c_double), ("timeout_s", c_double),
                ("seed", c_uint64)]


class Comparison(Structure):
    c_name = "ridge_comparison"
    _fields_ = [("ratio", c_double), ("low", c_double), ("high", c_double), ("verdict", c_int)]


class SharesOptions(Structure):
    c_name = "ridge_shares_options"
    _fields_ = [("granule", c_uint64), ("weight", c_double), ("adapt", c_int)]


class Fallback(Structure):
    c_name = "ridge_fallback"
    _fields_ = [("least_cc", c_double), ("variant", c_char_p), ("parameters", c_char_p)]


class SelectQuery(Structure):
    c_name = "ridge_select_query"
    _fields_ = [("experiment", c_char_p), ("variant", c_char_p), ("sizes", POINTER(c_char_p)),
                ("size_count", c_int), ("source", c_char_p), ("flags", c_char_p),
                ("source_hash", c_char_p), ("table", c_char_p), ("fallbacks", POINTER(Fallback)),
                ("fallback_count", c_int), ("objective", c_char_p)]


class Selection(Structure):
    c_name = "ridge_selection"
    _fields_ = [("variant", c_char_p), ("parameters", c_char_p), ("tuned", c_int),
                ("case_label", c_char_p), ("octaves", c_double), ("time_ns", c_double),
                ("provenance", c_char_p), ("why", c_char_p), ("energy_mj", c_double)]


class AdaptOptions(Structure):
    c_name = "ridge_adapt_options"
    _fields_ = [("band", c_double), ("patience", c_int), ("hold_s", c_double), ("log", c_char_p)]


class WatchOptions(Structure):
    c_name = "ridge_watch_options"
    _fields_ = [("textfile", c_char_p), ("overhead", c_double), ("regions_max", c_int),
                ("write_every_s", c_double)]


class Watched(Structure):
    c_name = "ridge_watched"
    _fields_ = [("passes", c_uint64), ("timed", c_uint64), ("total_ns", c_double),
                ("median_ns", c_double), ("overhead", c_double)]


STRUCTS = (Options, Argument, Launch, Summary, Work, Region, MeasureOptions, Comparison, SharesOptions,
           Fallback, SelectQuery, Selection, AdaptOptions, WatchOptions, Watched)

# name: (result, arguments); a result of c_int is a status, checked by call().
_P = c_void_p
FUNCTIONS = {
    "ridge_version": (c_char_p, []),
    "ridge_error": (c_char_p, []),
    "ridge_open": (c_int, [c_char_p, POINTER(Options), POINTER(_P)]),
    "ridge_close": (c_int, [_P]),
    "ridge_device": (c_char_p, [_P]),
    "ridge_device_name": (c_char_p, [_P]),
    "ridge_is_simulated": (c_int, [_P]),
    "ridge_alloc": (c_int, [_P, c_char_p, c_uint64, POINTER(c_uint64)]),
    "ridge_free": (c_int, [_P, c_uint64]),
    "ridge_write": (c_int, [_P, c_uint64, c_void_p, c_uint64]),
    "ridge_read": (c_int, [_P, c_void_p, c_uint64, c_uint64]),
    "ridge_compile": (c_int, [_P, c_char_p, POINTER(c_char_p), c_int, POINTER(_P)]),
    "ridge_launch": (c_int, [_P, POINTER(Launch), _P]),
    "ridge_result_open": (c_int, [_P, c_char_p, c_char_p, POINTER(_P)]),
    "ridge_add_sample": (c_int, [_P, c_double]),
    "ridge_set_counter": (c_int, [_P, c_char_p, c_double]),
    "ridge_get_counter": (c_int, [_P, c_char_p, POINTER(c_double), POINTER(c_char_p)]),
    "ridge_summarize": (c_int, [_P, POINTER(Summary)]),
    "ridge_measure": (c_int, [_P, POINTER(Region), c_int, _P, POINTER(MeasureOptions),
                              POINTER(_P)]),
    "ridge_begin": (c_int, [_P, _P]),
    "ridge_end": (c_int, [_P, _P]),
    "ridge_compare": (c_int, [_P, _P, POINTER(Comparison)]),
    "ridge_verdict_name": (c_char_p, [c_int]),
    "ridge_record": (c_int, [_P, _P]),
    "ridge_run_id": (c_int64, [_P]),
    "ridge_journal_path": (c_char_p, [_P]),
    "ridge_select": (c_int, [_P, POINTER(SelectQuery), POINTER(Selection)]),
    "ridge_selected": (c_char_p, [_P, POINTER(Selection), c_char_p]),
    "ridge_adapt_open": (c_int, [_P, POINTER(SelectQuery), POINTER(AdaptOptions), POINTER(_P)]),
    "ridge_adapt_close": (None, [_P]),
    "ridge_adapt_selection": (POINTER(Selection), [_P]),
    "ridge_adapt_add": (c_int, [_P, c_double, POINTER(c_int)]),
    "ridge_adapt_size": (c_int, [_P, POINTER(c_char_p), c_int, POINTER(c_int)]),
    "ridge_adapt_choices": (c_int, [_P]),
    "ridge_watch_open": (c_int, [_P, POINTER(WatchOptions), POINTER(_P)]),
    "ridge_watch_close": (c_int, [_P]),
    "ridge_watch_begin": (c_int, [_P, c_char_p, _P]),
    "ridge_watch_end": (c_int, [_P, _P, POINTER(c_double)]),
    "ridge_watch_write": (c_int, [_P, c_char_p]),
    "ridge_watch_figures": (c_int, [_P, c_char_p, POINTER(Watched)]),
    "ridge_range_push": (None, [c_char_p]),
    "ridge_range_pop": (None, []),
    "ridge_shares_open": (c_int, [c_int, POINTER(SharesOptions), POINTER(_P)]),
    "ridge_shares_close": (None, [_P]),
    "ridge_shares_limit": (c_int, [_P, c_int, c_uint64]),
    "ridge_shares_add": (c_int, [_P, c_int, c_uint64, c_double, c_double]),
    "ridge_shares_lose": (c_int, [_P, c_int]),
    "ridge_split": (c_int, [_P, c_uint64, POINTER(c_uint64), POINTER(c_uint64)]),
    "ridge_shares_rate": (c_double, [_P, c_int]),
}

_SOURCE_TREE = Path(__file__).resolve().parents[3]  # where this folder lies in ridge's own tree
_loaded: Optional[ctypes.CDLL] = None


def candidates() -> List[str]:
    """Where libridge is looked for, in order."""
    if os.environ.get("RIDGE_LIBRARY"):
        return [os.environ["RIDGE_LIBRARY"]]
    found = ctypes.util.find_library("ridge")
    built = str(_SOURCE_TREE / "build" / "libridge.so")
    return [built] * os.path.exists(built) + ([found] if found else ["libridge.so.0"])


def library() -> Any:
    """libridge, opened at its first use. Raises SystemTrouble where there is none."""
    global _loaded
    if _loaded is None:
        reasons = []
        for name in candidates():
            try:
                opened = ctypes.CDLL(name)
                for function, (result, arguments) in FUNCTIONS.items():
                    entry = getattr(opened, function)
                    entry.restype, entry.argtypes = result, arguments
                _loaded = opened
                break
            except (OSError, AttributeError) as error:
                reasons.append(str(error))
        else:
            raise SystemTrouble("libridge was not found (" + "; ".join(reasons) + "): build it with "
                                "`make` and `make install`, or set RIDGE_LIBRARY to libridge.so")
    return _loaded


def last_error() -> str:
    return text(library().ridge_error()) or "no reason was given"


def call(function: str, *arguments: Any) -> None:
    """Calls a function that returns a status; a failure becomes the exception of that status."""
    status = getattr(library(), function)(*arguments)
    if status != 0:
        raise STATUS_ERRORS.get(status, Error)(last_error())


def encoded(value: Optional[str]) -> Optional[bytes]:
    return None if value is None else os.fsencode(value)


def text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8", "replace")
