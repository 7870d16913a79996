# SPDX-License-Identifier: Apache-2.0
"""The Python module beside PyTorch and Triton on a real GPU; prints `ok - name` or `not ok - name`.

    PYTHONPATH=bindings/python RIDGE_LIBRARY=build/libridge.so python3 tests/device/torch_test.py
Exit status 77 and a reason where PyTorch, Triton or a GPU is not here.
"""

import sys

try:
    import torch
    import triton
    import triton.language as tl
except ImportError as error:
    print(error)
    sys.exit(77)
if not torch.cuda.is_available():
    print("PyTorch sees no GPU")
    sys.exit(77)

import ridge

failures = 0


def passes(name, ok, detail=""):
    global failures
    print(f"{'ok' if ok else 'not ok'} - {name}" + (f"\n# {detail}" if detail else ""), flush=True)
    failures += not ok


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


n = 1 << 16
side = torch.cuda.Stream()
x, y = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
out, half = torch.empty_like(x), torch.empty(n, device="cuda", dtype=torch.bfloat16)
wanted = (x.cpu().double() + y.cpu().double()).float().tolist()
grid = (triton.cdiv(n, 1024),)
torch.cuda.synchronize()


def by_torch(stream):
    torch.add(x, y, out=out)


def by_triton(stream):
    add_kernel[grid](x, y, out, n, BLOCK=1024)


with ridge.Device("cuda:0") as gpu, torch.cuda.stream(side):
    for name, region in (("torch", by_torch), ("triton", by_triton)):
        (check,) = gpu.verify(region, [(out, wanted)], stream=side)
        passes(f"{name}'s sum is verified on its own stream", check.ok, str(check))
    (check,) = gpu.verify(lambda stream: half.copy_(x), [(half, x.bfloat16().float().tolist())], stream=side)
    passes("a bf16 tensor is verified", check.ok, str(check))
    (check,) = gpu.verify(lambda stream: None, [(out, wanted)], stream=side)
    passes("a region that does nothing is not verified", check.unwritten == n, str(check))
    big = [torch.rand(1 << 26, device="cuda") for _ in range(3)]
    results = gpu.measure({"torch": lambda s: torch.add(big[0], big[1], out=big[2]),
                           "triton": lambda s: add_kernel[(1 << 16,)](*big, 1 << 26, BLOCK=1024)},
                          stream=side, work=ridge.Work(bytes=3 * 4 * 2**26), time_limit_s=0.5)
    for name, result in results.items():
        s = result.summary()
        gbps = 3 * 4 * 2**26 / s.median_ns
        passes(f"{name}: {s.median_ns / 1e3:.1f} us {s.provenance}, {gbps:.0f} GB/s, {len(s.samples_ns)} samples",
               s.provenance == "measured" and s.median_ns > 0)
    print("#", results["triton"].compare(results["torch"]))

compiled = add_kernel.warmup(torch.float32, torch.float32, torch.float32, n, BLOCK=1024, grid=grid)
with ridge.Device("sim:h200") as gpu:
    kernel = ridge.triton.load(gpu, compiled)
    sx, sy, so = gpu.array(x.tolist(), "f32", "x"), gpu.array(y.tolist(), "f32", "y"), gpu.empty(n, "f32", "out")
    (check,) = gpu.verify(lambda s: kernel[grid](sx, sy, so, ridge.i32(n)), [(so, wanted)])
    passes("what Triton compiled here runs on the simulated GPU", check.ok, str(check))
sys.exit(failures > 0)
