// Runs the kernels that alu_h200_test wrote on a GPU and keeps their results:
//   run DIR [LEVEL]    reads DIR/kernels.txt and DIR/inputs.bin, writes DIR/results.bin; LEVEL: of the driver's
//                      compiler, 0 to 4 (its default)
// What ptxas refuses is told and left out.
// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <string>

enum { COUNT = 2048, THREADS = 128 };

static std::string slurp(const std::string &path)
{
    std::string s;
    FILE *f = fopen(path.c_str(), "rb");
    if (f == nullptr) {
        perror(path.c_str());
        exit(1);
    }
    char block[65536];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        s.append(block, n);
    fclose(f);
    return s;
}

static void check(CUresult r, const char *what)
{
    if (r != CUDA_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, (int)r);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const std::string folder = argc > 1 ? argv[1] : ".";
    const size_t level = argc > 2 ? strtoul(argv[2], nullptr, 10) : 4;
    const std::string kernels = slurp(folder + "/kernels.txt"), inputs = slurp(folder + "/inputs.bin");
    CUdevice device;
    CUcontext context;
    CUdeviceptr in, out;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuMemAlloc(&in, inputs.size()), "cuMemAlloc");
    check(cuMemAlloc(&out, COUNT * 8), "cuMemAlloc");
    check(cuMemcpyHtoD(in, inputs.data(), inputs.size()), "cuMemcpyHtoD");
    FILE *results = fopen((folder + "/results.bin").c_str(), "wb");
    if (results == nullptr)
        return 1;
    int run = 0, refused = 0;
    for (size_t at = kernels.find("@@"), next; at != std::string::npos; at = next) {
        next = kernels.find("@@", at + 2);
        const size_t line = kernels.find('\n', at);
        const std::string name = kernels.substr(at + 2, line - at - 2);
        const std::string ptx = kernels.substr(line + 1, next == std::string::npos ? next : next - line - 1);
        char log[2048] = "";
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL};
        void *values[] = {log, (void *)sizeof log, (void *)level};
        CUmodule module;
        CUfunction function;
        if (cuModuleLoadDataEx(&module, ptx.c_str(), 3, options, values) != CUDA_SUCCESS) {
            printf("refused: %s: %s\n", name.c_str(), log);
            refused++;
            continue;
        }
        static unsigned long long values_out[COUNT];
        void *arguments[] = {&in, &out};
        check(cuModuleGetFunction(&function, module, "k"), name.c_str());
        check(cuLaunchKernel(function, COUNT / THREADS, 1, 1, THREADS, 1, 1, 0, nullptr, arguments, nullptr), name.c_str());
        check(cuCtxSynchronize(), name.c_str());
        check(cuMemcpyDtoH(values_out, out, sizeof values_out), name.c_str());
        fprintf(results, "%s\n", name.c_str());
        fwrite(values_out, sizeof values_out, 1, results);
        check(cuModuleUnload(module), name.c_str());
        run++;
    }
    fprintf(stderr, "%d run, %d refused\n", run, refused);
    return fclose(results) != 0;
}
