// A driver for tests where there is none: libcuda.so.1 with a GPU whose memory is the host's, whose
// clock counts FAKE_NS a launch (with a little noise), and which knows the kernels of faults.cu by
// name. What the environment says: FAKE_NAME, FAKE_CC (90), FAKE_INIT (a status), FAKE_CRASH,
// FAKE_COUNT, FAKE_NS, FAKE_NOISE (64 ns), FAKE_JUMPS (every
// other launch takes so many times as long), FAKE_PER_WARP (a launch takes that many more per warp of a block), FAKE_SWEEPS (a file
// that gets a line for each sweep of the L2), FAKE_DRIVER (12040), FAKE_LOG
// (a file that gets a line for each context), FAKE_LOADS (one that gets a line for each module that is loaded), FAKE_STRICT. Compiled twice and linked: -DFAKE_REST makes the rest of driver.def.
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef FAKE_REST
#define DRIVER(name, parameters)         \
    __attribute__((weak)) int name(void) \
    {                                    \
        return 801; /* not supported */  \
    }
#include "device/cuda/driver.def"
#else
#include "cubin_file.h"

static int number(const char *name, int otherwise)
{
    const char *value = getenv(name);
    return value ? atoi(value) : otherwise;
}

static int open_handles; // streams and events

int cuInit(unsigned flags)
{
    (void)flags;
    if (getenv("FAKE_HANG"))
        pause();
    if (getenv("FAKE_CRASH"))
        abort();
    return number("FAKE_INIT", 0);
}

int cuDriverGetVersion(int *version)
{
    *version = number("FAKE_DRIVER", 12040);
    return 0;
}

int cuGetErrorName(int status, const char **name)
{
    *name = status == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_OTHER";
    return 0;
}

int cuGetErrorString(int status, const char **text)
{
    *text = status == 100 ? "no CUDA-capable device is detected" : "other";
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = number("FAKE_COUNT", 1);
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int size_bytes, int device)
{
    (void)device;
    const char *given = getenv("FAKE_NAME");
    snprintf(name, (size_t)size_bytes, "%s", given ? given : "NVIDIA H200");
    return 0;
}

int cuDeviceTotalMem_v2(size_t *size_bytes, int device)
{
    (void)device;
    *size_bytes = (size_t)24 << 30;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const struct {
        int attribute, value;
    } known[] = {
        {1, 1024},     {10, 32},       {13, 2000000}, {16, 132},   {36, 8000000}, {37, 384},
        {38, 1 << 25}, {39, 1536},     {81, 102400},  {82, 65536}, {97, 101376},  {106, 24},
        {108, 16384},  {109, 1 << 20}, {111, 1024},   {134, 1},
    };
    (void)device;
    if (attribute == 75 || attribute == 76) {
        int cc = number("FAKE_CC", 90);
        *value = attribute == 75 ? cc / 10 : cc % 10;
        return 0;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return 0;
        }
    return 1;
}

/* ---- a GPU at work ----------------------------------------------------------------------------- */

static char contexts[64]; // by device
static __thread char *current;

// FAKE_STRICT: work for a device is given in its own context, as on a real one.
static int misplaced(const char *context)
{
    return getenv("FAKE_STRICT") && context && context != current ? 400 : 0; // invalid handle
}

struct fake_stream {
    char *context;
};
struct fake_event {
    double time_ns; // first
    char *context;
};

static double now_ns;
static int runs, failed; // launches of this process; the sticky error
static bool hangs;

int cuDeviceGetPCIBusId(char *id, int size_bytes, int device)
{
    snprintf(id, (size_t)size_bytes, "0000:%02x:00.0", device);
    return 0;
}

static void log_line(const char *variable, const char *line)
{
    const char *path = getenv(variable);
    FILE *log = path ? fopen(path, "a") : NULL;
    if (log) {
        (void)fprintf(log, "%s\n", line);
        (void)fclose(log);
    }
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = &contexts[device & 63];
    log_line("FAKE_LOG", "context");
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    current = context;
    return context ? 0 : 1;
}

