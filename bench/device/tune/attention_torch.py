"""Times of torch's attention (forward, bf16, head of 128) by its backends: what experiments/attention is beside.

Prints a line per backend and size: median of 11 events, TFLOP/s.
"""
# SPDX-License-Identifier: Apache-2.0
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

print("torch", torch.__version__, "cuDNN", torch.backends.cudnn.version(), torch.cuda.get_device_name())
for heads, length in ((128, 1024), (32, 4096), (8, 16384)):
    q, k, v = (torch.randn(1, heads, length, 128, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
        try:
            with sdpa_kernel(backend):
                run = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v)
                for _ in range(3):
                    run()
                times = []
                for _ in range(11):
                    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                    start.record()
                    run()
                    run()
                    stop.record()
                    stop.synchronize()
                    times.append(start.elapsed_time(stop) / 2)
            ms = sorted(times)[5]
            print(f"H={heads} L={length} {backend.name} {ms * 1000:.1f} us "
                  f"{4 * heads * length * length * 128 / ms / 1e9:.1f} TFLOP/s")
        except RuntimeError as error:
            print(f"H={heads} L={length} {backend.name}: {str(error).splitlines()[0]}")
