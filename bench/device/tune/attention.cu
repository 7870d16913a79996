// Candidates for experiments/attention's wgmma_attention: consumers, keys of a tile, stages, order of work; compared
// with its tiled_attention. products.sh compiles one cubin per line of configs-attention.txt.
// SPDX-License-Identifier: Apache-2.0
#include "matmul.h"

#include <cuda_bf16.h>
#include <fstream>
#include <sstream>

typedef __nv_bfloat16 bf16;
enum { D = 128 };

// Normal, by twelve uniform numbers.
static __global__ void fill(bf16 *p, size_t n, unsigned seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float sum = -6;
        for (int j = 0; j < 12; j++)
            sum += (float)(tune_hash(i * 12 + j + ((size_t)seed << 48)) >> 8) * 0x1p-24f;
        p[i] = __float2bfloat16(sum);
    }
}

static __global__ void differ(unsigned *bad, const bf16 *got, const bf16 *wanted, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float g = __bfloat162float(got[i]), w = __bfloat162float(wanted[i]);
        if (!(fabsf(g - w) <= 0.004f + 0.02f * fabsf(w)))
            atomicAdd(bad, 1);
    }
}

static CUtensorMap rows_map(void *p, int length, int heads, int box_rows)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    if (!encode) {
        cudaDriverEntryPointQueryResult found;
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                               cudaEnableDefault, &found));
    }
    CUtensorMap map;
    cuuint64_t dims[3] = {D, (cuuint64_t)length, (cuuint64_t)heads}, strides[2] = {2 * D, 2 * D * (cuuint64_t)length};
    cuuint32_t box[3] = {64, (cuuint32_t)box_rows, 1}, one[3] = {1, 1, 1};
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, p, dims, strides, box, one, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        exit(1);
    return map;
}

struct config {
    std::string name;
    int consumers, keys, stages;
    struct kernel kernel;
};

static struct kernel tiled;

static std::vector<config> configs_read(const std::string &folder)
{
    std::vector<config> all;
    std::ifstream file(folder + "/configs.txt");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        config c = {"", 2, 128, 2, {}};
        words >> c.name;
        for (std::string w; words >> w;) {
            int v = atoi(w.c_str() + w.find('=') + 1);
            std::string key = w.substr(0, w.find('='));
            for (auto &p : std::vector<std::pair<std::string, int *>>{
                     {"CONSUMERS", &c.consumers}, {"KEYS", &c.keys}, {"STAGES", &c.stages}})
                if (key == p.first)
                    *p.second = v;
        }
        int shared = c.consumers * 64 * 256 + 2 * c.stages * c.keys * 256 + 128;
        if (c.name.empty())
            continue;
        if (all.empty())
            kernel_load(&tiled, folder + "/" + c.name + ".cubin", "tiled_attention", 4 * (2 * 128 * 68 + 64 * 128 + 64 * 68));
        if (kernel_load(&c.kernel, folder + "/" + c.name + ".cubin", "wgmma_attention", shared))
            all.push_back(c);
    }
    return all;
}

static void measure(const std::vector<config> &configs, int heads, int length, int count)
{
    size_t n = (size_t)heads * length * D;
    bf16 *q = tune_buffer<bf16>(n), *k = tune_buffer<bf16>(n), *v = tune_buffer<bf16>(n), *o = tune_buffer<bf16>(n);
    bf16 *wanted = tune_buffer<bf16>(n);
    unsigned *bad = tune_buffer<unsigned>(1);
    fill<<<1024, 256>>>(q, n, 1), fill<<<1024, 256>>>(k, n, 2), fill<<<1024, 256>>>(v, n, 3);
    auto simple = [=](bf16 *to) mutable {
        void *args[] = {&to, &q, &k, &v, &length};
        kernel_start(&tiled, dim3((length + 63) / 64, heads), 256, 1, args);
    };
    simple(wanted);
    std::vector<candidate> all;
    for (const config &f : configs) {
        CUtensorMap maps[4] = {rows_map(o, length, heads, 16), rows_map(q, length, heads, 64 * f.consumers),
                               rows_map(k, length, heads, f.keys), rows_map(v, length, heads, f.keys)};
        unsigned grid = (unsigned)((length + 64 * f.consumers - 1) / (64 * f.consumers)), wrong = 0;
        auto start = [=, &f](int) mutable {
            void *args[] = {&maps[0], &maps[1], &maps[2], &maps[3], &length};
            kernel_start(&f.kernel, dim3(grid, heads), 128 * (f.consumers + 1), 1, args);
        };
        CHECK(cudaMemset(o, 0xff, n * 2));
        CHECK(cudaMemset(bad, 0, 4));
        start(0);
        differ<<<1024, 256>>>(bad, o, wanted, n);
        cudaError_t status = cudaMemcpy(&wrong, bad, 4, cudaMemcpyDeviceToHost);
        if (status != cudaSuccess) {
            printf("%s: %s\n", f.name.c_str(), cudaGetErrorString(status));
            exit(1);
        }
        if (wrong)
            printf("%s: %u elements wrong\n", f.name.c_str(), wrong);
        all.push_back({f.name, start, {}, wrong == 0});
    }
    rounds(all, count, 2, 1);
    printf("H=%d L=%d\n", heads, length);
    print_rounds(all, 4.0 * heads * length * length * D, configs[0].name);
    cudaFree(q), cudaFree(k), cudaFree(v), cudaFree(o), cudaFree(wanted), cudaFree(bad);
}

int main(int argc, char **argv)
{
    std::vector<config> configs = configs_read(argc > 1 ? argv[1] : ".");
    int count = argc > 2 ? atoi(argv[2]) : 11;
    if (argc > 3) { // one length, for a profiler
        measure(configs, 16, atoi(argv[3]), count);
        return 0;
    }
    measure(configs, 3, 1003, 1); // edges
    measure(configs, 128, 1024, count);
    measure(configs, 32, 4096, count);
    measure(configs, 8, 16384, count);
    return 0;
}
