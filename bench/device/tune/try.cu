// Times candidates of a list: kernels of cubins (try.sh makes them of the experiments' own sources), each on the same
// buffers and held to what the group's first one wrote. Inputs are larger than the L2, or caches are warm: the
// list says what it compares. Usage: try LIST [BUDGET_MS [cold]], cold: an empty L2 before each launch; lines of LIST:
//   buffer NAME BYTES FILL [LOW HIGH]            f32 or bf16 or i32 (uniform), bytes, zero, rows MEAN SKEW (where rows of CSR begin)
//   group TITLE BYTES FLOPS OUT TOLERANCE        a new table; OUT is compared, as f32, or as words with a tolerance of 0,
//                                                or as bf16 of one sign with -N: N apart at most
//   try NAME                                     a candidate; its steps follow
//   clear NAME                                   a buffer, before the next candidate
//   zero NAME                                    a step
//   once CUBIN KERNEL...                         as run, at once and not timed: what a candidate's data need
//   copy TO FROM                                 a step, for the memory's own rate
//   set VARIABLE NAME BYTES                      of the next step's cubin, once
//   run CUBIN KERNEL GRID[,GRID] BLOCK SHARED CLUSTER ARGUMENTS...   a step; an argument is @NAME, i:N, l:N, f:X, or
//                                                map:NAME:TYPE:COLUMNS:ROWS:BOX_COLUMNS:BOX_ROWS:SWIZZLE
// SPDX-License-Identifier: Apache-2.0
#include "tune.h"

#include <cuda.h>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>

struct buffer {
    void *at;
    size_t bytes;
};

static std::map<std::string, buffer> buffers;
static double budget_ms = 40;
static bool cold;

static __global__ void fill_words(unsigned *p, size_t n, unsigned low, unsigned range)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = range ? low + tune_hash(i) % range : tune_hash(i);
}

static __global__ void fill_bf16(unsigned short *p, size_t n, float low, float range)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = (unsigned short)(__float_as_uint(low + range * ((float)(tune_hash(i) >> 8) * 0x1p-24f)) >> 16);
}

static __global__ void differ(unsigned *bad, const float *got, const float *wanted, size_t n, float tolerance)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        bool same = __float_as_uint(got[i]) == __float_as_uint(wanted[i]);
        if (!same && !(tolerance > 0 && fabsf(got[i] - wanted[i]) <= tolerance * (1 + fabsf(wanted[i]))))
            atomicAdd(bad, 1);
    }
}

// As many last bits apart, of numbers of one sign.
static __global__ void differ_bf16(unsigned *bad, const unsigned short *got, const unsigned short *wanted, size_t n, int most)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (abs((int)got[i] - (int)wanted[i]) > most)
            atomicAdd(bad, 1);
}

// Ends of rows at random, `skew` times as many of the elements in the last rows, as the fill `starts` has them.
static void fill_rows(buffer b, double mean, double skew)
{
    size_t rows = b.bytes / 4 - 1;
    std::vector<int> starts(rows + 1);
    for (size_t r = 1; r <= rows; r++) {
        double u = ((double)r + (double)tune_hash(r) / 4294967296.0 - 0.5) / (double)rows;
        starts[r] = (int)((double)rows * mean * pow(std::min(1.0, std::max(0.0, u)), skew));
    }
    std::sort(starts.begin(), starts.end());
    starts[rows] = (int)((double)rows * mean);
    CHECK(cudaMemcpy(b.at, starts.data(), (rows + 1) * 4, cudaMemcpyHostToDevice));
}

