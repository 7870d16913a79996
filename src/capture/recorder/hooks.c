// Stands before the driver's calls that launch, copy and fill, where launches are timed by sample (sampling.c): the library is
// preloaded then (LD_PRELOAD), so that a program that is linked with the driver calls the functions of these names here, and one
// that asks for the driver's by dlsym or cuGetProcAddress, as CUDA's runtime does, is given these. Every function calls the driver's.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/sampling.h"

#ifdef SAMPLING_CAN

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*function)(void);
enum {
#define HOOK(symbol) HOOK_##symbol,
#include "capture/recorder/hooks.def"
    HOOKS
};

/* ---- the driver's own ----------------------------------------------------------------------------------- */

// What dlsym (at the end) jumps to where it has nothing to put in a function's place.
__attribute__((visibility("hidden"))) void *(*hooks_dlsym)(void *, const char *);
__attribute__((visibility("hidden"))) void *hooks_find(void *library, const char *symbol);

static const char *const symbols[HOOKS] = {
#define HOOK(symbol) [HOOK_##symbol] = #symbol,
#include "capture/recorder/hooks.def"
};
static _Atomic function real[HOOKS];
static atomic_bool resolved;

static void find_dlsym(void)
{
    if (hooks_dlsym)
        return;
    static const char *const versions[] = {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.34"};
    void *found = NULL;
    for (size_t i = 0; !found && i < COUNT_OF(versions); i++)
        found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    memcpy(&hooks_dlsym, &found, sizeof found);
}

// The driver's functions, once it is loaded; `load`: now, as its first call comes from a program that is linked with it.
static bool resolve(bool load)
{
    if (atomic_load_explicit(&resolved, memory_order_acquire))
        return true;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL | (load ? 0 : RTLD_NOLOAD));
    find_dlsym();
    if (!driver || !hooks_dlsym)
        return false;
    for (int i = 0; i < HOOKS; i++) {
        function found = NULL;
        void *symbol = hooks_dlsym(driver, symbols[i]);
        memcpy(&found, &symbol, sizeof symbol);
        atomic_store(&real[i], found);
    }
    atomic_store_explicit(&resolved, true, memory_order_release);
    return true;
}

static int absent(void)
{
    enum { NOT_FOUND = 500 };
    return NOT_FOUND;
}

static function real_of(int hook)
{
    (void)resolve(true);
    function f = atomic_load_explicit(&real[hook], memory_order_relaxed);
    return f ? f : (function)absent;
}
#define REAL(symbol) ((__typeof__(&(symbol)))real_of(HOOK_##symbol))

// Is this library the one whose dlsym the program calls? A process whose parent took LD_PRELOAD away has it from the driver alone.
bool hooks_stand(void)
{
    Dl_info first, own;
    find_dlsym();
    return hooks_dlsym && dladdr(hooks_dlsym(RTLD_DEFAULT, "dlsym"), &first) != 0 &&
           dladdr(symbols, &own) != 0 && first.dli_fbase == own.dli_fbase;
}

/* ---- launches ------------------------------------------------------------------------------------------- */

// For none, the thread's own stream: CU_STREAM_PER_THREAD.
static void *own(void *stream)
{
    return stream ? stream : (void *)(uintptr_t)2;
}

#define LAUNCH_PARAMETERS                                                                  \
    void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, \
        unsigned shared_bytes, void *stream, void **values
#define LAUNCH_ARGUMENTS f, gx, gy, gz, bx, by, bz, shared_bytes, stream, values
#define LAUNCH_BEGIN(c, stream)                                                            \
    struct counting c;                                                                     \
    counting_launch(&c, f, (const unsigned[]){gx, gy, gz}, (const unsigned[]){bx, by, bz}, \
                    shared_bytes, stream)

EXPORT int cuLaunchKernel(LAUNCH_PARAMETERS, void **extra);
EXPORT int cuLaunchKernel_ptsz(LAUNCH_PARAMETERS, void **extra);
EXPORT int cuLaunchCooperativeKernel(LAUNCH_PARAMETERS);
EXPORT int cuLaunchCooperativeKernel_ptsz(LAUNCH_PARAMETERS);
EXPORT int cuLaunchKernelEx(const struct launch_config *l, void *f, void **values, void **extra);
EXPORT int cuLaunchKernelEx_ptsz(const struct launch_config *l, void *f, void **values,
                                 void **extra);