int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    struct fake_stream *made = calloc(1, sizeof *made);
    made->context = current;
    *stream = made;
    open_handles++;
    return 0;
}

int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    struct fake_event *made = calloc(1, sizeof *made);
    made->context = current;
    *event = made;
    open_handles++;
    return 0;
}

int cuEventRecord(void *event, void *stream)
{
    (void)stream;
    *(double *)event = now_ns;
    return misplaced(((struct fake_event *)event)->context) ? 400 : failed;
}

int cuEventQuery(void *event)
{
    (void)event;
    return hangs ? 600 : failed;
}

int cuEventElapsedTime(float *time_ms, void *start, void *stop)
{
    *time_ms = (float)((*(double *)stop - *(double *)start) / 1e6);
    return 0;
}

int cuStreamSynchronize(void *stream)
{
    (void)stream;
    while (hangs)
        pause();
    return failed;
}

int cuMemAlloc_v2(uint64_t *address, size_t size_bytes)
{
    bool too_much = size_bytes >= (size_t)1 << 31 || getenv("FAKE_NO_MEMORY");
    void *memory = too_much ? NULL : malloc(size_bytes);
    *address = (uint64_t)(uintptr_t)memory;
    return memory ? 0 : 2;
}

int cuMemFree_v2(uint64_t address)
{
    free((void *)(uintptr_t)address);
    return 0;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    *free_bytes = (size_t)1 << 30;
    *total_bytes = (size_t)24 << 30;
    return 0;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size_bytes)
{
    memcpy((void *)(uintptr_t)to, from, size_bytes);
    return failed;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size_bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, size_bytes);
    return failed;
}

int cuMemAllocHost_v2(void **memory, size_t size_bytes)
{
    *memory = malloc(size_bytes);
    return *memory ? 0 : 2;
}

int cuMemFreeHost(void *memory)
{
    free(memory);
    return 0;
}

int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = device != peer && !getenv("FAKE_NO_PEER");
    return 0;
}

int cuDeviceGetP2PAttribute(int *value, int attribute, int device, int peer)
{
    (void)device, (void)peer;
    *value = attribute == 3; // rank 0, atomics
    return 0;
}

int cuMemcpyPeer(uint64_t to, void *to_context, uint64_t from, void *from_context,
                 size_t size_bytes)
{
    (void)to_context, (void)from_context;
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size_bytes);
    return failed;
}

int cuCtxEnablePeerAccess(void *context, unsigned flags)
{
    return flags != 0 || context == current;
}

// Copies of 32 MiB and more only take their time, at 100 GB/s: they are there to be timed.
int cuMemcpyPeerAsync(uint64_t to, void *to_context, uint64_t from, void *from_context,
                      size_t size_bytes, void *stream)
{
    now_ns += (double)size_bytes / 100;
    if (misplaced(stream ? ((struct fake_stream *)stream)->context : NULL))
        return 400;
    return size_bytes >> 25 ? failed : cuMemcpyPeer(to, to_context, from, from_context, size_bytes);
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size_bytes, void *stream)
{
    (void)stream;
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size_bytes);
    return failed;
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t size_bytes, void *stream)
{
    (void)stream;
    memset((void *)(uintptr_t)to, value, size_bytes);
    return failed;
}

static bool lines_reset; // since a kernel of the experiment's ran

int cuCtxResetPersistingL2Cache(void)
{
    lines_reset = true;
    return 0;
}

static void note_sweep(void)
{
    FILE *out = getenv("FAKE_SWEEPS") ? fopen(getenv("FAKE_SWEEPS"), "a") : NULL;
    if (!out)
        return;
    fputs(lines_reset ? "lines reset\n" : "lines kept\n", out);
    fclose(out);
}

int cuStreamDestroy_v2(void *stream)
{
    free(stream);
    open_handles--;
    return 0;
}

