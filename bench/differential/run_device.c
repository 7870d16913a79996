// The random kernels on the first GPU, through the driver's own compiler: run_device [--dump NUMBER] LEVEL
// SEED MODULE.ptx... prints what run_sim prints. LEVEL: of the compiler's optimisation, 0 to 4 (its default). The driver is opened at run time; no header of CUDA's is needed.
// SPDX-License-Identifier: Apache-2.0
#include "differential.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef int result_t;
typedef void *handle_t;

// CUDA driver API, by the names under which libcuda.so.1 exports its present versions.
#define DRIVER(X)                                                                          \
    X(cuInit, (unsigned flags))                                                            \
    X(cuDeviceGet, (int *device, int ordinal))                                             \
    X(cuDevicePrimaryCtxRetain, (handle_t * context, int device))                          \
    X(cuCtxSetCurrent, (handle_t context))                                                 \
    X(cuCtxSynchronize, (void))                                                            \
    X(cuModuleLoadDataEx,                                                                  \
      (handle_t * module, const void *image, unsigned count, int *options, void **values)) \
    X(cuModuleUnload, (handle_t module))                                                   \
    X(cuModuleGetFunction, (handle_t * function, handle_t module, const char *name))       \
    X(cuMemAlloc_v2, (uint64_t * address, size_t size_bytes))                              \
    X(cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t size_bytes))                 \
    X(cuMemcpyDtoH_v2, (void *to, uint64_t from, size_t size_bytes))                       \
    X(cuMemsetD8_v2, (uint64_t to, unsigned char byte, size_t size_bytes))                 \
    X(cuLaunchKernel,                                                                      \
      (handle_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
       unsigned bz, unsigned shared_bytes, handle_t stream, void **args, void **extra))

#define X(name, args) static result_t(*name) args;
DRIVER(X)
#undef X

enum {
    JIT_ERROR_LOG_BUFFER = 5,
    JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    JIT_OPTIMIZATION_LEVEL = 7,
    TEXT_MAX = 64 << 20
};

static uint32_t input[THREADS_MAX * IN_WORDS];
static uint8_t output[OUT_BYTES];
static uint64_t in_address, out_address;

static bool driver_open(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "run_device: no libcuda.so.1: a machine with NVIDIA's driver is needed\n");
        return false;
    }
#define X(name, args)                                  \
    *(void **)(void *)&name = dlsym(library, #name);   \
    if (name == NULL) {                                \
        fprintf(stderr, "run_device: no %s\n", #name); \
        return false;                                  \
    }
    DRIVER(X)
#undef X
    int device = 0;
    handle_t context = NULL;
    return cuInit(0) == 0 && cuDeviceGet(&device, 0) == 0 &&
           cuDevicePrimaryCtxRetain(&context, device) == 0 && cuCtxSetCurrent(context) == 0 &&
           cuMemAlloc_v2(&in_address, IN_BYTES) == 0 && cuMemAlloc_v2(&out_address, OUT_BYTES) == 0;
}

static result_t kernel_run(handle_t module, uint64_t seed, uint64_t number)
{
    static const uint32_t sums[SUM_WORDS] = {0, 0, 0, 0xffffffffu};
    char name[32];
    handle_t function = NULL;
    void *args[] = {&in_address, &out_address};
    (void)snprintf(name, sizeof(name), "k%llu", (unsigned long long)number);
    input_fill(seed, number, input);
    result_t r = cuModuleGetFunction(&function, module, name);
    r = r ? r : cuMemcpyHtoD_v2(in_address, input, sizeof(input));
    r = r ? r : cuMemsetD8_v2(out_address, 0xcd, OUT_BYTES);
    r = r ? r : cuMemcpyHtoD_v2(out_address + OUT_BYTES - sizeof(sums), sums, sizeof(sums));
    r = r ? r
          : cuLaunchKernel(function, grid_of(number), 1, 1, block_of(number), 1, 1, 0, NULL, args,
                           NULL);
    r = r ? r : cuCtxSynchronize();
    return r ? r : cuMemcpyDtoH_v2(output, out_address, OUT_BYTES);
}

static void kernel_dump(uint64_t number)
{
    uint32_t value = 0;
    for (uint32_t t = 0; t < block_of(number) * grid_of(number); t++)
        for (uint32_t w = 0; w < OUT_WORDS; w++) {
            memcpy(&value, output + ((size_t)t * OUT_WORDS + w) * 4, 4);
            printf("%u %u %08x\n", t, w, value);
        }
    for (uint32_t w = 0; w < SUM_WORDS; w++) {
        memcpy(&value, output + ((size_t)THREADS_MAX * OUT_WORDS + w) * 4, 4);
        printf("sum %u %08x\n", w, value);
    }
}

static bool module_run(const char *path, unsigned level, uint64_t seed, const char *dump)
{
    static char text[TEXT_MAX], log[8192];
    FILE *f = fopen(path, "r");
    size_t size = f != NULL ? fread(text, 1, sizeof(text) - 1, f) : 0;
    if (f == NULL || fclose(f) != 0 || size == 0) {
        fprintf(stderr, "run_device: cannot read %s\n", path);
        return false;
    }
    text[size] = '\0';
    const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    uint64_t first = strtoull(base + 1, NULL, 10) * KERNELS_PER_MODULE;
    int options[] = {JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES, JIT_OPTIMIZATION_LEVEL};
    void *values[] = {log, (void *)(uintptr_t)sizeof(log), (void *)(uintptr_t)level};
    handle_t module = NULL;
    result_t r = cuModuleLoadDataEx(&module, text, 3, options, values);
    if (r != 0) {
        fprintf(stderr, "run_device: %s: error %d: %s\n", path, r, log);
        return false;
    }
    for (uint64_t number = first; number < first + KERNELS_PER_MODULE; number++) {
        if (dump != NULL && number != strtoull(dump, NULL, 10))
            continue;
        r = kernel_run(module, seed, number);
        if (r != 0) { // nothing runs in this context any more
            printf("%llu error %d\n", (unsigned long long)number, r);
            return false;
        }
        if (dump != NULL)
            kernel_dump(number);
        else
            printf("%llu %016llx\n", (unsigned long long)number,
                   (unsigned long long)output_hash(output, number));
    }
    return cuModuleUnload(module) == 0;
}

int main(int argc, char **argv)
{
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ); // several at once may write to one file
    const char *dump = argc > 2 && strcmp(argv[1], "--dump") == 0 ? argv[2] : NULL;
    int at = dump != NULL ? 3 : 1;
    if (argc < at + 3) {
        fprintf(stderr, "usage: run_device [--dump NUMBER] LEVEL SEED MODULE.ptx...\n");
        return 2;
    }
    if (!driver_open())
        return 77;
    bool ok = true;
    unsigned level = (unsigned)atoi(argv[at]);
    for (int i = at + 2; i < argc; i++)
        ok = module_run(argv[i], level, strtoull(argv[at + 1], NULL, 0), dump) && ok;
    return ok ? 0 : 1;
}