int cuLaunchKernel(LAUNCH_PARAMETERS, void **extra)
{
    LAUNCH_BEGIN(c, stream);
    return counting_end(&c, REAL(cuLaunchKernel)(LAUNCH_ARGUMENTS, extra));
}

int cuLaunchKernel_ptsz(LAUNCH_PARAMETERS, void **extra)
{
    LAUNCH_BEGIN(c, own(stream));
    return counting_end(&c, REAL(cuLaunchKernel_ptsz)(LAUNCH_ARGUMENTS, extra));
}

int cuLaunchCooperativeKernel(LAUNCH_PARAMETERS)
{
    LAUNCH_BEGIN(c, stream);
    return counting_end(&c, REAL(cuLaunchCooperativeKernel)(LAUNCH_ARGUMENTS));
}

int cuLaunchCooperativeKernel_ptsz(LAUNCH_PARAMETERS)
{
    LAUNCH_BEGIN(c, own(stream));
    return counting_end(&c, REAL(cuLaunchCooperativeKernel_ptsz)(LAUNCH_ARGUMENTS));
}

int cuLaunchKernelEx(const struct launch_config *l, void *f, void **values, void **extra)
{
    struct counting c = {0};
    if (l)
        counting_launch(&c, f, l->grid, l->block, l->shared_bytes, l->stream);
    return counting_end(&c, REAL(cuLaunchKernelEx)(l, f, values, extra));
}

int cuLaunchKernelEx_ptsz(const struct launch_config *l, void *f, void **values, void **extra)
{
    struct counting c = {0};
    if (l)
        counting_launch(&c, f, l->grid, l->block, l->shared_bytes, own(l->stream));
    return counting_end(&c, REAL(cuLaunchKernelEx_ptsz)(l, f, values, extra));
}

/* ---- graphs --------------------------------------------------------------------------------------------- */

EXPORT int cuGraphLaunch(void *graph, void *stream);
EXPORT int cuGraphLaunch_ptsz(void *graph, void *stream);
EXPORT int cuGraphInstantiate(void **out, void *graph, void **node, char *log, size_t bytes);
EXPORT int cuGraphInstantiate_v2(void **out, void *graph, void **node, char *log, size_t bytes);
EXPORT int cuGraphInstantiateWithFlags(void **out, void *graph, uint64_t flags);
EXPORT int cuGraphInstantiateWithParams(void **out, void *graph, void *parameters);
EXPORT int cuGraphInstantiateWithParams_ptsz(void **out, void *graph, void *parameters);
EXPORT int cuGraphExecUpdate(void *ready, void *graph, void **node, int *result);
EXPORT int cuGraphExecUpdate_v2(void *ready, void *graph, void *result);
EXPORT int cuGraphExecDestroy(void *ready);

int cuGraphLaunch(void *graph, void *stream)
{
    struct counting c;
    counting_graph(&c, graph, stream);
    return counting_end(&c, REAL(cuGraphLaunch)(graph, stream));
}

int cuGraphLaunch_ptsz(void *graph, void *stream)
{
    struct counting c;
    counting_graph(&c, graph, own(stream));
    return counting_end(&c, REAL(cuGraphLaunch_ptsz)(graph, stream));
}

static int made(int status, void *const *ready, void *graph)
{
    if (status == 0 && ready)
        graphs_made(*ready, graph);
    return status;
}

int cuGraphInstantiate(void **out, void *graph, void **node, char *log, size_t bytes)
{
    return made(REAL(cuGraphInstantiate)(out, graph, node, log, bytes), out, graph);
}

int cuGraphInstantiate_v2(void **out, void *graph, void **node, char *log, size_t bytes)
{
    return made(REAL(cuGraphInstantiate_v2)(out, graph, node, log, bytes), out, graph);
}