int cuEventDestroy_v2(void *event)
{
    free(event);
    open_handles--;
    return 0;
}

// Into the file FAKE_LEDGER: what was not destroyed before.
int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    FILE *ledger = getenv("FAKE_LEDGER") ? fopen(getenv("FAKE_LEDGER"), "a") : NULL;
    if (ledger) {
        fprintf(ledger, "context released, %d handles open\n", open_handles);
        fclose(ledger);
    }
    return 0;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                       void **values)
{
    static const char refused[] = "fake ptxas refuses";
    const char *why = strstr(image, refused);
    *module = &failed;
    log_line("FAKE_LOADS", "load");
    // A cubin is as the driver was given it if its mark, which lies behind zeros, is there. fake_hip.c's are AMD's.
    const unsigned char amd = 224; // e_machine
    if (memcmp(image, "\177ELF", 4) == 0 && ((const unsigned char *)image)[18] != amd)
        return memcmp((const char *)image + 64, "whole", 5) == 0 ? 0 : 200;
    for (unsigned i = 0; why && i < count; i++)
        if (options[i] == 5) { // CU_JIT_ERROR_LOG_BUFFER; others load meanwhile
            snprintf(values[i], 100, "%.*s", (int)strcspn(why, "\n"), why);
            usleep(2000);
        }
    if (why)
        return 218; // CUDA_ERROR_INVALID_PTX
    return strstr(image, ".version 99") ? 222 : 0;
}

// The linker's answer to PTX: machine code of two functions, plain and twin, with the lines of the PTX's first file.
static char linked_file[4096];

int cuLinkCreate_v2(unsigned count, int *options, void **values, void **linker)
{
    *linker = linked_file;
    return count == 1 && options[0] == 13 && values[0] ? number("FAKE_NO_LINKER", 0) : 1;
}

int cuLinkAddData_v2(void *linker, int kind, void *data, size_t size_bytes, const char *name,
                     unsigned count, int *options, void **values)
{
    const char *ptx = data, *file = strstr(ptx, ".file");
    (void)linker, (void)name, (void)count, (void)options, (void)values;
    file = file && strchr(file, '"') ? strchr(file, '"') + 1 : "";
    snprintf(linked_file, sizeof linked_file, "%.*s", (int)strcspn(file, "\""), file);
    return kind == 1 && ptx[size_bytes - 1] == '\0' ? 0 : 1;
}

int cuLinkComplete(void *linker, void **code, size_t *size_bytes)
{
    static struct cubin_file_bytes made;
    (void)linker;
    made.count = 0;
    cubin_file_write(&made, "plain", "twin", linked_file);
    *code = made.data;
    *size_bytes = getenv("FAKE_CUT_CUBIN") ? made.count / 2 : made.count;
    return 0;
}

int cuLinkDestroy(void *linker)
{
    (void)linker;
    return 0;
}

// A function is its name, kept for the whole process as a driver keeps a module's.
static char *kept_name(const char *name)
{
    static struct kept {
        struct kept *next;
        char name[];
    } * first;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    struct kept *k = first;
    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    if (!k && (k = malloc(sizeof *k + strlen(name) + 1))) {
        strcpy(k->name, name);
        k->next = first;
        first = k;
    }
    pthread_mutex_unlock(&lock);
    return k ? k->name : NULL;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    (void)module;
    *function = kept_name(name);
    return number("FAKE_NO_FUNCTION", 0);
}

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    (void)function;
    *value = attribute == 4 ? 32 : 0; // registers
    return 0;
}

/* ---- memory of the host, streams, windows of the L2 ---------------------------------------------- */

int cuMemHostAlloc(void **memory, size_t size_bytes, unsigned flags)
{
    (void)flags;
    *memory = malloc(size_bytes);
    return *memory ? number("FAKE_NO_PINNED", 0) : 2;
}

