// CUB's histograms as peers: `library: cub_histogram.so:even_u8`, args: [bins, in, N], counts in u32;
// and even_f32, args: [bins, in, N, low, high]. As many bins as the first buffer has elements.
// SPDX-License-Identifier: Apache-2.0
#include "cub.h"

static const char *check(const struct ridge_peer_call *call, const char *type, size_t count)
{
    const struct ridge_peer_argument *a = call->arguments;
    return call->argument_count == count && cub_is(&a[0], "u32") && cub_is(&a[1], type) &&
                   a[2].integer >= 0 && (size_t)a[2].integer <= a[1].count
               ? NULL
           : count == 3 ? "even_u8 takes [bins, in, N]: buffers of u32 and u8, and how many to count"
                        : "even_f32 takes [bins, in, N, low, high]: buffers of u32 and f32, how many to "
                          "count, and the range";
}

template <typename Sample, typename Level>
static cudaError_t even(const struct ridge_peer_call *call, Level low, Level high, void *workspace,
                        size_t &bytes, cudaStream_t stream)
{
    const struct ridge_peer_argument *a = call->arguments;
    return cub::DeviceHistogram::HistogramEven(workspace, bytes, (const Sample *)a[1].buffer,
                                               (unsigned *)a[0].buffer, (int)a[0].count + 1, low, high,
                                               (long long)a[2].integer, stream);
}

static cudaError_t even_bytes(const struct ridge_peer_call *call, void *workspace, size_t &bytes,
                              cudaStream_t stream)
{
    return even<unsigned char, int>(call, 0, 256, workspace, bytes, stream);
}

static cudaError_t even_floats(const struct ridge_peer_call *call, void *workspace, size_t &bytes,
                               cudaStream_t stream)
{
    const struct ridge_peer_argument *a = call->arguments;
    return even<float, float>(call, (float)a[3].real, (float)a[4].real, workspace, bytes, stream);
}

static const char *u8_workspace(const struct ridge_peer_call *call, size_t *size_bytes)
{
    const char *why = check(call, "u8", 3);
    return why ? why
               : cub_workspace(call, size_bytes, [=](void *workspace, size_t &bytes, cudaStream_t s) {
                     return even_bytes(call, workspace, bytes, s);
                 });
}

static const char *u8_run(const struct ridge_peer_call *call)
{
    return cub_run(call, [=](void *workspace, size_t &bytes, cudaStream_t s) {
        return even_bytes(call, workspace, bytes, s);
    });
}

static const char *f32_workspace(const struct ridge_peer_call *call, size_t *size_bytes)
{
    const char *why = check(call, "f32", 5);
    return why ? why
               : cub_workspace(call, size_bytes, [=](void *workspace, size_t &bytes, cudaStream_t s) {
                     return even_floats(call, workspace, bytes, s);
                 });
}

static const char *f32_run(const struct ridge_peer_call *call)
{
    return cub_run(call, [=](void *workspace, size_t &bytes, cudaStream_t s) {
        return even_floats(call, workspace, bytes, s);
    });
}

extern "C" const struct ridge_peer *even_u8(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI, cub_name(), u8_workspace, u8_run};
    return &peer;
}

extern "C" const struct ridge_peer *even_f32(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI, cub_name(), f32_workspace, f32_run};
    return &peer;
}
