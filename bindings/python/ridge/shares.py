# SPDX-License-Identifier: Apache-2.0
"""Work divided over devices in proportion to what each was seen to do, for a program that runs the parts itself."""

from __future__ import annotations

import ctypes
from typing import List, Tuple

from . import _library as lib


class Shares:
    """Shares of devices numbered from 0; no device is opened.

        shares = ridge.Shares(2, granule=1024)
        parts, dealt = shares.split(rows)      # run them, then for each device:
        shares.add(0, parts[0], time_ns)
    """

    def __init__(self, device_count: int, granule: int = 1, weight: float = 0.0, adapt: bool = False):
        """granule: shares are multiples of it. weight: of the newest throughput, 0 = the library's default; adapt:
        it follows noise and drift instead."""
        self._handle = ctypes.c_void_p()
        self._count = device_count
        options = lib.SharesOptions(granule, weight, int(adapt))
        lib.call("ridge_shares_open", device_count, ctypes.byref(options), ctypes.byref(self._handle))

    def split(self, units: int) -> Tuple[List[int], int]:
        """A share per device, and how many units they are together: fewer where the devices left do not hold all."""
        parts, dealt = (ctypes.c_uint64 * self._count)(), ctypes.c_uint64()
        lib.call("ridge_split", self._handle, units, parts, ctypes.byref(dealt))
        return list(parts), dealt.value

    def add(self, device: int, units: int, time_ns: float, noise: float = 0.0) -> None:
        """What a device did, and in what time; noise: relative standard deviation of such times, 0 = not known."""
        lib.call("ridge_shares_add", self._handle, device, units, time_ns, noise)

    def limit(self, device: int, units: int) -> None:
        """The most units that the device holds at once; 0 = no limit."""
        lib.call("ridge_shares_limit", self._handle, device, units)

    def lose(self, device: int) -> None:
        """It is gone: what it had is for the next split()."""
        lib.call("ridge_shares_lose", self._handle, device)

    def rate(self, device: int) -> float:
        """Units per second, as estimated; 0 = nothing known."""
        return lib.library().ridge_shares_rate(self._handle, device)

    def close(self) -> None:
        """Frees what the shares hold."""
        if self._handle:
            lib.library().ridge_shares_close(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self) -> "Shares":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
