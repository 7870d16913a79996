# SPDX-License-Identifier: Apache-2.0
"""ridge from Python: run experiments; measure, count, verify and compare GPU kernels.

    import ridge
    run = ridge.run("experiments/transpose", params={"N": 1024})
    with ridge.Device("auto") as gpu:
        results = gpu.measure({"old": old, "new": new}, stream=torch.cuda.current_stream())
        print(results["new"].compare(results["old"]))

Times are nanoseconds, sizes bytes; every figure says whether it was measured, simulated or modelled.
docs/python.md of ridge's tree has the rest. Nothing but Python itself and libridge is needed.
"""

from . import _library, triton
from ._library import CheckFailed, Error, InputError, SystemTrouble
from .device import (Buffer, Device, Kernel, Module, Scalar, Work, f32, f64, i32, i64, u32, u64)
from .elements import Check, compare
from .experiments import Finding, Run, VariantResult, parse, run
from .production import Adaptive, Selection, Watch, Watched, stream_handle
from .ranges import span
from .results import Comparison, Counter, Result, Summary
from .shares import Shares

__all__ = ["Adaptive", "Buffer", "Check", "CheckFailed", "Comparison", "Counter", "Device", "Error", "Finding",
           "InputError", "Kernel", "Module", "Result", "Run", "Scalar", "Selection", "Shares", "Summary",
           "SystemTrouble", "VariantResult", "Watch", "Watched", "Work", "compare", "f32", "f64", "i32", "i64", "parse", "run", "span",
           "stream_handle", "triton", "u32", "u64", "version"]


def version() -> str:
    """Of libridge."""
    return _library.library().ridge_version().decode()