static void buffer_read(std::istringstream &words)
{
    std::string name, fill;
    size_t bytes;
    double low = 0, high = 1;
    words >> name >> bytes >> fill >> low >> high;
    buffer b = {tune_buffer<char>(bytes), bytes};
    if (fill == "f32")
        tune_uniform((float *)b.at, bytes / 4, (float)low, (float)high);
    else if (fill == "bf16")
        fill_bf16<<<1024, 256>>>((unsigned short *)b.at, bytes / 2, (float)low, (float)(high - low));
    else if (fill == "i32")
        fill_words<<<1024, 256>>>((unsigned *)b.at, bytes / 4, (unsigned)low, (unsigned)(high - low));
    else if (fill == "bytes")
        fill_words<<<1024, 256>>>((unsigned *)b.at, bytes / 4, 0, 0);
    else if (fill == "rows")
        fill_rows(b, low, high);
    else
        CHECK(cudaMemset(b.at, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    if (buffers.count(name))
        cudaFree(buffers[name].at);
    buffers[name] = b;
}

static CUtensorMap map_of(const std::string &text)
{
    std::istringstream words(text);
    std::string part[8];
    for (auto &p : part)
        std::getline(words, p, ':');
    static decltype(&cuTensorMapEncodeTiled) encode;
    if (!encode) {
        cudaDriverEntryPointQueryResult found;
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault,
                                               &found));
    }
    bool narrow = part[2] == "bf16";
    cuuint64_t dims[2] = {std::stoull(part[3]), std::stoull(part[4])}, strides[1] = {dims[0] * (narrow ? 2 : 4)};
    cuuint32_t box[2] = {(cuuint32_t)std::stoul(part[5]), (cuuint32_t)std::stoul(part[6])}, one[2] = {1, 1};
    int swizzle = std::stoi(part[7]);
    CUtensorMap map;
    CUresult status = encode(&map, narrow ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2,
                             buffers.at(part[1]).at, dims, strides, box, one, CU_TENSOR_MAP_INTERLEAVE_NONE,
                             swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                             : swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                             : CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS)
        printf("tensor map %s: %d\n", text.c_str(), (int)status);
    return map;
}

struct value {
    alignas(64) char bytes[128];
};

static value argument_of(const std::string &word)
{
    value v = {};
    std::string rest = word.substr(word.find(':') + 1);
    if (word[0] == '@') {
        void *at = buffers.at(word.substr(1)).at;
        memcpy(v.bytes, &at, sizeof at);
    } else if (word[0] == 'i') {
        int i = std::stoi(rest);
        memcpy(v.bytes, &i, sizeof i);
    } else if (word[0] == 'l') {
        long long l = std::stoll(rest);
        memcpy(v.bytes, &l, sizeof l);
    } else if (word[0] == 'f') {
        float f = std::stof(rest);
        memcpy(v.bytes, &f, sizeof f);
    } else {
        CUtensorMap m = map_of(word);
        memcpy(v.bytes, &m, sizeof m);
    }
    return v;
}

struct group {
    std::string title;
    double bytes, flops, tolerance;
    buffer out;
    void *wanted; // what the first candidate wrote
};

typedef std::vector<std::function<cudaError_t()>> steps;

