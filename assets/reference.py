# Calls a reference that is written in Python, `reference: FILE.py:FUNCTION`: started by ridge in a process of its own.
#   reference.py --look FILE   is NumPy here, and is FILE Python?
#   reference.py               the call stands on standard input, as JSON; buffers are files in memory that it inherits
# What became of it goes to a file in memory too, as JSON; without that the function did not return.
# SPDX-License-Identifier: Apache-2.0
import ast
import importlib.util
import json
import mmap
import os
import sys
import traceback

NO_NUMPY = 3
opened = set()


def note_opened(event, arguments):
    """What the reference reads is part of what its result depends on."""
    if event == "open" and isinstance(arguments[0], str):
        opened.add(os.path.abspath(arguments[0]))


def files_read(source, numpy):
    here = os.path.dirname(source) + os.sep
    others = tuple(p + os.sep for p in {sys.prefix, sys.base_prefix, "/proc", "/dev", "/sys", "/etc", "/usr"})
    modules = {m.__file__ for m in list(sys.modules.values()) if getattr(m, "__file__", None)}
    files = {os.path.abspath(f) for f in opened | modules if f.startswith(here) or not f.startswith(others)}
    return sorted(f for f in files | {source, numpy.version.__file__} if os.path.isfile(f))


def place(error, source):
    """The last line of the user's that the error came through."""
    if isinstance(error, SyntaxError) and error.filename:
        return error.filename, error.lineno or 0
    frames = traceback.extract_tb(error.__traceback__)
    here = os.path.dirname(source) + os.sep
    own = [f for f in frames if f.filename.startswith(here)]
    return (own[-1].filename, own[-1].lineno or 0) if own else (source, 0)


class Wrong(Exception):
    """What ridge itself has to say of the function."""


def array_of(numpy, given, copies):
    """The buffer as an array; of bf16 a copy in float32, as NumPy has no such type."""
    names = {"bf16": "uint16", "e4m3": "uint8"}
    words = {"f": "float", "i": "int", "u": "uint"}
    kind = given["type"]
    dtype = numpy.dtype(names.get(kind) or words[kind[0]] + kind[1:])
    if given["count"] == 0:
        return numpy.empty(0, dtype)
    memory = mmap.mmap(given["fd"], given["count"] * dtype.itemsize)
    bits = numpy.frombuffer(memory, dtype)
    if kind != "bf16":
        return bits
    values = (bits.astype(numpy.uint32) << 16).view(numpy.float32)
    copies.append((bits, values))
    return values


def store_bf16(numpy, bits, values):
    """Rounded to the nearest, halves to even; NaN keeps what it has."""
    wide = values.view(numpy.uint32)
    rounded = (wide + 0x7FFF + ((wide >> 16) & 1)) >> 16
    bits[:] = numpy.where(numpy.isnan(values), wide >> 16, rounded).astype(numpy.uint16)


def argument(numpy, given, copies, outputs):
    if "fields" in given:
        return tuple(argument(numpy, f, copies, outputs) for f in given["fields"])
    if "fd" in given:
        array = array_of(numpy, given, copies)
        if given["output"]:
            outputs.append((given["name"], array))
        return array
    value = given["value"]
    return float(value) if isinstance(value, str) else value


def take_returned(numpy, returned, outputs):
    """A function may return its outputs in place of writing them."""
    if returned is None:
        return
    returned = returned if isinstance(returned, tuple) else (returned,)
    if len(returned) != len(outputs):
        raise Wrong(f"it returns {len(returned)} values, and there are {len(outputs)} outputs among its arguments")
    for (name, array), value in zip(outputs, returned):
        value = numpy.asarray(value)
        if value.size != array.size:
            raise Wrong(f"it returns {value.size} elements for '{name}', which has {array.size}")
        if not numpy.can_cast(value.dtype, array.dtype, casting="same_kind"):
            raise Wrong(f"it returns {value.dtype} for '{name}', which holds {array.dtype}")
        array[:] = value.reshape(-1)


def call(numpy, job):
    source = job["file"]
    sys.path[0] = os.path.dirname(source)
    spec = importlib.util.spec_from_file_location(os.path.basename(source)[:-3], source)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    function = getattr(module, job["function"], None)
    if not callable(function):
        there = [n for n, v in vars(module).items() if getattr(v, "__module__", None) == spec.name and callable(v)]
        raise Wrong(f"it has no function '{job['function']}'; it has: {', '.join(there) or 'none'}")
    copies, outputs = [], []
    arguments = [argument(numpy, a, copies, outputs) for a in job["args"]]
    take_returned(numpy, function(*arguments), outputs)
    for bits, values in copies:
        store_bf16(numpy, bits, values)


def main():
    if sys.argv[1:2] == ["--look"]:
        if importlib.util.find_spec("numpy") is None:
            sys.exit(NO_NUMPY)
        with open(sys.argv[2], "rb") as file:
            try:
                ast.parse(file.read(), sys.argv[2])
            except (SyntaxError, ValueError) as error:
                print(f"{getattr(error, 'lineno', 0) or 0} {getattr(error, 'msg', error)}")
        return
    job = json.load(sys.stdin)
    import numpy
    sys.addaudithook(note_opened)
    answer = {}
    try:
        call(numpy, job)
        answer = {"returned": True, "files": files_read(job["file"], numpy)}
    except Wrong as error:
        answer = {"error": str(error), "file": job["file"], "line": 0}
    except Exception as error:  # what the user's code raises
        file, line = place(error, job["file"])
        what = getattr(error, "msg", None) if isinstance(error, SyntaxError) else str(error)
        answer = {"error": f"{type(error).__name__}: {what}", "file": file, "line": line}
    os.write(job["answer"], json.dumps(answer).encode())


main()
