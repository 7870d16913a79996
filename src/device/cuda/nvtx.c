// Ranges: what the program and ridge are doing, by name. Told to a profiler the way NVTX 3 does it, which
// is a header without a library: a tool (nsys, ncu) names its own in NVTX_INJECTION64_PATH; we open that and
// call its InitializeInjectionNvtx2 with a function that hands out our tables of function pointers, in
// which the tool puts its own. The program's NVTX ranges come to us by the same door, in the opposite direction:
// where no tool is named, NVTX 3.1 and later calls the function that the program's variable
// InitializeInjectionNvtx2_fnptr points to. (It is of internal visibility: the program itself must set it.)
// AMD's profilers listen to roctx, a library with functions of its own: rocprofv3 --marker-trace loads it into the program,
// and older ones and other tools are in the environment (ROCP_TOOL_LIBRARIES, HSA_TOOLS_LIB): then it is opened.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- NVTX's own numbers and shapes (nvtxTypes.h, stable since NVTX 3) -------------------------------- */

enum { TABLE_CALLBACKS = 1, TABLE_VERSION = 3 }; // export tables
// Modules of functions, and how many each has, number 0 included.
enum { MODULE_CORE = 1 };
static const unsigned module_sizes[] = {0, 16, 9, 15, 7, 16, 7};
enum { MODULE_SIZE_MAX = 16 };
enum core { // functions of that module
    CORE_RANGE_PUSH_EX = 8,
    CORE_RANGE_PUSH = 9,
    CORE_RANGE_POP = 11
};
enum { NVTX_VERSION = 3, ASCII = 1 };
typedef void any_function(void);
typedef int push_function(const char *name);
typedef int pop_function(void);
struct export_callbacks {
    size_t size_bytes;
    int (*table)(int module, any_function ****out, unsigned *count);
};
struct export_version {
    size_t size_bytes;
    uint32_t version, reserved;
    void (*set_injection_version)(uint32_t version);
};
typedef int initialize_injection(range_tables *get);
struct event_attributes { // nvtxEventAttributes_t
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message;
};

/* ---- to the tool -------------------------------------------------------------------------------------- */

static push_function *tool_push; // NULL = no tool listens
static pop_function *tool_pop;

// The tool sets functions of all modules, though we call two of one.
static int hand_out(int module, any_function ****out, unsigned *count)
{
    static any_function *unused[COUNT_OF(module_sizes)][MODULE_SIZE_MAX];
    static any_function **tables[COUNT_OF(module_sizes)][MODULE_SIZE_MAX + 1];
    if (module <= 0 || (size_t)module >= COUNT_OF(module_sizes))
        return 0;
    for (unsigned i = 1; i < module_sizes[module]; i++)
        tables[module][i] = &unused[module][i];
    if (module == MODULE_CORE) {
        tables[module][CORE_RANGE_PUSH] = (any_function **)(void *)&tool_push;
        tables[module][CORE_RANGE_POP] = (any_function **)(void *)&tool_pop;
    }
    if (out)
        *out = tables[module];
    if (count)
        *count = module_sizes[module];
    return 1;
}

static void take_version(uint32_t version)
{
    (void)version;
}

static const void *export_table(uint32_t id)
{
    static const struct export_callbacks callbacks = {sizeof callbacks, hand_out};
    static const struct export_version version = {sizeof version, NVTX_VERSION, 0, take_version};
    return id == TABLE_CALLBACKS ? (const void *)&callbacks
           : id == TABLE_VERSION ? (const void *)&version
                                 : NULL;
}

static void find_roctx(void)
{
    static const char *const names[] = {"librocprofiler-sdk-roctx.so.1",
                                        "librocprofiler-sdk-roctx.so.0", "libroctx64.so.4", NULL};
    struct error ignored = {0};
    push_function *push = NULL;
    pop_function *pop = NULL;
    void *library = NULL; // what is in the process already
    bool there = library_symbol(library, "roctxRangePushA", &push, sizeof push, &ignored);
    if (!there && (environment("ROCP_TOOL_LIBRARIES") || environment("HSA_TOOLS_LIB"))) {
        library = library_open(names, NULL, &ignored);
        there = library && library_symbol(library, "roctxRangePushA", &push, sizeof push, &ignored);
    }
    if (there && library_symbol(library, "roctxRangePop", &pop, sizeof pop, &ignored)) {
        tool_push = push;
        tool_pop = pop;
    }
}

static void find_tool(void)
{
    const char *path = environment("NVTX_INJECTION64_PATH");
    const char *const names[] = {path, NULL};
    initialize_injection *initialize = NULL;
    struct error ignored = {0};
    void *library = path ? library_open(names, NULL, &ignored) : NULL;
    if (library &&
        library_symbol(library, "InitializeInjectionNvtx2", &initialize, sizeof initialize,
                       &ignored) &&
        initialize(export_table) != 0)
        return;
    tool_push = NULL;
    tool_pop = NULL;
    find_roctx();
}

static void tell_push(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, find_tool);
    if (tool_push)
        (void)tool_push(name);
}

static void tell_pop(void)
{
    if (tool_pop)
        (void)tool_pop();
}

/* ---- this thread's path --------------------------------------------------------------------------------- */

enum { DEPTH_MAX = 64, PATH_BYTES = 1024 };
static _Thread_local struct {
    char text[PATH_BYTES];
    size_t ends[DEPTH_MAX]; // length of the text before each range
    int depth;              // may be above DEPTH_MAX: those deeper have no name
} path;

static void path_push(const char *name)
{
    if (path.depth < DEPTH_MAX) {
        size_t length = strlen(path.text), added = strlen(name);
        path.ends[path.depth] = length;
        if (length + added + 2 <= sizeof path.text) {
            if (length > 0)
                path.text[length++] = '/';
            memcpy(path.text + length, name, added + 1);
        }
    }
    path.depth++;
}

static void path_pop(void)
{
    if (path.depth == 0)
        return;
    path.depth--;
    if (path.depth < DEPTH_MAX)
        path.text[path.ends[path.depth]] = '\0';
}

void range_push(const char *name)
{
    path_push(name);
    tell_push(name);
}

void range_pop(void)
{
    path_pop();
    tell_pop();
}

const char *range_path(void)
{
    return path.text;
}

void phase_begin(const char *name)
{
    tell_push(name);
}

void phase_end(void)
{
    tell_pop();
}

/* ---- from the program ------------------------------------------------------------------------------------ */

static int take_push(const char *name)
{
    path_push(name ? name : "");
    return path.depth - 1;
}

static int take_push_ex(const struct event_attributes *a)
{
    return take_push(a && a->message_type == ASCII ? a->message : "?");
}

static int take_pop(void)
{
    path_pop();
    return path.depth;
}

int ranges_listen(range_tables *get)
{
    any_function ***table = NULL;
    unsigned count = 0;
    const struct export_callbacks *callbacks = get(TABLE_CALLBACKS);
    if (!callbacks || callbacks->size_bytes < sizeof *callbacks ||
        !callbacks->table(MODULE_CORE, &table, &count) || count <= CORE_RANGE_POP)
        return 0;
    *table[CORE_RANGE_PUSH_EX] = (any_function *)take_push_ex;
    *table[CORE_RANGE_PUSH] = (any_function *)take_push;
    *table[CORE_RANGE_POP] = (any_function *)take_pop;
    return 1;
}
