// Runs the kernels that tensor_test wrote on a GPU of compute capability 9.0 and keeps their results:
//   run DIR    reads DIR/kernels.txt and DIR/inputs.bin, writes DIR/results.bin
// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

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

static bool works(CUresult r, const char *what)
{
    if (r != CUDA_SUCCESS)
        fprintf(stderr, "%s: error %d\n", what, (int)r);
    return r == CUDA_SUCCESS;
}

int main(int argc, char **argv)
{
    const std::string folder = argc > 1 ? argv[1] : ".";
    const std::string kernels = slurp(folder + "/kernels.txt"), inputs = slurp(folder + "/inputs.bin");
    CUdevice device;
    CUcontext context;
    if (!works(cuInit(0), "cuInit") || !works(cuDeviceGet(&device, 0), "cuDeviceGet") ||
        !works(cuDevicePrimaryCtxRetain(&context, device), "context") ||
        !works(cuCtxSetCurrent(context), "cuCtxSetCurrent"))
        return 1;
    FILE *results = fopen((folder + "/results.bin").c_str(), "wb");
    if (results == nullptr)
        return 1;
    size_t in_at = 0;
    for (size_t at = kernels.find("@@"), next; at != std::string::npos; at = next) {
        next = kernels.find("@@", at + 2);
        const size_t line = kernels.find('\n', at);
        char name[128];
        unsigned blocks, threads;
        size_t in_bytes, out_bytes;
        if (sscanf(kernels.c_str() + at + 2, "%127s %u %u %zu %zu", name, &blocks, &threads, &in_bytes,
                   &out_bytes) != 5)
            return 1;
        const std::string ptx = kernels.substr(line + 1, next == std::string::npos ? next : next - line - 1);
        std::vector<char> out(out_bytes, 0);
        char log[2048] = "";
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void *values[] = {log, (void *)sizeof log};
        CUmodule module;
        CUfunction kernel;
        CUdeviceptr to, from;
        if (cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values) != CUDA_SUCCESS) {
            fprintf(stderr, "%s refused: %s\n", name, log);
        } else if (works(cuModuleGetFunction(&kernel, module, "k"), name) &&
                   works(cuMemAlloc(&from, in_bytes), name) && works(cuMemAlloc(&to, out_bytes), name)) {
            void *args[] = {&to, &from};
            if (!works(cuMemcpyHtoD(from, inputs.data() + in_at, in_bytes), name) ||
                !works(cuMemsetD8(to, 0, out_bytes), name) ||
                !works(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, nullptr, args, nullptr), name) ||
                !works(cuMemcpyDtoH(out.data(), to, out_bytes), name))
                return 1;
            cuMemFree(from);
            cuMemFree(to);
            cuModuleUnload(module);
        }
        in_at += in_bytes;
        fwrite(out.data(), 1, out_bytes, results);
    }
    return fclose(results) == 0 ? 0 : 1;
}