int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags)
{
    (void)flags;
    *address = (uint64_t)(uintptr_t)memory;
    return 0;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size_bytes, void *stream)
{
    (void)stream;
    now_ns += (double)size_bytes; // 1 GB/s
    return cuMemcpyHtoD_v2(to, from, size_bytes);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size_bytes, void *stream)
{
    (void)stream;
    now_ns += (double)size_bytes;
    return cuMemcpyDtoH_v2(to, from, size_bytes);
}

int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    (void)flags;
    return stream && event ? 0 : 1;
}

static size_t limit; // of the L2's part for lines that stay

int cuCtxGetLimit(size_t *value, int which)
{
    *value = which == 6 ? limit : 0;
    return 0;
}

// Into the file FAKE_LIMITS: what it is set to.
int cuCtxSetLimit(int which, size_t value)
{
    FILE *out = getenv("FAKE_LIMITS") ? fopen(getenv("FAKE_LIMITS"), "a") : NULL;
    limit = which == 6 ? value : limit;
    if (out) {
        fprintf(out, "limit %zu\n", value);
        fclose(out);
    }
    return 0;
}

struct fake_attribute { // CUlaunchAttribute
    int id, unused;
    void *base;
    size_t size_bytes;
    float hit_ratio;
    int hit, miss;
    char rest[28];
};
struct fake_config { // CUlaunchConfig
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    const struct fake_attribute *attributes;
    unsigned attribute_count;
};

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream, void **args, void **extra);

int cuLaunchKernelEx(const struct fake_config *c, void *function, void **args, void **extra)
{
    FILE *out = getenv("FAKE_LIMITS") ? fopen(getenv("FAKE_LIMITS"), "a") : NULL;
    for (unsigned i = 0; out && i < c->attribute_count; i++)
        if (c->attributes[i].id == 1)
            fprintf(out, "window of %zu bytes, %g of it kept, %d %d\n", c->attributes[i].size_bytes,
                    (double)c->attributes[i].hit_ratio, c->attributes[i].hit,
                    c->attributes[i].miss);
    if (out)
        fclose(out);
    return cuLaunchKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                          c->block[2], c->shared_bytes, c->stream, args, extra);
}

/* ---- textures and surfaces: rows of f32 without gaps ----------------------------------------------- */

struct fake_resource { // the head of CUDA_RESOURCE_DESC
    int kind;
    uint64_t address; // or the array
};
struct fake_side { // half of CUDA_MEMCPY2D
    size_t x_bytes, y;
    int memory;
    void *host;
    uint64_t device;
    void *array;
    size_t pitch_bytes;
};
struct fake_copy {
    struct fake_side from, to;
    size_t width_bytes, height;
};

int cuTexObjectCreate(uint64_t *object, const struct fake_resource *resource, const void *sampler,
                      const void *view)
{
    (void)sampler, (void)view;
    *object = resource->address; // an array is its memory
    open_handles++;
    return number("FAKE_NO_TEXTURE", 0);
}

int cuTexObjectDestroy(uint64_t object)
{
    open_handles -= object != 0;
    return 0;
}

int cuSurfObjectCreate(uint64_t *object, const struct fake_resource *resource)
{
    return cuTexObjectCreate(object, resource, NULL, NULL);
}

int cuSurfObjectDestroy(uint64_t object)
{
    return cuTexObjectDestroy(object);
}

int cuArray3DCreate_v2(void **array, const size_t *shape)
{
    *array = calloc(shape[0] * (shape[1] > 0 ? shape[1] : 1), sizeof(float));
    open_handles++;
    return *array ? 0 : 2;
}

int cuArrayDestroy(void *array)
{
    free(array);
    open_handles--;
    return 0;
}

int cuMemcpy2DAsync_v2(const struct fake_copy *copy, void *stream)
{
    const struct fake_side *from = &copy->from, *to = &copy->to;
    const void *source = from->array ? from->array : (const void *)(uintptr_t)from->device;
    (void)stream;
    memcpy(to->array ? to->array : (void *)(uintptr_t)to->device, source,
           copy->width_bytes * copy->height);
    return failed;
}

