// A driver and a CUPTI for tests where there is neither: libcuda.so.1, and with -DFAKE_CUPTI libcupti.so.13. The GPU's
// memory is the host's, its clock goes on 10 us per kernel, 5 us per copy and 1 us per call, and it has one kernel,
// `twice`, which doubles n floats: multiplies them by the variable `factor`, which is 2 unless it is set. cuInit loads what CUDA_INJECTION64_PATH names, as the real one does. With
// FAKE_SUBSCRIBED another profiler listens already. FAKE_NAMES: kernels are named by turns as two names that are long and differ
// in their last letter. FAKE_DEVICE: what the GPU is called. A graph is recorded by its kernels, or as a whole where
// that kind is enabled. FAKE_TIMELESS: kernels of graphs have no times.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/cupti_min.h"

#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FAKE_CUPTI

static buffer_request request;
static buffer_complete complete;
static callback_function callback;
static unsigned char enabled[4][1024];
static uint8_t *buffer;
static size_t size, used;
static uint64_t clock_ns = 1000;
enum { RECORD_BYTES = 256 }; // each record takes as much
enum { CALL_NS = 500 };      // between a call's enter and its exit

int cuptiGetVersion(uint32_t *version)
{
    *version = getenv("FAKE_OLD") ? 18 : 130000;
    return 0;
}

int cuptiGetTimestamp(uint64_t *time_ns)
{
    *time_ns = clock_ns;
    return 0;
}

int cuptiSubscribe(void **subscriber, callback_function f, void *user)
{
    (void)user;
    *subscriber = &callback;
    if (getenv("FAKE_SUBSCRIBED"))
        return CUPTI_OTHER_SUBSCRIBER;
    callback = f;
    return 0;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id)
{
    if (subscriber != &callback || domain > 3 || id >= 1024)
        return 1;
    enabled[domain][id] = (unsigned char)enable;
    return 0;
}

int cuptiActivityRegisterCallbacks(buffer_request r, buffer_complete c)
{
    request = r;
    complete = c;
    return 0;
}

// The recorder hands over on a thread of its own.
static pthread_mutex_t buffers = PTHREAD_MUTEX_INITIALIZER;
static uint64_t kinds;
int cuptiActivityEnable(int kind)
{
    kinds |= UINT64_C(1) << kind;
    return 0;
}

int fake_enabled(int kind);
int fake_enabled(int kind)
{
    return (kinds >> kind & 1) != 0;
}

int cuptiActivityGetNextRecord(uint8_t *data, size_t valid_bytes, void **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + RECORD_BYTES : data;
    if (next >= data + valid_bytes)
        return CUPTI_NO_MORE_RECORDS;
    *record = next;
    return 0;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped)
{
    (void)context;
    (void)stream;
    *dropped = getenv("FAKE_DROPS") ? 3 : 0;
    return 0;
}

static void hand_over(void)
{
    if (buffer)
        complete(NULL, 0, buffer, size, used);
    buffer = NULL;
}

int cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    pthread_mutex_lock(&buffers);
    hand_over();
    pthread_mutex_unlock(&buffers);
    return 0;
}

int fake_handed_over(void);
int fake_handed_over(void)
{
    pthread_mutex_lock(&buffers);
    int over = !buffer;
    pthread_mutex_unlock(&buffers);
    return over;
}

// From the driver: a call's enter or exit; a record of what the GPU did, which takes so long.
void fake_call(int domain, uint32_t id, const void *data);
void fake_call(int domain, uint32_t id, const void *data)
{
    clock_ns += CALL_NS;
    if (callback && enabled[domain][id])
        callback(NULL, domain, id, data);
}
void fake_record(void *record, size_t bytes, uint64_t *start_ns, uint64_t takes_ns);
void fake_record_as_it_is(const void *record, size_t bytes);
void fake_clock(uint64_t now_ns);
void fake_record(void *record, size_t bytes, uint64_t *start_ns, uint64_t takes_ns)
{
    start_ns[0] = clock_ns;
    start_ns[1] = clock_ns += takes_ns;
    fake_record_as_it_is(record, bytes);
}

