// Map of strings to pointers: open addressing with linear probing over XXH3 hashes, a power of two
// of entries, at most three quarters full. Nothing is ever removed.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_FIRST_CAPACITY = 16 };

struct table_entry {
    char *key; // NULL: free
    void *value;
    uint64_t hash;
};

void table_release(struct table *t)
{
    for (size_t i = 0; i < t->capacity; i++)
        free(t->entries[i].key);
    free(t->entries);
    *t = (struct table){0};
}

// The entry of the key, or the free one where it would go. Needs capacity > count.
static struct table_entry *table_slot(const struct table *t, const char *key, uint64_t hash)
{
    size_t mask = t->capacity - 1;
    size_t at = (size_t)hash & mask;
    for (;;) {
        struct table_entry *entry = &t->entries[at];
        if (!entry->key || (entry->hash == hash && strcmp(entry->key, key) == 0))
            return entry;
        at = (at + 1) & mask;
    }
}

static void table_grow(struct table *t)
{
    struct table old = *t;
    t->capacity = old.capacity ? old.capacity * 2 : TABLE_FIRST_CAPACITY;
    t->entries = xcalloc(t->capacity, sizeof *t->entries);
    for (size_t i = 0; i < old.capacity; i++) {
        struct table_entry *entry = &old.entries[i];
        if (entry->key)
            *table_slot(t, entry->key, entry->hash) = *entry;
    }
    free(old.entries);
}

void table_set(struct table *t, const char *key, void *value)
{
    if (t->count + 1 > t->capacity / 4 * 3)
        table_grow(t);
    uint64_t hash = hash64(key, strlen(key), 0);
    struct table_entry *entry = table_slot(t, key, hash);
    if (!entry->key) {
        entry->key = xstrdup(key);
        entry->hash = hash;
        t->count++;
    }
    entry->value = value;
}

static const struct table_entry *table_find(const struct table *t, const char *key)
{
    if (t->count == 0)
        return NULL;
    const struct table_entry *entry = table_slot(t, key, hash64(key, strlen(key), 0));
    return entry->key ? entry : NULL;
}

void *table_get(const struct table *t, const char *key)
{
    const struct table_entry *entry = table_find(t, key);
    return entry ? entry->value : NULL;
}

bool table_has(const struct table *t, const char *key)
{
    return table_find(t, key) != NULL;
}
