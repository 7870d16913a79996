# SPDX-License-Identifier: Apache-2.0
"""The module on the simulated GPU, with nothing but Python. tests/bindings/python_test.sh runs it."""

import array
import inspect
import math
import os
import struct
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import ridge
from ridge import elements

ROOT = Path(os.environ["RIDGE_DATA_DIR"])
KERNELS = ROOT / "examples" / "region" / "kernels.cu"
TRITON = ROOT / "tests" / "cli" / "foreign" / "triton_add.ptx"
N = 256


class Face(unittest.TestCase):
    def test_every_public_name_has_types_and_a_docstring(self):
        def look(name, thing):
            self.assertTrue(inspect.getdoc(thing), f"{name} has no docstring")
            if inspect.isfunction(thing):
                signature = inspect.signature(thing)
                typed = [signature.return_annotation, *(p.annotation for p in signature.parameters.values()
                                                       if p.name not in ("self", "cls"))]
                self.assertNotIn(inspect.Signature.empty, typed, name)

        for name in ridge.__all__:
            thing = getattr(ridge, name)
            if not inspect.isclass(thing) and not inspect.isfunction(thing):
                continue  # a module, or another name of a type
            look(name, thing)
            for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                if not member.startswith("_") and inspect.isfunction(value):
                    look(f"{name}.{member}", value)


class Elements(unittest.TestCase):
    def test_packs_and_unpacks_each_type(self):
        for type in elements.ELEMENTS:
            values = [0, 1, 2, 100]
            self.assertEqual(list(elements.unpack(elements.pack(values, type), type)), values, type)

    def test_bf16_rounds_to_nearest_even(self):
        for value, bits in ((1.0, 0x3F80), (1.00390625, 0x3F80), (1.01171875, 0x3F82), (math.inf, 0x7F80),
                            (-2.0, 0xC000)):
            self.assertEqual(struct.unpack("<H", elements.pack([value], "bf16"))[0], bits, value)
        self.assertTrue(math.isnan(elements.unpack(elements.pack([math.nan], "bf16"), "bf16")[0]))

    def test_buffers_are_taken_as_they_are_if_of_the_type(self):
        self.assertEqual(elements.pack(array.array("f", [1.5]), "f32"), struct.pack("<f", 1.5))
        with self.assertRaisesRegex(TypeError, "'d', not f32"):
            elements.pack(array.array("d", [1.5]), "f32")
        with self.assertRaisesRegex(TypeError, "'f', not i32"):
            elements.pack(array.array("f", [1.5]), "i32")

    def test_compare_holds_to_the_tolerance(self):
        data = elements.pack([1.0, 2.0, 3.0], "f32")
        self.assertTrue(ridge.compare("y", data, "f32", [1.0, 2.0, 3.0]).ok)
        check = ridge.compare("y", data, "f32", [1.0, 2.1, 2.5], rel=1e-3)
        self.assertEqual((check.ok, check.wrong, check.index, check.got, check.wanted), (False, 2, 2, 3.0, 2.5))
        self.assertTrue(ridge.compare("y", data, "f32", [1.0, 2.1, 2.5], rel=0.2).ok)
        self.assertTrue(ridge.compare("y", data, "f32", [1.0, 2.1, 2.5], abs=0.5).ok)

    def test_compare_knows_nan_and_infinity(self):
        data = elements.pack([math.nan, math.inf, 1.0], "f32")
        self.assertTrue(ridge.compare("y", data, "f32", [math.nan, math.inf, 1.0]).ok)
        self.assertEqual(ridge.compare("y", data, "f32", [0.0, -math.inf, math.nan], rel=1, abs=1e9).wrong, 3)

    def test_compare_counts_what_was_never_written(self):
        data = elements.POISON["i32"] + elements.pack([7], "i32")
        check = ridge.compare("y", data, "i32", [1, 7])
        self.assertEqual((check.wrong, check.unwritten), (1, 1))
        self.assertIn("1 of 2 elements were never written", str(check))

    def test_compare_refuses_another_count(self):
        with self.assertRaisesRegex(ValueError, "'y' has 1 elements, 2 are wanted"):
            ridge.compare("y", b"\0\0\0\0", "f32", [0, 0])