int cuGraphInstantiateWithFlags(void **out, void *graph, uint64_t flags)
{
    return made(REAL(cuGraphInstantiateWithFlags)(out, graph, flags), out, graph);
}

int cuGraphInstantiateWithParams(void **out, void *graph, void *parameters)
{
    return made(REAL(cuGraphInstantiateWithParams)(out, graph, parameters), out, graph);
}

int cuGraphInstantiateWithParams_ptsz(void **out, void *graph, void *parameters)
{
    return made(REAL(cuGraphInstantiateWithParams_ptsz)(out, graph, parameters), out, graph);
}

int cuGraphExecUpdate(void *ready, void *graph, void **node, int *result)
{
    return made(REAL(cuGraphExecUpdate)(ready, graph, node, result), &ready, graph);
}

int cuGraphExecUpdate_v2(void *ready, void *graph, void *result)
{
    return made(REAL(cuGraphExecUpdate_v2)(ready, graph, result), &ready, graph);
}

int cuGraphExecDestroy(void *ready)
{
    graphs_forget(ready);
    return REAL(cuGraphExecDestroy)(ready);
}

/* ---- streams that are captured, and what goes away --------------------------------------------------------- */

EXPORT int cuStreamBeginCapture(void *stream);
EXPORT int cuStreamBeginCapture_ptsz(void *stream);
EXPORT int cuStreamBeginCapture_v2(void *stream, int mode);
EXPORT int cuStreamBeginCapture_v2_ptsz(void *stream, int mode);
#define TO_GRAPH_PARAMETERS \
    void *stream, void *graph, const void *nodes, const void *edges, size_t count, int mode
#define TO_GRAPH_ARGUMENTS stream, graph, nodes, edges, count, mode
EXPORT int cuStreamBeginCaptureToGraph(TO_GRAPH_PARAMETERS);
EXPORT int cuStreamBeginCaptureToGraph_ptsz(TO_GRAPH_PARAMETERS);
EXPORT int cuStreamEndCapture(void *stream, void **graph);
EXPORT int cuStreamEndCapture_ptsz(void *stream, void **graph);

// Begun before the call: another thread's launch must not be timed meanwhile.
#define CAPTURED(call)          \
    do {                        \
        sampling_pause(1);      \
        int status = (call);    \
        if (status != 0)        \
            sampling_pause(-1); \
        return status;          \
    } while (0)

int cuStreamBeginCapture(void *stream)
{
    CAPTURED(REAL(cuStreamBeginCapture)(stream));
}

int cuStreamBeginCapture_ptsz(void *stream)
{
    CAPTURED(REAL(cuStreamBeginCapture_ptsz)(stream));
}

int cuStreamBeginCapture_v2(void *stream, int mode)
{
    CAPTURED(REAL(cuStreamBeginCapture_v2)(stream, mode));
}

int cuStreamBeginCapture_v2_ptsz(void *stream, int mode)
{
    CAPTURED(REAL(cuStreamBeginCapture_v2_ptsz)(stream, mode));
}

int cuStreamBeginCaptureToGraph(TO_GRAPH_PARAMETERS)
{
    CAPTURED(REAL(cuStreamBeginCaptureToGraph)(TO_GRAPH_ARGUMENTS));
}

int cuStreamBeginCaptureToGraph_ptsz(TO_GRAPH_PARAMETERS)
{
    CAPTURED(REAL(cuStreamBeginCaptureToGraph_ptsz)(TO_GRAPH_ARGUMENTS));
}

int cuStreamEndCapture(void *stream, void **graph)
{
    int status = REAL(cuStreamEndCapture)(stream, graph);
    sampling_pause(-1);
    return status;
}

int cuStreamEndCapture_ptsz(void *stream, void **graph)
{
    int status = REAL(cuStreamEndCapture_ptsz)(stream, graph);
    sampling_pause(-1);
    return status;
}

// A handle that is given out again may be another kernel's; events go with their context.
#define GOES(symbol, type, before)   \
    EXPORT int symbol(type handle);  \
    int symbol(type handle)          \
    {                                \
        before;                      \
        return REAL(symbol)(handle); \
    }