void fake_record_as_it_is(const void *record, size_t bytes)
{
    if (!fake_enabled(*(const int *)record))
        return;
    pthread_mutex_lock(&buffers);
    if (buffer && used + RECORD_BYTES > size)
        hand_over();
    if (!buffer) {
        size_t most;
        used = 0;
        request(&buffer, &size, &most);
    }
    if (buffer) {
        memcpy(buffer + used, record, bytes);
        used += RECORD_BYTES;
    }
    pthread_mutex_unlock(&buffers);
}

// The next call begins or ends then (fake_call adds what a call takes).
void fake_clock(uint64_t now_ns)
{
    clock_ns = now_ns - CALL_NS;
}

#else

static void (*call)(int domain, uint32_t id, const void *data);
static void (*record)(void *record, size_t bytes, uint64_t *start_ns, uint64_t takes_ns);
static int (*handed_over)(void), (*is_enabled)(int kind);
static _Atomic uint32_t calls;

// Where launches are timed by sample nobody asks CUPTI: the driver has a clock of its own. A call takes the host CALL_NS, the GPU does
// one thing after another, and an event is over when the GPU has passed it. FAKE_SPREAD: kernels take 5 to 15 us, by chance; with
// FAKE_TRUE what all kernels took is written there.
// Kernels begin 630 ns before their first instruction, as on an H200; two events are EVENTS_NS further apart than a kernel takes.
enum { EVENTS_NS = 2100, BEGIN_NS = 630 };
enum { HOST_CALL_NS = 500, KERNEL_NS = 10000, COPY_NS = 5000, NOT_READY = 600 };
static _Atomic uint64_t host_ns = 1000, gpu_ns, true_ns;

static void gpu_does(uint64_t takes_ns)
{
    uint64_t now = host_ns, before = gpu_ns;
    gpu_ns = (before > now ? before : now) + takes_ns;
}

static uint64_t kernel_ns(void)
{
    static uint64_t random = 1;
    uint64_t takes = KERNEL_NS;
    if (getenv("FAKE_SPREAD")) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        takes = KERNEL_NS / 2 + (random >> 33) % KERNEL_NS;
    }
    true_ns += takes;
    return takes;
}

__attribute__((destructor)) static void tell_true(void)
{
    const char *path = getenv("FAKE_TRUE");
    FILE *f = path && true_ns > 0 ? fopen(path, "w") : NULL;
    if (f) {
        fprintf(f, "%llu\n", (unsigned long long)true_ns);
        fclose(f);
    }
}

static int context;
int cuCtxGetCurrent(void **out)
{
    *out = &context;
    return 0;
}

int cuCtxGetDevice(int *device)
{
    *device = 0;
    return 0;
}

int cuCtxPushCurrent_v2(void *c)
{
    return c == &context ? 0 : 201;
}

int cuCtxPopCurrent_v2(void **out)
{
    return cuCtxGetCurrent(out);
}

static int captured; // the one stream is
int cuStreamIsCapturing(void *stream, int *status)
{
    (void)stream;
    *status = captured;
    return 0;
}

int cuThreadExchangeStreamCaptureMode(int *mode)
{
    static int now;
    int before = now;
    now = *mode;
    *mode = before;
    return 0;
}

int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    *stream = &context;
    return 0;
}

int cuStreamDestroy_v2(void *stream)
{
    return stream == &context ? 0 : 400;
}

int cuEventDestroy_v2(void *event)
{
    free(event);
    return 0;
}

int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof(uint64_t));
    return 0;
}

int cuEventRecord(void *event, void *stream)
{
    (void)stream;
    host_ns += HOST_CALL_NS;
    if (captured)
        exit(97);
    gpu_does(EVENTS_NS);
    *(uint64_t *)event = gpu_ns;
    return 0;
}

