# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A kernel from Python: verified, measured, compared
# Cells as editors and Jupytext know them; or run it whole: `python3 saxpy.py [DEVICE]`.
# Without a GPU it runs on the simulated one, where times are modelled.

# %%
import random
import sys
import tempfile
from pathlib import Path

import ridge

SOURCE = r"""
extern "C" __global__ void strided(float *y, const float *x, float a, int n)
{
    int threads = gridDim.x * blockDim.x, each = (n + threads - 1) / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = first; i < first + each && i < n; i++)
        y[i] = a * x[i];
}
extern "C" __global__ void coalesced(float *y, const float *x, float a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i];
}
"""
n = 1 << 20
gpu = ridge.Device(sys.argv[1] if len(sys.argv) > 1 else "auto")
folder = tempfile.TemporaryDirectory()
source = Path(folder.name, "saxpy.cu")
source.write_text(SOURCE)
module = gpu.compile(source)

# %% [markdown]
# Two ways to do it. Each is a function of a stream that enqueues the work.

# %%
values = [random.uniform(-1, 1) for _ in range(n)]
x = gpu.array(values, "f32", "x")
y = gpu.empty(n, "f32", "y")


def way(name):
    kernel = module.kernel(name)[132, 256]
    return lambda stream: kernel(y, x, ridge.f32(2.0), ridge.i32(n), stream=stream)


ways = {name: way(name) for name in ("strided", "coalesced")}

# %% [markdown]
# First whether they are right: outputs are poisoned, then compared.

# %%
wanted = [2 * v for v in x.values()]
for name, region in ways.items():
    (check,) = gpu.verify(region, [(y, wanted)])
    print(f"{name}: {check}")
    assert check.ok

# %% [markdown]
# Then how long they take, and why.

# %%
results = gpu.measure(ways, case=f"n={n}", work=ridge.Work(bytes=8 * n, flops_f32=n))
for name, result in results.items():
    s = result.summary()
    sectors = result.counter("load_sectors_per_request")
    print(f"{name:10} {s.median_ns / 1e3:8.2f} us {s.provenance}"
          + (f", {sectors.value:.1f} sectors per load request ({sectors.provenance})" if sectors else ""))
c = results["coalesced"].compare(results["strided"])
print(f"coalesced: {c.ratio:.2f}x ({c.low:.2f} to {c.high:.2f}), {c.verdict}")
rows = [r.row() for r in results.values()]  # pandas.DataFrame(rows), where pandas is

# %%
gpu.close()
folder.cleanup()