GOES(cuModuleUnload, void *, sampling_forget_names())
GOES(cuLibraryUnload, void *, sampling_forget_names())
GOES(cuCtxDestroy, void *, sampling_forget_contexts())
GOES(cuCtxDestroy_v2, void *, sampling_forget_contexts())
GOES(cuDevicePrimaryCtxReset, int, sampling_forget_contexts())
GOES(cuDevicePrimaryCtxReset_v2, int, sampling_forget_contexts())
GOES(cuDevicePrimaryCtxRelease, int, sampling_forget_contexts())
GOES(cuDevicePrimaryCtxRelease_v2, int, sampling_forget_contexts())

/* ---- copies and fills ------------------------------------------------------------------------------------- */

enum { FILL = COPY_DIRECTIONS, SYNC = false, ASYNC = true };

static unsigned direction_of(int from, int to)
{
    enum {
        HOST = 1,
        DEVICE = 2,
        HOST_TO_DEVICE = 1,
        DEVICE_TO_HOST = 2,
        ON_DEVICE = 8,
        ON_HOST = 9
    };
    if (from == HOST)
        return to == DEVICE ? HOST_TO_DEVICE : to == HOST ? ON_HOST : 0;
    return from == DEVICE ? (to == DEVICE ? ON_DEVICE : to == HOST ? DEVICE_TO_HOST : 0) : 0;
}

static unsigned direction_2d(const struct copy_2d *c)
{
    return c ? direction_of(c->from_type, c->to_type) : 0;
}

static unsigned direction_3d(const struct copy_3d *c)
{
    return c ? direction_of(c->from_type, c->to_type) : 0;
}

static uint64_t bytes_2d(const struct copy_2d *c)
{
    return c ? c->width_bytes * c->height : 0;
}

static uint64_t bytes_3d(const struct copy_3d *c)
{
    return c ? c->width_bytes * c->height * c->depth : 0;
}

#define MOVE_ONE(symbol, when, direction, bytes, stream, parameters, arguments) \
    EXPORT int symbol parameters;                                               \
    int symbol parameters                                                       \
    {                                                                           \
        struct counting counted;                                                \
        counting_move(&counted, direction, bytes, stream, when);                \
        return counting_end(&counted, REAL(symbol) arguments);                  \
    }
#define MOVE(symbol, twin, when, direction, bytes, stream, parameters, arguments) \
    MOVE_ONE(symbol, when, direction, bytes, stream, parameters, arguments)       \
    MOVE_ONE(symbol##twin, when, direction, bytes, own(stream), parameters, arguments)
#include "capture/recorder/hooks.def"

/* ---- who asks for a function's address ---------------------------------------------------------------------- */

EXPORT int cuGetProcAddress(const char *symbol, void **out, int version, uint64_t flags);
EXPORT int cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                               int *status);

static const function mine[HOOKS] = {
#define HOOK(symbol) [HOOK_##symbol] = (function)(symbol),
#include "capture/recorder/hooks.def"
};

// Ours of the function at that address of the driver; NULL: it is none of them.
static void *ours(const void *theirs)
{
    void *found = NULL;
    for (int i = 0; theirs && i < HOOKS; i++) {
        function f = atomic_load_explicit(&real[i], memory_order_relaxed);
        if (memcmp(&f, &theirs, sizeof f) == 0) {
            memcpy(&found, &mine[i], sizeof found);
            break;
        }
    }
    return found;
}