int cuEventQuery(void *event)
{
    host_ns += HOST_CALL_NS;
    return *(uint64_t *)event > host_ns ? NOT_READY : 0;
}

int cuEventElapsedTime(float *ms, void *from, void *to)
{
    *ms = (float)((double)(*(uint64_t *)to - *(uint64_t *)from) / 1e6);
    return cuEventQuery(to);
}

int cuInit(unsigned flags)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    static bool begun;
    void *library = path && !begun ? dlopen(path, RTLD_NOW) : NULL;
    int (*start)(void);
    (void)flags;
    if (begun)
        return 0;
    begun = true;
    if (path && !library)
        fprintf(stderr, "%s\n", dlerror());
    if (!library)
        return 0;
    *(void **)&start = dlsym(library, "InitializeInjection");
    start();
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
    if (cupti) {
        *(void **)&call = dlsym(cupti, "fake_call");
        *(void **)&record = dlsym(cupti, "fake_record");
        *(void **)&handed_over = dlsym(cupti, "fake_handed_over");
        *(void **)&is_enabled = dlsym(cupti, "fake_enabled");
    }
    return 0;
}

int cuDeviceGetName(char *name, int size_bytes, int device)
{
    const char *given = getenv("FAKE_DEVICE");
    (void)device;
    snprintf(name, (size_t)size_bytes, "%s", given ? given : "Fake GPU");
    return 0;
}

// Calls the driver's callback before (status NULL) or after.
static void tell(uint32_t id, const char *function, const void *parameters, int *status,
                 uint64_t *kept)
{
    struct callback_data data = {.site = status ? SITE_EXIT : SITE_ENTER,
                                 .function = function,
                                 .parameters = parameters,
                                 .status = status,
                                 .symbol = "twice",
                                 .kept = kept,
                                 .correlation = calls};
    if (call)
        call(DOMAIN_DRIVER, id, &data);
}
#define BEGIN(id, ...)                       \
    int status = 0;                          \
    uint64_t kept = 0;                       \
    const void *parameters = &(__VA_ARGS__); \
    calls++;                                 \
    tell(id, __func__, parameters, NULL, &kept)
#define END(id)                                     \
    tell(id, __func__, parameters, &status, &kept); \
    return status

// With FAKE_MACHINE_CODE the program's PTX is loaded as machine code: an ELF file that has a symbol for `factor`, and is
// written to that file.
static struct module_data machine_code(const char *path)
{
    enum { SYMBOLS_AT = 512, NAMES_AT = 768, SECTIONS_AT = 2048, SECTIONS = 3 };
    static const char variables[] = "\0factor";
    static char code[4096];
    FILE *out = fopen(path, "w");
    Elf64_Ehdr head = {
        .e_shoff = SECTIONS_AT, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS};
    Elf64_Sym factor = {.st_name = 1,
                        .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                        .st_shndx = 1,
                        .st_size = 4};
    Elf64_Shdr sections[SECTIONS] = {
        [1] = {.sh_type = SHT_SYMTAB,
               .sh_offset = SYMBOLS_AT,
               .sh_size = sizeof factor,
               .sh_link = 2},
        [2] = {.sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = sizeof variables}};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    memcpy(code, &head, sizeof head);
    memcpy(code + SYMBOLS_AT, &factor, sizeof factor);
    memcpy(code + NAMES_AT, variables, sizeof variables);
    memcpy(code + SECTIONS_AT, sections, sizeof sections);
    memcpy(code + 1024, "twice", sizeof "twice");
    if (out) {
        fwrite(code, sizeof code, 1, out);
        fclose(out);
    }
    return (struct module_data){0, sizeof code, code};
}

