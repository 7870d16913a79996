// A profiler's NVTX library, in small: it writes what it hears to the file NVTX_LOG names. With ROCTX it is AMD's roctx.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void function(void);
struct callbacks {
    size_t size;
    int (*table)(int module, function ****out, unsigned *count);
};

static FILE *out;
static int depth;

static int push(const char *name)
{
    fprintf(out, "%*s%s\n", 2 * depth, "", name);
    fflush(out);
    return depth++;
}

static int pop(void)
{
    return --depth;
}

#ifdef ROCTX
int roctxRangePushA(const char *message)
{
    if (!out)
        out = fopen(getenv("NVTX_LOG"), "w");
    return out ? push(message) : -1;
}

int roctxRangePop(void)
{
    return out ? pop() : -1;
}
#else
int InitializeInjectionNvtx2(const void *(*get)(uint32_t id))
{
    static const int others[] = {5, 2, 4}; // modules that ncu will not do without
    function ***table = NULL;
    unsigned count = 0;
    const struct callbacks *callbacks = get(1);
    out = fopen(getenv("NVTX_LOG"), "w");
    for (int i = 0; i < 3; i++)
        if (!callbacks->table(others[i], &table, &count) || count < 7 || !table[count - 1])
            return 0;
    if (!out || !get(3) || !callbacks->table(1, &table, &count) || count <= 11)
        return 0;
    *table[9] = (function *)push;
    *table[11] = (function *)pop;
    return 1;
}
#endif
