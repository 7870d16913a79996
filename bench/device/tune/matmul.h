// What the tuning programs of matrix products share: kernels from cubins (one per set of macros, made by
// products.sh), tensor maps, cold inputs, rounds that take every candidate in turn, so that the chip's clocks,
// which its power limits, drift for all alike.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BENCH_TUNE_MATMUL_H
#define RIDGE_BENCH_TUNE_MATMUL_H

#include "tune.h"

#include <cuda.h>
#include <functional>

struct kernel {
    cudaKernel_t function;
    int shared_bytes;
};

static bool kernel_load(struct kernel *k, const std::string &cubin, const char *name,
                        int shared_bytes)
{
    cudaLibrary_t library;
    cudaError_t status =
        cudaLibraryLoadFromFile(&library, cubin.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (status == cudaSuccess)
        status = cudaLibraryGetKernel(&k->function, library, name);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute((const void *)k->function,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    k->shared_bytes = shared_bytes;
    if (status != cudaSuccess) {
        printf("%s: %s\n", cubin.c_str(), cudaGetErrorString(status));
        cudaGetLastError();
    }
    return status == cudaSuccess;
}

static cudaError_t kernel_start(const struct kernel *k, dim3 grid, int block, int cluster,
                                void **args)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {(unsigned)cluster, 1, 1};
    config.gridDim = grid;
    config.blockDim = dim3((unsigned)block);
    config.dynamicSmemBytes = (size_t)k->shared_bytes;
    config.attrs = &attribute;
    config.numAttrs = cluster > 1;
    return cudaLaunchKernelExC(&config, (const void *)k->function, args);
}

// A dense row-major matrix of `rows` times `cols`, boxes of box_rows times box_cols; swizzled ones have rows of 128
// or 64 bytes.
static CUtensorMap tensor_map(CUtensorMapDataType type, int bytes, void *p, int rows, int cols,
                              int box_rows, int box_cols, bool swizzle)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    if (!encode) {
        cudaDriverEntryPointQueryResult found;
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                               cudaEnableDefault, &found));
    }
    CUtensorMap map;
    cuuint64_t dims[2] = {(cuuint64_t)cols, (cuuint64_t)rows},
               strides[1] = {(cuuint64_t)cols * (unsigned)bytes};
    cuuint32_t box[2] = {(cuuint32_t)box_cols, (cuuint32_t)box_rows}, one[2] = {1, 1};
    CUresult status =
        encode(&map, type, 2, p, dims, strides, box, one, CU_TENSOR_MAP_INTERLEAVE_NONE,
               !swizzle                 ? CU_TENSOR_MAP_SWIZZLE_NONE
               : box_cols * bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                        : CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS) {
        printf("tensor map: %d\n", (int)status);
        exit(1);
    }
    return map;
}

struct candidate {
    std::string name;
    std::function<void(int)> start; // on the set of matrices of that number
    std::vector<double> times;
    bool right;
};

// Rounds over all candidates in an order that changes; each sample is `batch` launches on sets in turn.
static void rounds(std::vector<candidate> &all, int count, int batch, int sets)
{
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int r = 0; r < count; r++)
        for (size_t i = 0; i < all.size(); i++) {
            candidate &c = all[(i * 7919 + (size_t)r * 31) % all.size()];
            float ms;
            if (!c.right)
                continue;
            c.start(sets - 1); // what ran before is not this one's
            CHECK(cudaEventRecord(start));
            for (int b = 0; b < batch; b++)
                c.start(b % sets);
            CHECK(cudaEventRecord(stop));
            CHECK(cudaEventSynchronize(stop));
            CHECK(cudaEventElapsedTime(&ms, start, stop));
            c.times.push_back(ms * 1000 / batch);
        }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
}

static double median(std::vector<double> t)
{
    std::sort(t.begin(), t.end());
    return t.empty() ? 0 : t[t.size() / 2];
}

static void print_rounds(std::vector<candidate> &all, double flops, const std::string &peer)
{
    double beside = 0;
    for (auto &c : all)
        if (c.name == peer)
            beside = median(c.times);
    std::sort(all.begin(), all.end(), [](const candidate &a, const candidate &b) {
        return median(a.times) < median(b.times);
    });
    for (auto &c : all) {
        double us = median(c.times);
        if (us > 0)
            printf("  %-40s %9.2f us %7.1f TFLOP/s  %.3f of %s's speed\n", c.name.c_str(), us,
                   flops / us / 1e6, beside / us, peer.c_str());
        else
            printf("  %-40s WRONG or not started\n", c.name.c_str());
    }
    fflush(stdout);
}

#endif
