# SPDX-License-Identifier: Apache-2.0
"""Named spans of the program: results made inside carry their path, and NVTX profilers show them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from . import _library as lib


@contextmanager
def span(name: str) -> Iterator[None]:
    """with ridge.span("solve"): results opened or measured inside are called "solve/…"."""
    lib.library().ridge_range_push(lib.encoded(name))
    try:
        yield
    finally:
        lib.library().ridge_range_pop()
