# SPDX-License-Identifier: Apache-2.0
"""Triton's kernels on a device of ridge: on the simulated GPU, where Triton itself cannot run.

On a real GPU launch them as ever and measure that: device.measure({"mine": lambda s: kernel[grid](…)},
stream=torch.cuda.current_stream()).
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any, Optional, Sequence

from . import _library as lib
from .device import Device, Dimensions, Kernel, u64


class TritonKernel:
    """A compiled kernel: k[grid](arrays and scalars that are not constexpr)."""

    def __init__(self, kernel: Kernel, warps: int, shared_bytes: int, parameters: int) -> None:
        self._kernel, self.warps, self.shared_bytes = kernel, warps, shared_bytes
        self.parameters = parameters  # of the PTX: the user's, then pointers to scratch memory of Triton's

    def __getitem__(self, grid: Dimensions) -> Any:
        def start(*arguments: Any, stream: Any = None) -> None:
            missing = self.parameters - len(arguments)
            if missing < 0:
                raise TypeError(f"kernel '{self._kernel.name}' takes {self.parameters} arguments at most, "
                                f"{len(arguments)} were given: leave out those that are constexpr")
            # Triton appends null pointers to scratch memory, which these kernels do not use.
            padded: Sequence[Any] = [*arguments, *([u64(0)] * missing)]
            self._kernel.launch(grid, 32 * self.warps, padded, self.shared_bytes, stream)
        return start


def load(device: Device, compiled: Any = None, *, ptx: Optional[str] = None, name: Optional[str] = None,
         warps: Optional[int] = None, shared_bytes: Optional[int] = None) -> TritonKernel:
    """compiled: what kernel.warmup(…) or kernel[grid](…) returned. Or give its parts: the PTX's text, the
    kernel's name, num_warps, bytes of shared memory."""
    if compiled is not None:
        meta = compiled.metadata
        ptx, name = compiled.asm["ptx"], meta.name
        warps, shared_bytes = meta.num_warps, meta.shared
        scratch = getattr(meta, "global_scratch_size", 0) or 0
        if scratch > 0:
            raise lib.InputError(f"kernel '{name}' needs {scratch} bytes of scratch memory per program, "
                                 "which is not supported")
    if not ptx or not warps:
        raise TypeError("give a compiled kernel, or ptx= and warps=")
    entry = re.search(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)", ptx)
    if entry is None:
        raise lib.InputError("the PTX has no .entry: pass the text of compiled.asm['ptx']")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ptx"
        path.write_text(ptx, encoding="utf-8")
        module = device.compile(path)
    return TritonKernel(module.kernel(name or entry.group(1)), warps, shared_bytes or 0,
                        entry.group(2).count(".param"))
