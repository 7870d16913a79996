// Ranges that the program names by NVTX, which loads what NVTX_INJECTION64_PATH says and asks it to put its functions into
// tables (nvtx.def). A range is recorded when it ends; one that began before the recorder did is not.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/nvtx_min.h"
#include "capture/recorder/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { DEPTH_MAX = 64, OPEN_MAX = 4096, NAME_BYTES = 512 };

struct open_range {
    uint64_t id, start_ns,
        name; // id: of those that any thread may end; start_ns is 0: it is not recorded
    const void *domain;
};

__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*get)(uint32_t table));

/* ---- names ---------------------------------------------------------------------------------------- */

static void narrow(const wchar_t *from, char to[NAME_BYTES])
{
    size_t n = 0;
    for (; from && from[n] && n + 1 < NAME_BYTES; n++)
        to[n] = from[n] > 0 && from[n] < 128 ? (char)from[n] : '?';
    to[n] = '\0';
}

// A domain is its name, and so is a registered string.
static struct open_range opened(const char *domain, const char *name)
{
    char words[2 * NAME_BYTES];
    struct open_range r = {.domain = domain};
    if (atomic_load_explicit(&recorder.off, memory_order_relaxed))
        return r;
    snprintf(words, sizeof words, "%s%s%s", domain ? domain : "", domain ? ": " : "",
             name ? name : "");
    r.name = recorder_name(words);
    r.start_ns = recorder_clock_ns();
    return r;
}

static struct open_range opened_as(const char *domain, const struct nvtx_attributes *x)
{
    char words[NAME_BYTES];
    if (!x || x->message_type == 0)
        return opened(domain, NULL);
    if (x->message_type != MESSAGE_WIDE)
        return opened(domain, x->message);
    narrow(x->message, words);
    return opened(domain, words);
}

static void closed(const struct open_range *r, uint64_t thread)
{
    struct event_range event = {r->start_ns, recorder_clock_ns(), thread, r->name};
    if (r->start_ns > 0 && !atomic_load_explicit(&recorder.off, memory_order_relaxed))
        RECORD(RANGE, event);
}

/* ---- ranges of a thread, one within the other --------------------------------------------------------- */

static _Thread_local struct open_range stack[DEPTH_MAX];
static _Thread_local int depth; // may be more than there is room for

static int push(struct open_range r)
{
    if (depth < DEPTH_MAX)
        stack[depth] = r;
    return depth++;
}

static int pop(const char *domain)
{
    int at = depth < DEPTH_MAX ? depth : DEPTH_MAX;
    if (depth > DEPTH_MAX)
        return --depth;
    while (at > 0 && stack[at - 1].domain != domain)
        at--;
    if (at == 0)
        return -1;
    closed(&stack[at - 1], recorder_thread());
    memmove(&stack[at - 1], &stack[at], (size_t)(depth - at) * sizeof stack[0]);
    return --depth;
}

/* ---- ranges that any thread may end ----------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct open_range open_ranges[OPEN_MAX];

static uint64_t start(struct open_range r)
{
    static uint64_t ids;
    pthread_mutex_lock(&lock);
    r.id = ++ids;
    open_ranges[r.id % OPEN_MAX] = r;
    pthread_mutex_unlock(&lock);
    return r.id;
}

static void end(uint64_t id)
{
    pthread_mutex_lock(&lock);
    struct open_range *at = &open_ranges[id % OPEN_MAX], r = *at;
    if (r.id == id)
        *at = (struct open_range){0};
    pthread_mutex_unlock(&lock);
    if (r.id == id)
        closed(&r, 0);
}

/* ---- one function per row of nvtx.def ------------------------------------------------------------------- */

static uint64_t RangeStartEx(const struct nvtx_attributes *x)
{
    return start(opened_as(NULL, x));
}

static uint64_t RangeStartA(const char *name)
{
    return start(opened(NULL, name));
}

static uint64_t RangeStartW(const wchar_t *name)
{
    char words[NAME_BYTES];
    narrow(name, words);
    return start(opened(NULL, words));
}

static void RangeEnd(uint64_t id)
{
    end(id);
}

static int RangePushEx(const struct nvtx_attributes *x)
{
    return push(opened_as(NULL, x));
}

static int RangePushA(const char *name)
{
    return push(opened(NULL, name));
}

static int RangePushW(const wchar_t *name)
{
    char words[NAME_BYTES];
    narrow(name, words);
    return push(opened(NULL, words));
}

static int RangePop(void)
{
    return pop(NULL);
}

static uint64_t DomainRangeStartEx(const char *domain, const struct nvtx_attributes *x)
{
    return start(opened_as(domain, x));
}

static void DomainRangeEnd(const char *domain, uint64_t id)
{
    (void)domain;
    end(id);
}

static int DomainRangePushEx(const char *domain, const struct nvtx_attributes *x)
{
    return push(opened_as(domain, x));
}

static int DomainRangePop(const char *domain)
{
    return pop(domain);
}

// What was made stays for the program's life: NVTX asks for it again by its handle.
static char *DomainRegisterStringA(const char *domain, const char *words)
{
    (void)domain;
    return strdup(words ? words : "");
}

static char *DomainCreateA(const char *name)
{
    return strdup(name ? name : "");
}

/* ---- tables ----------------------------------------------------------------------------------------------- */

typedef void (*any_function)(void);

// 1: NVTX calls what was put into its tables.
int InitializeInjectionNvtx2(const void *(*get)(uint32_t table))
{
    static const struct {
        uint32_t module, number;
        any_function function;
    } rows[] = {
#define NVTX(module, number, function) {module, number, (any_function)(function)},
#include "capture/recorder/nvtx.def"
#undef NVTX
    };
    const struct nvtx_callbacks *callbacks = get(TABLE_CALLBACKS);
    if (!callbacks || callbacks->size_bytes < sizeof *callbacks)
        return 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        any_function **table = NULL;
        unsigned count = 0;
        if (callbacks->table(rows[i].module, &table, &count) == 1 && rows[i].number < count &&
            table[rows[i].number])
            *table[rows[i].number] = rows[i].function;
    }
    callbacks_want();
    return 1;
}