static std::function<cudaError_t()> run_read(std::istringstream &words, const std::vector<std::string> &sets)
{
    std::string cubin, kernel, word;
    unsigned grid = 1, across = 1, block, shared, cluster;
    words >> cubin >> kernel >> grid;
    if (words.peek() == ',') {
        words.get();
        words >> across;
    }
    words >> block >> shared >> cluster;
    auto values = std::make_shared<std::vector<value>>();
    while (words >> word)
        values->push_back(argument_of(word));
    cudaLibrary_t library;
    cudaKernel_t function;
    cudaError_t status = cudaLibraryLoadFromFile(&library, cubin.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (status == cudaSuccess)
        status = cudaLibraryGetKernel(&function, library, kernel.c_str());
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute((const void *)function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (status == cudaSuccess && cluster > 8)
        status = cudaFuncSetAttribute((const void *)function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    for (auto &set : sets) {
        std::istringstream parts(set);
        std::string variable, name;
        size_t bytes, size;
        void *at;
        parts >> variable >> name >> bytes;
        if (status == cudaSuccess)
            status = cudaLibraryGetGlobal(&at, &size, library, variable.c_str());
        if (status == cudaSuccess)
            status = cudaMemcpy(at, buffers.at(name).at, bytes, cudaMemcpyDeviceToDevice);
    }
    if (status != cudaSuccess)
        return [status] { return status; };
    return [=] {
        std::vector<void *> pointers;
        for (auto &v : *values)
            pointers.push_back((void *)v.bytes);
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {cluster, 1, 1};
        config.gridDim = dim3(grid, across);
        config.blockDim = dim3(block);
        config.dynamicSmemBytes = shared;
        config.attrs = &attribute;
        config.numAttrs = cluster > 1;
        return cudaLaunchKernelExC(&config, (const void *)function, pointers.data());
    };
}

static void try_one(group &g, const std::string &name, const steps &all)
{
    static unsigned *bad = tune_buffer<unsigned>(1);
    unsigned wrong = 0;
    auto start = [&](int) {
        for (auto &step : all)
            if (step() != cudaSuccess)
                return false;
        return true;
    };
    CHECK(cudaMemset(g.out.at, 0xff, g.out.bytes));
    cudaError_t status = start(0) ? cudaDeviceSynchronize() : cudaGetLastError();
    if (status != cudaSuccess) {
        printf("%-58s %s\n", name.c_str(), cudaGetErrorString(status));
        cudaGetLastError();
        return;
    }
    if (!g.wanted) {
        g.wanted = tune_buffer<char>(g.out.bytes);
        CHECK(cudaMemcpy(g.wanted, g.out.at, g.out.bytes, cudaMemcpyDeviceToDevice));
    }
    CHECK(cudaMemset(bad, 0, 4));
    if (g.tolerance < 0)
        differ_bf16<<<1024, 256>>>(bad, (unsigned short *)g.out.at, (unsigned short *)g.wanted, g.out.bytes / 2, -(int)g.tolerance);
    else
        differ<<<1024, 256>>>(bad, (float *)g.out.at, (float *)g.wanted, g.out.bytes / 4, (float)g.tolerance);
    CHECK(cudaMemcpy(&wrong, bad, 4, cudaMemcpyDeviceToHost));
    tune_row(name.c_str(), cold ? tune_time_cold_us(start, budget_ms) : tune_time_us(start, budget_ms), g.bytes, wrong == 0, g.flops);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, nullptr, _IOLBF, 0); // what was measured is there if a candidate hangs
    std::ifstream file(argc > 1 ? argv[1] : "list.txt");
    budget_ms = argc > 2 ? atof(argv[2]) : budget_ms;
    cold = argc > 3;
    group g = {};
    std::string name;
    steps all;
    std::vector<std::string> sets;
    auto finish = [&] {
        if (!name.empty())
            try_one(g, name, all);
        name.clear();
        all.clear();
    };
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string what, rest;
        words >> what;
        if (what == "run") {
            all.push_back(run_read(words, sets));
            sets.clear();
        } else if (what == "once") {
            finish();
            CHECK(run_read(words, sets)());
            CHECK(cudaDeviceSynchronize());
        } else if (what == "set") {
            sets.push_back(line.substr(4));
        } else if (what == "copy") {
            std::string from;
            words >> rest >> from;
            buffer to = buffers.at(rest), b = buffers.at(from);
            all.push_back([to, b] { return cudaMemcpyAsync(to.at, b.at, to.bytes, cudaMemcpyDeviceToDevice); });
        } else if (what == "zero") {
            words >> rest;
            buffer b = buffers.at(rest);
            all.push_back([b] { return cudaMemsetAsync(b.at, 0, b.bytes); });
        } else {
            finish();
        }
        if (what == "clear") {
            words >> rest;
            CHECK(cudaMemset(buffers.at(rest).at, 0, buffers.at(rest).bytes));
        }
        if (what == "try")
            name = line.substr(4);
        if (what == "buffer")
            buffer_read(words);
        if (what == "group") {
            if (g.wanted)
                cudaFree(g.wanted);
            g = {};
            words >> g.title >> g.bytes >> g.flops >> rest >> g.tolerance;
            g.out = buffers.at(rest);
            printf("\n%s\n", g.title.c_str());
        }
    }
    finish();
    return 0;
}