int cuModuleLoadData(void **module, const void *image)
{
    static int modules;
    const char *path = getenv("FAKE_MACHINE_CODE");
    struct module_data m =
        path ? machine_code(path) : (struct module_data){0, strlen(image), image};
    m.module = (uint32_t)++modules;
    image = m.image;
    struct resource_data data = {.descriptor = &m};
    struct call_load l = {module, image};
    BEGIN(19, l);
    *module = &modules;
    if (call)
        call(DOMAIN_RESOURCE, RESOURCE_MODULE_LOADED, &data);
    END(19);
}

static char twice, waits; // kernels' handles
// A kernel of a recording that is played: of that name; the next launch of one takes so long.
enum { PLAYED_MAX = 256 };
static struct {
    char name[512];
} played[PLAYED_MAX];
static uint64_t played_ns;
void *fakeKernel(const char *name, uint64_t takes_ns);
void *fakeKernel(const char *name, uint64_t takes_ns)
{
    int i = 0;
    while (i < PLAYED_MAX - 1 && played[i].name[0] && strcmp(played[i].name, name) != 0)
        i++;
    snprintf(played[i].name, sizeof played[i].name, "%s", name);
    played_ns = takes_ns;
    return &played[i];
}

static int is_played(const void *function)
{
    return (const char *)function >= (const char *)played &&
           (const char *)function < (const char *)(played + PLAYED_MAX);
}

int cuFuncGetName(const char **name, void *function)
{
    *name = is_played(function)  ? (const char *)function
            : function == &twice ? "twice"
                                 : "ridge_wait";
    return 0;
}

static float factor = 2;
int cuFuncGetModule(void **module, void *function)
{
    *module = &factor;
    return function == &twice ? 0 : 400;
}

int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module, const char *name)
{
    (void)module;
    *address = (uint64_t)(uintptr_t)&factor;
    *bytes = sizeof factor;
    return strcmp(name, "factor") == 0 ? 0 : 500;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    (void)module;
    *function = strcmp(name, "ridge_wait") == 0 ? &waits : &twice;
    return *function == &waits || strcmp(name, "twice") == 0 ? 0 : 500;
}

int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes)
{
    *offset = 8 * index;
    *bytes = index < 2 ? 8 : 4;
    return function == &twice && index < 3 ? 0 : 1;
}

static struct {
    uint64_t address;
    size_t bytes;
} allocations[8];
int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    static int next;
    *address = (uint64_t)(uintptr_t)calloc(bytes, 1);
    allocations[next].address = *address;
    allocations[next++].bytes = bytes;
    return 0;
}

int cuMemFree_v2(uint64_t address)
{
    free((void *)(uintptr_t)address);
    return 0;
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address)
{
    for (int i = 0; i < 8; i++)
        if (address - allocations[i].address < allocations[i].bytes) {
            *base = allocations[i].address;
            *bytes = allocations[i].bytes;
            return 0;
        }
    return 1;
}

static int copy(void *to, const void *from, size_t bytes, int kind)
{
    struct activity_copy c = {.kind = ACTIVITY_COPY,
                              .copy_kind = (uint8_t)kind,
                              .bytes = bytes,
                              .stream = 7,
                              .correlation = ++calls};
    memcpy(to, from, bytes);
    gpu_does(COPY_NS);
    host_ns = (uint64_t)gpu_ns;
    if (record)
        record(&c, sizeof c, &c.start_ns, 5000);
    return 0;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    return copy((void *)(uintptr_t)to, from, bytes, 1);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    return copy(to, (const void *)(uintptr_t)from, bytes, 2);
}

static const char *kernel_name(void)
{
    static const char *const names[] = {"a_kernel_with_a_name_of_39_letters_x_a_",
                                        "a_kernel_with_a_name_of_39_letters_x_b_"};
    static unsigned turn;
    return getenv("FAKE_NAMES") ? names[turn++ % 2] : "twice";
}

static bool whole_graphs(void)
{
    return is_enabled && is_enabled(ACTIVITY_GRAPH);
}