// A launch passes; fake libraries call it too.
void fake_work(void)
{
    runs++;
    int longer = runs & 1 ? number("FAKE_JUMPS", 1) : 1;
    now_ns += (double)longer * number("FAKE_NS", 50000) + rand() % number("FAKE_NOISE", 64);
}

// c = 2 a b' of peers/peers.cu.
static void fake_product(float *c, const float *a, void **args)
{
    const float *b = (const float *)(uintptr_t) * (uint64_t *)args[2];
    int m = *(int *)args[3], n = *(int *)args[4], k = *(int *)args[5];
    for (int i = 0; i < m * n; i++) {
        c[i] = 0;
        for (int x = 0; x < k; x++)
            c[i] += 2 * a[i / n * k + x] * b[i % n * k + x];
    }
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream, void **args, void **extra)
{
    const char *name = function;
    (void)grid_y, (void)grid_z, (void)block_y, (void)block_z, (void)shared_bytes, (void)stream,
        (void)extra;
    if (misplaced(stream ? ((struct fake_stream *)stream)->context : NULL))
        return 400;
    int before = failed; // as on a real GPU, a kernel's error comes after its launch
    if (strcmp(name, "ridge_sweep") == 0)
        note_sweep();
    if (strncmp(name, "ridge_", 6) == 0)
        return before;
    lines_reset = false;
    if (strncmp(name, "probe_", 6) == 0) { // ridge probe's; atomics are slow
        now_ns += number("FAKE_NS", 50000) * (strstr(name, "atomic") ? 200.0 : 1.0);
        return before;
    }
    float *out = (float *)(uintptr_t) * (uint64_t *)args[0];
    const float *in = (const float *)(uintptr_t) * (uint64_t *)args[1];
    fake_work();
    now_ns += block_x / 32.0 * number("FAKE_PER_WARP", 0);
    if (strcmp(name, "product") == 0) {
        fake_product(out, in, args);
        return before;
    }
    int n = *(int *)args[2];
    static const float *known;
    if (strcmp(name, "knows") == 0 && known != in) {
        now_ns += 4.0 * number("FAKE_NS", 50000);
        known = in;
    }
    if (strcmp(name, "sly") == 0 && block_x == 32) { // fast on what it has seen
        now_ns -= (known == in ? 0.8 : 0) * number("FAKE_NS", 50000);
        known = in;
    }
    if (strcmp(name, "sly") == 0 && block_x == 64 && runs > 20)
        return before;
    hangs = strcmp(name, "hang") == 0;
    if (strcmp(name, "total") == 0) { // fleet/pair
        out[0] = 0;
        for (int i = 0; i < n; i++)
            out[0] += in[i];
        return before;
    }
    if (strcmp(name, "beside") == 0) {
        for (int i = 0; i < n; i++)
            out[i] = (i > 0 ? in[i - 1] : 0) + (i + 1 < n ? in[i + 1] : 0);
        return before;
    }
    if (strcmp(name, "scaled") == 0) {
        const float *factor = (const float *)(uintptr_t) * (uint64_t *)args[3];
        for (int i = 0; i < n; i++)
            out[i] = factor[i & 3] * in[i];
        return before;
    }
    if (strcmp(name, "turned") == 0) {
        int columns = *(int *)args[3];
        for (int i = 0; i < n * columns; i++)
            out[i % columns * n + i / columns] = in[i];
        return before;
    }
    if (strcmp(name, "wild") == 0 || (strcmp(name, "later") == 0 && runs > 5))
        failed = 700;
    if ((strcmp(name, "once") == 0 && runs > 1) || (strcmp(name, "fades") == 0 && runs > 5))
        return before;
    bool loops = strcmp(name, "strided") == 0; // over all, whatever the grid
    for (int i = 0; i < n && (loops || (unsigned)i < grid_x * block_x); i++)
        out[i] = 2 * in[i];
    if (strcmp(name, "wrong") == 0)
        out[4711] = 0;
    return before;
}
#endif