class OnTheSimulatedGpu(unittest.TestCase):
    def setUp(self):
        self.gpu = ridge.Device("sim:h200", compiler="clang")
        self.addCleanup(self.gpu.close)
        self.data = [float(i) for i in range(N * N)]
        self.x = self.gpu.array(self.data, "f32", "x")
        self.y = self.gpu.empty(N * N, "f32", "y")
        module = self.gpu.compile(KERNELS)
        grid, block = (N // 32, N // 8), (32, 8)
        rows, columns = module.kernel("by_rows")[grid, block], module.kernel("by_columns")[grid, block]
        self.rows = lambda stream: rows(self.y, self.x, ridge.i32(N), stream=stream)
        self.columns = lambda stream: columns(self.y, self.x, ridge.i32(N), stream=stream)

    def test_says_what_it_is(self):
        self.assertEqual((self.gpu.id, self.gpu.simulated), ("sim:h200", True))
        self.assertIn("H200", self.gpu.name)

    def test_memory_keeps_what_is_written(self):
        self.assertEqual(list(self.x.values()), self.data)
        half = self.gpu.array([0.5, -2.0], "bf16")
        self.assertEqual((list(half.values()), half.size_bytes), ([0.5, -2.0], 4))
        with self.assertRaisesRegex(ValueError, "holds 4 bytes, 2 were given"):
            half.write([1.0])

    def test_selects_a_fallback_where_nothing_is_tuned(self):
        found = self.gpu.select("no-such", {"N": N}, source=KERNELS, table="/nonexistent/tuned.json",
                                fallbacks=[(0, "plain", ""), (9.0, "wide", "TILE=32 ROWS=8"), (99, "x", "")])
        self.assertEqual((found.variant, found.tuned), ("wide", False))
        self.assertEqual(found.parameters, {"TILE": "32", "ROWS": "8"})
        self.assertIn("no entry of no-such", found.why)
        self.assertTrue(found.energy_mj != found.energy_mj)  # NaN: not measured
        with self.assertRaisesRegex(ridge.InputError, "unknown objective 'speed'"):
            self.gpu.select("no-such", {"N": N}, source=KERNELS, fallbacks=[(0, "plain", "")], objective="speed")
        with self.assertRaisesRegex(ridge.InputError, "no fallback is for compute capability 9.0"):
            self.gpu.select("no-such", {"N": N}, source=KERNELS, fallbacks=[(99, "x", "")])

    def test_a_selection_is_kept_while_it_promises_nothing(self):
        with self.gpu.adapt("no-such", {"N": N}, source=KERNELS, table="/nonexistent/tuned.json", log="",
                            fallbacks=[(0, "plain", ""), (9.0, "wide", "TILE=32")]) as choice:
            self.assertEqual((choice.selection.variant, choice.choices), ("wide", 1))
            self.assertFalse(any(choice.add(1e6) for _ in range(20)))
            self.assertFalse(choice.size({"N": 2 * N}))
            self.assertEqual(choice.selection.parameters, {"TILE": "32"})
        with self.assertRaisesRegex(ridge.InputError, "no fallback is for compute capability 9.0"):
            self.gpu.adapt("no-such", {"N": N}, source=KERNELS, fallbacks=[(99, "x", "")])

    def test_watches_regions(self):
        with tempfile.TemporaryDirectory() as folder, self.gpu.watch(overhead=0.5) as watch:
            for _ in range(5):
                with watch.region("rows") as took:
                    self.rows(0)
            figures = watch.figures("rows")
            self.assertEqual(figures.passes, 5)
            self.assertGreaterEqual(figures.timed, 1)
            self.assertIn("time_ns", took)
            watch.write(os.path.join(folder, "job.prom"))
            with open(os.path.join(folder, "job.prom"), encoding="utf-8") as file:
                self.assertIn('region="rows"', file.read())
            with self.assertRaises(ridge.InputError):
                watch.figures("columns")

    def test_verifies_and_measures(self):
        (check,) = self.gpu.verify(self.rows, [(self.y, self.data)])
        self.assertTrue(check.ok, check)
        results = self.gpu.measure({"columns": self.columns, "rows": self.rows}, case=f"N={N}",
                                   work=ridge.Work(bytes=8 * N * N))
        fast, slow = results["rows"], results["columns"]
        self.assertEqual(fast.summary().provenance, "modelled")
        self.assertEqual(fast.summary().case, f"N={N}")
        self.assertLess(fast.median_ns, slow.median_ns)
        self.assertEqual(fast.counter("load_sectors_per_request"), ridge.Counter(4.0, "simulated"))
        self.assertEqual(slow.counter("load_sectors_per_request").value, 32.0)
        self.assertEqual(fast.compare(slow).verdict, "faster")
        self.assertGreater(fast.compare(slow).ratio, 1.0)
        self.assertEqual(fast.row()["samples"], 1)

    def test_a_wrong_kernel_is_not_verified(self):
        wanted = list(self.data)
        wanted[7] = -1.0
        (check,) = self.gpu.verify(self.rows, [(self.y, wanted)])
        self.assertEqual((check.ok, check.wrong, check.index), (False, 1, 7))
        (check,) = self.gpu.verify(lambda stream: None, [(self.y, self.data)])
        self.assertEqual(check.unwritten, N * N)

    def test_records_into_the_journal(self):
        with tempfile.TemporaryDirectory() as folder:
            journal = os.path.join(folder, "journal.sqlite")
            with ridge.Device("sim:h200", journal=journal) as gpu:
                base = gpu.result("base")
                base.add_sample(2000.0)
                base.record()
                fresh = gpu.result("fresh")
                fresh.add_sample(1000.0)
                fresh.record(base)
                self.assertEqual(gpu.run_id, 1)
            self.assertTrue(os.path.exists(journal))

    def test_spans_name_results(self):
        with ridge.span("solve"):
            result = self.gpu.result("step")
        self.assertEqual(result.summary().name, "solve/step")

    def test_an_exception_in_a_region_comes_out(self):
        def fails(stream):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            self.gpu.measure({"fails": fails})

    def test_untyped_numbers_are_refused_with_the_right_spelling(self):
        module = self.gpu.compile(KERNELS)
        with self.assertRaisesRegex(TypeError, r"argument 3 of kernel 'by_rows' is 4, .* write ridge.i32"):
            module.kernel("by_rows")[1, 32](self.y, self.x, 4)

    def test_what_the_kernel_does_wrong_is_an_exception(self):
        module = self.gpu.compile(KERNELS)
        with self.assertRaisesRegex(ridge.CheckFailed, "past the end of 'x'"):
            module.kernel("by_rows")[(N, N), (32, 8)](self.y, self.x, ridge.i32(4 * N))

    def test_ptx_of_triton(self):
        kernel = ridge.triton.load(self.gpu, ptx=TRITON.read_text(), warps=4)
        n = 3000
        x, y, out = (self.gpu.array(v, "f32", name) for name, v in
                     (("x", range(n)), ("y", [1.0] * n), ("out", [0.0] * n)))
        run = lambda stream: kernel[-(-n // 1024)](x, y, out, ridge.i32(n), stream=stream)
        (check,) = self.gpu.verify(run, [(out, [i + 1.0 for i in range(n)])])
        self.assertTrue(check.ok, check)

    def test_a_compiled_kernel_of_triton(self):
        metadata = SimpleNamespace(name="add", num_warps=4, shared=0, global_scratch_size=0)
        compiled = SimpleNamespace(metadata=metadata, asm={"ptx": TRITON.read_text()})
        kernel = ridge.triton.load(self.gpu, compiled)
        self.assertEqual((kernel.warps, kernel.parameters), (4, 6))
        metadata.global_scratch_size = 64
        with self.assertRaisesRegex(ridge.InputError, "64 bytes of scratch memory"):
            ridge.triton.load(self.gpu, compiled)

    def test_a_closed_device_says_so(self):
        gpu = ridge.Device("sim:h200")
        gpu.close()
        gpu.close()
        with self.assertRaisesRegex(ridge.InputError, "closed"):
            gpu.empty(1)


class Errors(unittest.TestCase):
    def test_an_unknown_device_is_the_callers_mistake(self):
        with self.assertRaisesRegex(ridge.InputError, "sim:h20x"):
            ridge.Device("sim:h20x")

    def test_a_kernel_that_does_not_compile(self):
        with tempfile.TemporaryDirectory() as folder, ridge.Device("sim:h200", compiler="clang") as gpu:
            path = os.path.join(folder, "bad.cu")
            with open(path, "w", encoding="utf-8") as f:
                f.write("__global__ void k() { nonsense; }\n")
            with self.assertRaisesRegex(ridge.InputError, "bad.cu:1"):
                gpu.compile(path)


class Streams(unittest.TestCase):
    def test_handles_of_other_libraries(self):
        class OfCudaCore:
            def __cuda_stream__(self):
                return (0, 42)
        for stream, handle in ((None, 0), (7, 7), (SimpleNamespace(cuda_stream=8), 8),
                               (SimpleNamespace(ptr=9), 9), (OfCudaCore(), 42)):
            self.assertEqual(ridge.stream_handle(stream), handle)
        with self.assertRaises(TypeError):
            ridge.stream_handle("stream")


class Division(unittest.TestCase):
    def test_shares_follow_what_each_device_did(self):
        with ridge.Shares(2, granule=10) as shares:
            self.assertEqual(shares.split(100), ([50, 50], 100))
            shares.add(0, 50, 3e9)
            shares.add(1, 50, 1e9)
            self.assertAlmostEqual(shares.rate(1), 50)
            parts, dealt = shares.split(100)
            self.assertEqual(dealt, 100)
            self.assertGreater(parts[1], 2 * parts[0])
            self.assertTrue(all(part % 10 == 0 for part in parts))
            shares.limit(1, 40)
            self.assertEqual(shares.split(100)[0][1], 40)
            shares.lose(0)
            self.assertEqual(shares.split(100), ([0, 40], 40))

    def test_shares_of_no_device_are_an_input_error(self):
        with self.assertRaises(ridge.InputError):
            ridge.Shares(0)


class Experiments(unittest.TestCase):
    def test_runs_one_and_reads_its_results(self):
        run = ridge.run(ROOT / "experiments" / "transpose", device="sim:h200", params={"N": [64, 96]},
                        variants=["naive", "padded"], options=["--no-journal"])
        self.assertTrue(run.passed)
        self.assertEqual((run.experiment, run.device), ("transpose", "sim:h200"))
        self.assertEqual({r.case["N"] for r in run.results}, {64, 96})
        padded = run["padded"]
        self.assertTrue(padded.verified)
        self.assertEqual((padded.provenance, padded.base), ("modelled", padded.json["speedup"]["vs"]))
        self.assertGreater(padded.time_ns, 0)
        self.assertGreater(run["naive"].counter("global_load_sectors"), 0)
        rows = run.rows()
        self.assertEqual(len(rows), len(run.results))
        self.assertEqual(rows[0]["N"], 64)
        self.assertIn("global_load_sectors", rows[0])
        self.assertTrue(all(not isinstance(v, (dict, list)) for row in rows for v in row.values()))

    def test_what_ridge_refuses_is_an_input_error(self):
        with self.assertRaisesRegex(ridge.InputError, "no-such-experiment"):
            ridge.run("no-such-experiment", device="sim:h200")

    def test_a_wrong_result_is_no_exception(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "k.cu").write_text('extern "C" __global__ void k(float *y) { y[threadIdx.x] = 1; }\n')
            Path(folder, "r.c").write_text("void r(float *y) { for (int i = 0; i < 32; i++) y[i] = 2; }\n")
            Path(folder, "experiment.yaml").write_text(
                "experiment: wrong\nsource: k.cu\nreference: r.c:r\nbuffers:\n  y: {type: f32, count: 32, output: true}\n"
                "variants:\n  - {name: k, kernel: k, grid: [1], block: [32], args: [y]}\n")
            run = ridge.run(folder, device="sim:h200", options=["--no-journal"])
        self.assertFalse(run.passed)
        self.assertIs(run["k"].verified, False)

    def test_an_unknown_schema_is_refused(self):
        with self.assertRaisesRegex(ridge.InputError, "schema 2"):
            ridge.parse('{"schema": 2}')


if __name__ == "__main__":
    unittest.main()