static void work(const struct call_launch *l, uint32_t graph)
{
    gpu_does(kernel_ns());
    float *in = *(float **)l->parameters[0], *out = *(float **)l->parameters[1];
    int n = *(int *)l->parameters[2];
    struct activity_kernel k = {.kind = ACTIVITY_KERNEL,
                                .registers = 16,
                                .stream = 7,
                                .correlation = calls,
                                .name = kernel_name(),
                                .graph = graph,
                                .node = graph};
    for (int i = 0; i < 3; i++) {
        k.grid[i] = (int)l->grid[i];
        k.block[i] = (int)l->block[i];
    }
    for (int i = 0; i < n; i++)
        out[i] = factor * in[i];
    uint64_t unknown[2];
    if (record && graph && getenv("FAKE_TIMELESS")) // CUPTI does not know when
        record(&k, sizeof k, unknown, 0);
    else if (record && !(graph && whole_graphs()))
        record(&k, sizeof k, &k.start_ns, 10000);
}

static struct call_launch last;
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared_bytes, void *stream, void **values, void **extra)
{
    struct call_launch l = {function, {gx, gy, gz}, {bx, by, bz}, shared_bytes,
                            stream,   values,       extra};
    BEGIN(307, l);
    host_ns += HOST_CALL_NS;
    status = function == &twice || function == &waits || is_played(function) ? 0 : 400;
    if (is_played(function)) {
        gpu_does(played_ns);
    } else if (function == &waits) {
        gpu_does(*(unsigned *)values[0] + BEGIN_NS);
    } else if (status == 0 && !captured) {
        work(&l, 0);
        last = l;
    }
    END(307);
}

// Its graph is what was launched last, twice.
int cuGraphLaunch(void *graph, void *stream)
{
    struct call_graph_launch g = {graph, stream};
    BEGIN(514, g);
    host_ns += HOST_CALL_NS;
    status = graph ? 0 : 400;
    if (!graph) {
        END(514);
    }
    work(&last, 5);
    work(&last, 5);
    struct activity_graph whole = {.kind = ACTIVITY_GRAPH,
                                   .correlation = calls,
                                   .graph = (uint32_t)(uintptr_t)graph,
                                   .stream = 7};
    if (record && whole_graphs())
        record(&whole, sizeof whole, &whole.start_ns, 20000);
    END(514);
}

// Kernels of a graph that is asked for: of the type 0, both of one shape.
int cuGraphInstantiateWithFlags(void **ready, void *graph, uint64_t flags)
{
    (void)flags;
    *ready = graph;
    return 0;
}

int cuGraphGetNodes(void *graph, void **nodes, size_t *count)
{
    for (size_t i = 0; nodes && i < *count; i++)
        nodes[i] = graph;
    *count = nodes ? *count : 2;
    return 0;
}

int cuGraphNodeGetType(void *node, int *type)
{
    (void)node;
    *type = 0;
    return 0;
}

int cuGraphKernelNodeGetParams_v2(void *node, struct kernel_node *out)
{
    (void)node;
    *out = (struct kernel_node){.function = &twice, .grid = {2, 1, 1}, .block = {32, 1, 1}};
    return 0;
}

int cuStreamBeginCapture_v2(void *stream, int mode)
{
    (void)stream;
    (void)mode;
    captured = 1;
    return 0;
}

int cuStreamEndCapture(void *stream, void **graph)
{
    (void)stream;
    *graph = &captured;
    captured = 0;
    return 0;
}

int cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags, int *status)
{
    (void)version;
    (void)flags;
    *out = dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), symbol);
    return *status = *out ? 0 : 500;
}

int cuCtxSynchronize(void)
{
    uint64_t now = host_ns, then = gpu_ns;
    host_ns = (then > now ? then : now) + HOST_CALL_NS;
    return 0;
}

// Has CUPTI no records any more?
int fakeHandedOver(void);
int fakeHandedOver(void)
{
    return !handed_over || handed_over();
}

#endif