// Ours by the name that was asked for, where the driver gives another address than dlsym does. Names stay while functions change: the
// version says which is meant.
static void *ours_by_name(const char *symbol, void *theirs, int version, uint64_t flags)
{
    enum { OWN_STREAM = 2, VERSION_12 = 12000 };
    static const char *const endings[][2] = {
        {"_v2", "_v2_ptsz"}, {"_v2", "_v2_ptds"}, {"", "_ptsz"}, {"", "_ptds"}};
    bool changed = strcmp(symbol, "cuGraphInstantiate") == 0;
    for (int i = 0; i < HOOKS; i++)
        if (memcmp(&mine[i], &theirs, sizeof mine[i]) == 0)
            return NULL; // it is ours already
    if (version < VERSION_12 && (changed || strcmp(symbol, "cuGraphExecUpdate") == 0 ||
                                 strcmp(symbol, "cuGetProcAddress") == 0))
        return NULL;
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        for (int hook = 0; hook < HOOKS; hook++) {
            const char *name = changed ? "cuGraphInstantiateWithFlags" : symbol;
            size_t length = strlen(name);
            const char *ending = changed ? "" : endings[i][(flags & OWN_STREAM) != 0];
            void *found;
            if (strncmp(symbols[hook], name, length) != 0 ||
                strcmp(symbols[hook] + length, ending) != 0)
                continue;
            function f;
            memcpy(&f, &theirs, sizeof f);
            atomic_store(&real[hook], f);
            memcpy(&found, &mine[hook], sizeof found);
            return found;
        }
    return NULL;
}

static int given(int status, const char *symbol, void **out, int version, uint64_t flags)
{
    if (status != 0 || !symbol || !out || !*out || !sampling_wanted() || !resolve(false))
        return status;
    void *instead = ours(*out);
    if (!instead)
        instead = ours_by_name(symbol, *out, version, flags);
    if (instead)
        *out = instead;
    return status;
}

int cuGetProcAddress(const char *symbol, void **out, int version, uint64_t flags)
{
    return given(REAL(cuGetProcAddress)(symbol, out, version, flags), symbol, out, version, flags);
}

int cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags, int *status)
{
    return given(REAL(cuGetProcAddress_v2)(symbol, out, version, flags, status), symbol, out,
                 version, flags);
}

// Called by dlsym with what it was given; NULL: the C library's own answers.
void *hooks_find(void *library, const char *symbol)
{
    find_dlsym();
    if (library == RTLD_NEXT || library == RTLD_DEFAULT || !symbol || symbol[0] != 'c' ||
        symbol[1] != 'u' || !sampling_wanted() || !resolve(false))
        return NULL;
    for (int i = 0; i < HOOKS; i++)
        if (strcmp(symbols[i], symbol) == 0)
            return ours(hooks_dlsym(library, symbol));
    return NULL;
}

// The C library's dlsym looks at who calls it (RTLD_NEXT): it is jumped to, with the caller's own return address.
#ifdef __x86_64__
__asm__(".pushsection .text\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    subq $24, %rsp\n"
        "    .cfi_adjust_cfa_offset 24\n"
        "    movq %rdi, (%rsp)\n"
        "    movq %rsi, 8(%rsp)\n"
        "    call hooks_find\n"
        "    movq (%rsp), %rdi\n"
        "    movq 8(%rsp), %rsi\n"
        "    addq $24, %rsp\n"
        "    .cfi_adjust_cfa_offset -24\n"
        "    testq %rax, %rax\n"
        "    jz 1f\n"
        "    ret\n"
        "1:  jmp *hooks_dlsym(%rip)\n"
        "    .cfi_endproc\n"
        ".size dlsym, .-dlsym\n"
        ".popsection\n");
#else
__asm__(".pushsection .text\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-32]!\n"
        "    .cfi_def_cfa_offset 32\n"
        "    .cfi_offset 29, -32\n"
        "    .cfi_offset 30, -24\n"
        "    stp x0, x1, [sp, #16]\n"
        "    bl hooks_find\n"
        "    mov x16, x0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #32\n"
        "    .cfi_restore 29\n"
        "    .cfi_restore 30\n"
        "    .cfi_def_cfa_offset 0\n"
        "    cbz x16, 1f\n"
        "    mov x0, x16\n"
        "    ret\n"
        "1:  adrp x16, hooks_dlsym\n"
        "    ldr x16, [x16, #:lo12:hooks_dlsym]\n"
        "    br x16\n"
        "    .cfi_endproc\n"
        ".size dlsym, .-dlsym\n"
        ".popsection\n");
#endif
#else
bool hooks_stand(void)
{
    return false;
}
#endif
