// The loop in a CUDA program: its own kernels on its own stream, named by its own NVTX ranges.
//
//     nvcc -I../../include main.cu -L../../build -lridge -Xlinker -rpath,../../build -o stream
//     ./stream; ridge show
//
// Needs a GPU; examples/region needs none.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <ridge.h>

#include <cstdio>
#include <cstdlib>

__global__ void scale(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

__global__ void scale4(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = in[i];
        out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    }
}

struct Buffers {
    float *in, *out;
    int n;
};

static int enqueue_scale(void *user, void *stream)
{
    const Buffers *b = static_cast<const Buffers *>(user);
    scale<<<(b->n + 255) / 256, 256, 0, static_cast<cudaStream_t>(stream)>>>(b->out, b->in, b->n);
    return cudaGetLastError() != cudaSuccess;
}

static int enqueue_scale4(void *user, void *stream)
{
    const Buffers *b = static_cast<const Buffers *>(user);
    scale4<<<(b->n / 4 + 255) / 256, 256, 0, static_cast<cudaStream_t>(stream)>>>(
        reinterpret_cast<float4 *>(b->out), reinterpret_cast<const float4 *>(b->in), b->n / 4);
    return cudaGetLastError() != cudaSuccess;
}

static void must(int status)
{
    if (status == RIDGE_OK)
        return;
    std::fprintf(stderr, "stream: %s\n", ridge_error());
    std::exit(status);
}

static void print(const ridge_result *x)
{
    ridge_summary s;
    const char *provenance = "";
    double bytes = 0;
    must(ridge_summarize(x, &s));
    must(ridge_get_counter(x, "dram_read_bytes", &bytes, &provenance));
    std::printf("%-14s %8.2f us %s, 95%% %.2f to %.2f, %zu samples, batch %d, %.0f MHz, %.0f W, "
                "%.2f mJ; dram_read_bytes %.4g (%s)%s%s\n",
                s.name, s.median_ns / 1e3, s.provenance, s.low_ns / 1e3, s.high_ns / 1e3,
                s.sample_count, s.batch, s.sm_mhz, s.power_w, s.energy_mj, bytes, provenance,
                s.note ? "; " : "", s.note ? s.note : "");
}

int main()
{
    Buffers b = {nullptr, nullptr, 1 << 26};
    cudaStream_t stream;
    size_t size_bytes = sizeof(float) * static_cast<size_t>(b.n);
    if (cudaMalloc(&b.in, size_bytes) || cudaMalloc(&b.out, size_bytes) ||
        cudaMemset(b.in, 0, size_bytes) || cudaStreamCreate(&stream)) {
        std::fprintf(stderr, "stream: no GPU to use\n");
        return 1;
    }

    InitializeInjectionNvtx2_fnptr = ridge_nvtx; // before the first NVTX call
    ridge *r;
    must(ridge_open("cuda:0", nullptr, &r)); // the context is the program's
    ridge_region regions[2] = {};
    regions[0].name = "scale";
    regions[0].enqueue = enqueue_scale;
    regions[0].user = &b;
    regions[0].work.bytes = 2.0 * static_cast<double>(size_bytes);
    regions[1] = regions[0];
    regions[1].name = "scale4";
    regions[1].enqueue = enqueue_scale4;
    ridge_measure_options options = {};
    options.count = 1;
    ridge_result *results[2];

    nvtxRangePushA("vectors");
    must(ridge_measure(r, regions, 2, stream, &options, results));
    nvtxRangePop();
    print(results[0]);
    print(results[1]);

    ridge_comparison c;
    must(ridge_compare(results[0], results[1], &c));
    std::printf("scale4: %.4fx (%.4f to %.4f), %s\n", c.ratio, c.low, c.high,
                ridge_verdict_name(c.verdict));
    must(ridge_record(results[0], nullptr));
    must(ridge_record(results[1], results[0]));
    std::printf("recorded as run %lld in %s\n", static_cast<long long>(ridge_run_id(r)),
                ridge_journal_path(r));

    // In the program's own course, with nothing of the discipline: one sample a step.
    ridge_result *step;
    must(ridge_result_open(r, "step", nullptr, &step));
    for (int i = 0; i < 5; i++) {
        must(ridge_begin(step, stream));
        enqueue_scale(&b, stream);
        must(ridge_end(step, stream));
    }
    print(step);
    must(ridge_close(r));
    if (cudaStreamSynchronize(stream) != cudaSuccess) { // the context is whole
        std::fprintf(stderr, "stream: the stream did not outlive ridge\n");
        return 1;
    }
    cudaStreamDestroy(stream);
    cudaFree(b.in);
    cudaFree(b.out);
    return 0;
}
