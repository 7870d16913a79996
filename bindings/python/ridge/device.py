# SPDX-License-Identifier: Apache-2.0
"""A device, its memory, kernels compiled by ridge, and regions of a stream measured on it."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_void_p, c_uint64
from dataclasses import dataclass
from typing import (Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union)

from . import _library as lib
from .elements import POISON, TYPE_STRINGS, Check, compare, element_bytes, pack, unpack
from .production import Adaptive, Selection, Watch, select_query, selection_of, stream_handle
from .results import Result

Dimensions = Union[int, Sequence[int]]
# What a region does: enqueues work on the stream whose handle (0 = the default stream) it is given.
Region = Callable[[int], Any]


@dataclass(frozen=True)
class Scalar:
    """An argument of a kernel with its type; made by i32(), f32() and so on."""
    type: str
    value: Union[int, float]


def i32(value: int) -> Scalar:
    """An int argument of a kernel."""
    return Scalar("i32", value)


def u32(value: int) -> Scalar:
    """An unsigned argument of a kernel."""
    return Scalar("u32", value)


def i64(value: int) -> Scalar:
    """A long long argument of a kernel."""
    return Scalar("i64", value)


def u64(value: int) -> Scalar:
    """An unsigned long long argument of a kernel."""
    return Scalar("u64", value)


def f32(value: float) -> Scalar:
    """A float argument of a kernel."""
    return Scalar("f32", value)


def f64(value: float) -> Scalar:
    """A double argument of a kernel."""
    return Scalar("f64", value)


@dataclass(frozen=True)
class Work:
    """What a region's task needs at least, however it is done: gives GB/s and the floor."""
    bytes: float = 0
    flops_f16: float = 0
    flops_f32: float = 0
    flops_f64: float = 0
    flops_tensor: float = 0


def _address(array: Any) -> Optional[int]:
    """Where an array of ridge, PyTorch, CuPy or Numba lies on the device; None = it is no array."""
    if isinstance(array, Buffer):
        return array.address
    if hasattr(array, "data_ptr"):  # PyTorch, bf16 included, which has no array interface
        return int(array.data_ptr())
    interface = getattr(array, "__cuda_array_interface__", None)
    return int(interface["data"][0]) if interface else None


def _described(array: Any) -> Tuple[int, int, str]:
    """Address, elements and type of an array on the device; they must lie one after the other."""
    if isinstance(array, Buffer):
        return array.address, array.count, array.type
    if hasattr(array, "data_ptr"):
        if not array.is_contiguous():
            raise ValueError("the tensor is not contiguous: check its .contiguous()")
        names = {"bfloat16": "bf16", "float16": "f16", "bool": "u8"}
        name = str(array.dtype).rsplit(".", 1)[-1]
        short = names.get(name) or name.replace("float", "f").replace("uint", "u").replace("int", "i")
        element_bytes(short)
        return int(array.data_ptr()), int(array.numel()), short
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is None:
        raise TypeError(f"{type(array).__name__} is no array on the device")
    if interface.get("strides") is not None:
        raise ValueError("the array is strided: check a contiguous copy")
    count = 1
    for extent in interface["shape"]:
        count *= extent
    return int(interface["data"][0]), count, TYPE_STRINGS[interface["typestr"].lstrip("<|=")]


class Buffer:
    """Memory of a device that ridge gave; freed with the device, or by free()."""

    def __init__(self, device: "Device", address: int, count: int, type: str, name: str) -> None:
        self.device, self.address, self.count = device, address, count
        self.type, self.name = type, name

    def __len__(self) -> int:
        return self.count

    @property
    def size_bytes(self) -> int:
        """Of all its elements."""
        return self.count * element_bytes(self.type)

    def write(self, values: Any) -> None:
        """New contents, as many as it has elements: what Device.array() takes."""
        data = pack(values, self.type)
        if len(data) != self.size_bytes:
            raise ValueError(f"'{self.name}' holds {self.size_bytes} bytes, {len(data)} were given")
        lib.call("ridge_write", self.device._open(), self.address, data, len(data))

    def bytes(self) -> bytes:
        """Its contents as they lie in memory."""
        return self.device.read(self.address, self.size_bytes)

    def values(self) -> Sequence[Any]:
        """An array.array; f16 and bf16 as floats. Of f32 and others numpy.frombuffer(b.bytes(), …) is faster."""
        return unpack(self.bytes(), self.type)

    def free(self) -> None:
        """Gives the memory back; the buffer is not used after that."""
        lib.call("ridge_free", self.device._open(), self.address)


