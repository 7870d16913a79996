// Variables of modules. The driver finds one by its name and lists none, so that the names of all machine code that was loaded are
// kept, and each is asked for in the module of the kernel whose launch is saved. Asking may make the driver load code, which
// names variables on the same thread: names are added under the lock, never taken away, and read without it.
// SPDX-License-Identifier: Apache-2.0
#include "base/elf.h"
#include "capture/recorder/recorder.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 1 << 13, NAMES_KEPT = NAMES_MAX / 2 };

static struct {
    pthread_mutex_t lock;
    _Atomic(char *) items[NAMES_MAX]; // by the hash of the name
    size_t count;
    bool full;
} names = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t place_of_name(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037); // FNV-1a
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    return hash % NAMES_MAX;
}

static void keep_name(const char *name)
{
    size_t at = place_of_name(name);
    const char *there;
    while ((there = atomic_load(&names.items[at])) && strcmp(there, name) != 0)
        at = (at + 1) % NAMES_MAX;
    if (there)
        return;
    if (names.count == NAMES_KEPT) {
        if (!names.full)
            recorder_trouble("modules have more than %d variables: further ones are not saved",
                             NAMES_KEPT);
        names.full = true;
        return;
    }
    char *kept = strdup(name);
    atomic_store(&names.items[at], kept);
    names.count += kept != NULL;
}

void variables_take(const void *image, size_t size_bytes)
{
    uint64_t at = 0;
    struct elf f;
    if (!image || !elf_open(image, size_bytes, &f))
        return;
    pthread_mutex_lock(&names.lock);
    for (const char *name; (name = elf_next_variable(&f, &at)) != NULL;)
        keep_name(name);
    pthread_mutex_unlock(&names.lock);
}

// A launch may be given a library's kernel in place of a function.
static void *module_of(void *function)
{
    const struct driver_functions *d = &recorder.driver;
    void *module = NULL, *inner = NULL;
    if (!d->module || d->module(&module, function) == 0)
        return module;
    return d->kernel_function && d->kernel_function(&inner, function) == 0 &&
                   d->module(&module, inner) == 0
               ? module
               : NULL;
}

void variables_each(void *function,
                    void (*take)(const char *name, uint64_t address, uint64_t size_bytes))
{
    void *module = recorder.driver.variable ? module_of(function) : NULL;
    for (size_t i = 0; module && i < NAMES_MAX; i++) {
        const char *name = atomic_load(&names.items[i]);
        uint64_t address = 0;
        size_t bytes = 0;
        if (name && recorder.driver.variable(&address, &bytes, module, name) == 0 && bytes > 0)
            take(name, address, bytes);
    }
}