class Kernel:
    """A kernel of a module; k[grid, block](…) or k[grid, block, shared_bytes](…) starts it."""

    def __init__(self, module: "Module", name: str) -> None:
        self.module, self.name = module, name

    def __getitem__(self, shape: Tuple[Any, ...]) -> Callable[..., None]:
        if not isinstance(shape, tuple) or len(shape) not in (2, 3):
            raise TypeError(f"{self.name}[grid, block](…) or {self.name}[grid, block, shared_bytes](…)")
        grid, block = shape[0], shape[1]
        shared_bytes = shape[2] if len(shape) == 3 else 0

        def start(*arguments: Any, stream: Any = None) -> None:
            self.launch(grid, block, arguments, shared_bytes, stream)
        return start

    def launch(self, grid: Dimensions, block: Dimensions, arguments: Sequence[Any],
               shared_bytes: int = 0, stream: Any = None) -> None:
        """Enqueues the kernel on a real GPU; runs it to its end on a simulated one."""
        given = (lib.Argument * max(len(arguments), 1))()
        for i, argument in enumerate(arguments):
            given[i] = _argument(argument, i, self.name)
        launch = lib.Launch(lib.encoded(self.name), _three(grid), _three(block), shared_bytes, given,
                            len(arguments))
        self.module.device._open()
        lib.call("ridge_launch", self.module._handle, byref(launch), stream_handle(stream) or None)


class Module:
    """Kernels compiled and loaded together."""

    def __init__(self, device: "Device", handle: c_void_p) -> None:
        self.device, self._handle = device, handle

    def kernel(self, name: str) -> Kernel:
        """The kernel of that name, to be launched as kernel[grid, block](…)."""
        return Kernel(self, name)


def _three(dimensions: Dimensions) -> Any:
    extents = [dimensions] if isinstance(dimensions, int) else list(dimensions)
    if not 1 <= len(extents) <= 3 or any(e < 1 for e in extents):
        raise ValueError(f"{dimensions!r}: a grid or block has one to three extents, each at least 1")
    return (ctypes.c_uint * 3)(*(extents + [1] * (3 - len(extents))))


def _argument(value: Any, index: int, kernel: str) -> lib.Argument:
    address = _address(value)
    if address is not None:
        scalar = Scalar("address", address)
    elif isinstance(value, Scalar):
        scalar = value
    else:
        hint = "ridge.f32(…) or ridge.f64(…)" if isinstance(value, float) else "ridge.i32(…) or ridge.i64(…)"
        raise TypeError(f"argument {index + 1} of kernel '{kernel}' is {value!r}, whose type is not said: "
                        f"write {hint}, or pass an array")
    given = lib.Argument(lib.ARGUMENT_TYPES.index(scalar.type))
    setattr(given.value, "u64" if scalar.type == "address" else scalar.type, scalar.value)
    return given


class Device:
    """A real or simulated GPU, and the run of the journal that is recorded on it."""

    def __init__(self, device: str = "auto", *, journal: Optional[str] = None,
                 program: Optional[str] = None, compiler: Optional[str] = None, threads: int = 0) -> None:
        options = lib.Options(lib.encoded(program), lib.encoded(journal), lib.encoded(compiler), threads)
        handle = c_void_p()
        lib.call("ridge_open", lib.encoded(device), byref(options), byref(handle))
        self._handle: Optional[c_void_p] = handle

    def _open(self) -> c_void_p:
        if self._handle is None:
            raise lib.InputError("the device was closed")
        return self._handle

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends the recorded run; frees memory, modules and results."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            lib.call("ridge_close", handle)

    @property
    def id(self) -> str:
        """As `ridge devices` lists it: "cuda:0", "sim:h200"."""
        return lib.text(lib.library().ridge_device(self._open())) or ""

    @property
    def name(self) -> str:
        """The chip's name: "NVIDIA H200"."""
        return lib.text(lib.library().ridge_device_name(self._open())) or ""

    @property
    def simulated(self) -> bool:
        """Whether it is a simulated GPU: its times are modelled."""
        return bool(lib.library().ridge_is_simulated(self._open()))

    @property
    def run_id(self) -> int:
        """The run's number in the journal; 0 = nothing was recorded yet."""
        return int(lib.library().ridge_run_id(self._open()))

    # ---- memory and kernels ----------------------------------------------------------------------

    def empty(self, count: int, type: str = "f32", name: str = "buffer") -> Buffer:
        """A buffer of so many elements, whose contents are not set."""
        address = c_uint64()
        lib.call("ridge_alloc", self._open(), lib.encoded(name), count * element_bytes(type), byref(address))
        return Buffer(self, address.value, count, type, name)

    def array(self, values: Any, type: str = "f32", name: str = "buffer") -> Buffer:
        """A buffer with these values: of an iterable, or of anything with Python's buffer interface."""
        data = pack(values, type)
        buffer = self.empty(len(data) // element_bytes(type), type, name)
        lib.call("ridge_write", self._open(), buffer.address, data, len(data))
        return buffer

    def read(self, address: int, size_bytes: int) -> bytes:
        """Bytes of the device's memory. It waits for no stream: end what writes them first."""
        data = ctypes.create_string_buffer(size_bytes)
        lib.call("ridge_read", self._open(), data, address, size_bytes)
        return data.raw

    def compile(self, path: Union[str, "os.PathLike[str]"], defines: Optional[Mapping[str, Any]] = None) -> Module:
        """Compiles CUDA C, or takes a .ptx file, and loads it."""
        texts = [lib.encoded(f"{name}={value}") for name, value in (defines or {}).items()]
        list_of = (c_char_p * max(len(texts), 1))(*texts)
        handle = c_void_p()
        lib.call("ridge_compile", self._open(), os.fsencode(path), list_of, len(texts), byref(handle))
        return Module(self, handle)

    def select(self, experiment: str, sizes: Mapping[str, float], *, source: Union[str, "os.PathLike[str]"],
               fallbacks: Sequence[Tuple[float, str, str]], variant: Optional[str] = None,
               flags: Optional[str] = None, table: Optional[str] = None, objective: Optional[str] = None) -> Selection:
        """What `ridge tune` found for this device, source and a size near these; else a fallback.

        objective: "time" (None), "energy" or "edp", as `ridge tune --objective` had it.

        fallbacks: (least compute capability, variant, "TILE=32 ROWS=8"); the most demanding one that the
        device fulfils is taken where the table has nothing that holds.
        """
        query, kept = select_query(experiment, sizes, source, fallbacks, variant, flags, table, objective)
        found = lib.Selection()
        lib.call("ridge_select", self._open(), byref(query), byref(found))
        del kept
        return selection_of(found)

    def adapt(self, experiment: str, sizes: Mapping[str, float], *, source: Union[str, "os.PathLike[str]"],
              fallbacks: Sequence[Tuple[float, str, str]], variant: Optional[str] = None,
              flags: Optional[str] = None, table: Optional[str] = None, band: float = 0.0, patience: int = 0,
              hold_s: float = 0.0, log: Optional[str] = None) -> Adaptive:
        """Selects as select() does, and another variant when the times that it is given leave the promised band.

        band: share of the promised time; patience: times that a median is taken of; hold_s: seconds that a choice stays;
        0 is the library's default. log: a file that each choice is added to ("": none).
        """
        query, kept = select_query(experiment, sizes, source, fallbacks, variant, flags, table)
        return Adaptive(self._open(), query, kept, lib.AdaptOptions(band, patience, hold_s, lib.encoded(log)))

    def watch(self, textfile: Optional[str] = None, *, overhead: float = 0.0, regions_max: int = 0,
              write_every_s: float = 0.0) -> Watch:
        """Regions of a program in production as metrics in a file for Prometheus' node exporter; 0: the library's default."""
        return Watch(self._open(), lib.WatchOptions(lib.encoded(textfile), overhead, regions_max, write_every_s))

    # ---- regions ----------------------------------------------------------------------------------

    def measure(self, regions: Mapping[str, Region], *, stream: Any = None, case: Optional[str] = None,
                work: Union[Work, Mapping[str, Work], None] = None,
                prepare: Optional[Mapping[str, Region]] = None, warm: bool = False, count: bool = False,
                samples_max: int = 0, time_limit_s: float = 0, timeout_s: float = 0,
                seed: int = 0) -> Dict[str, Result]:
        """Times the regions, interleaved in random order, until each median is known to 0.5 %.

        Each region is called many times with the stream's handle; it enqueues its work and does not wait.
        work: of all regions, or of each. A region that raises ends the measuring with its exception.
        """
        raised: List[BaseException] = []
        parts = (lib.Region * max(len(regions), 1))()
        keep: List[Any] = []
        for part, (name, region) in zip(parts, regions.items()):
            fresh = (prepare or {}).get(name)
            part.name = lib.encoded(name)
            part.enqueue = _guarded(region, raised)
            if fresh is not None:
                part.prepare = _guarded(fresh, raised)
            w = work.get(name) if isinstance(work, Mapping) else work
            if w is not None:
                part.work = lib.Work(w.bytes, w.flops_f16, w.flops_f32, w.flops_f64, w.flops_tensor)
            keep += [part.enqueue, part.prepare]
        options = lib.MeasureOptions(lib.encoded(case), int(warm), int(count), samples_max, time_limit_s,
                                     timeout_s, seed)
        results = (c_void_p * max(len(regions), 1))()
        try:
            lib.call("ridge_measure", self._open(), parts, len(regions), stream_handle(stream) or None,
                     byref(options), results)
        except lib.Error:
            if raised:
                raise raised[0]
            raise
        return {name: Result(self, c_void_p(handle)) for name, handle in zip(regions, results)}

    def result(self, name: str, case: Optional[str] = None) -> Result:
        """The result of that name, for samples and counters that the program takes itself."""
        handle = c_void_p()
        lib.call("ridge_result_open", self._open(), lib.encoded(name), lib.encoded(case), byref(handle))
        return Result(self, handle)

    def verify(self, region: Region, outputs: Iterable[Tuple[Any, Any]], *, rel: float = 0.0,
               abs: float = 0.0, stream: Any = None) -> List[Check]:
        """Runs the region once on poisoned outputs and compares them with what is wanted.

        outputs: pairs (array on the device, wanted values). The arrays are ridge's, or contiguous ones
        of PyTorch, CuPy or Numba. Returns a Check for each; none raises.
        """
        pairs = [(array, *_described(array), wanted) for array, wanted in outputs]
        handle = stream_handle(stream)
        for _, address, count, type, _ in pairs:
            lib.call("ridge_write", self._open(), address, POISON[type] * count, count * element_bytes(type))
        if self.simulated:
            region(handle)  # has run when it returns
        else:
            once = self.result("verify")
            lib.call("ridge_begin", once._handle, handle or None)
            region(handle)
            lib.call("ridge_end", once._handle, handle or None)  # waits for the stream
        return [compare(getattr(array, "name", None) or f"output {i + 1}",
                        self.read(address, count * element_bytes(type)), type, wanted, rel, abs)
                for i, (array, address, count, type, wanted) in enumerate(pairs)]


def _guarded(region: Region, raised: List[BaseException]) -> Any:
    def enqueue(_: Optional[int], stream: Optional[int]) -> int:
        try:
            region(stream or 0)
            return 0
        except BaseException as error:  # C has no exceptions: kept, and raised again by measure()
            raised.append(error)
            return 1
    return lib.Enqueue(enqueue)
