// Saved memory with other contents: floats from the distribution that was there, whole numbers in another order. Both by
// pieces of 1 MiB, so that what lies in different places of an allocation stays apart.
// SPDX-License-Identifier: Apache-2.0
#include "replay/internal.h"

#include "capture/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 20, BINS_MAX = 32, VALUES_PER_BIN = 32, DIGITS = 3 };

struct chance { // a source of random numbers
    uint64_t seed, next;
    uint32_t words[4];
};

static uint32_t word(struct chance *c)
{
    if (c->next % 4 == 0)
        philox(c->seed, 0, c->next / 4, c->words);
    return c->words[c->next++ % 4];
}

static size_t below(struct chance *c, size_t count) // pieces have fewer than 2^32 elements
{
    return (size_t)((uint64_t)word(c) * count >> 32);
}

static void shuffle(struct chance *c, char *at, size_t count, size_t bytes)
{
    char kept[sizeof(uint64_t)];
    for (size_t i = count; i > 1; i--) {
        char *a = at + (i - 1) * bytes, *b = at + below(c, i) * bytes;
        memcpy(kept, a, bytes);
        memcpy(a, b, bytes);
        memcpy(b, kept, bytes);
    }
}

/* ---- floats ------------------------------------------------------------------------------------------- */

struct distribution {
    size_t nans, infinities, negative_infinities, zeros, others;
    int bins;
    double edges[BINS_MAX + 1]; // of the others: as many of them between two as between any two
};

static int numbers_rise(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// To three digits: an edge is a number of the data.
static double rounded(double x)
{
    double unit = pow(10, floor(log10(fabs(x))) - (DIGITS - 1));
    double r = unit > 0 ? round(x / unit) * unit : x;
    return isfinite(r) ? r : x;
}

static void measure(enum element_type type, const char *at, size_t count, struct distribution *d)
{
    double *values = xcalloc(count + 1, sizeof *values);
    *d = (struct distribution){0};
    for (size_t i = 0; i < count; i++) {
        double x = element_load(type, at + i * element_bytes(type));
        d->nans += isnan(x) != 0;
        d->infinities += isinf(x) && x > 0;
        d->negative_infinities += isinf(x) && x < 0;
        d->zeros += x == 0;
        if (isfinite(x) && x != 0)
            values[d->others++] = x;
    }
    qsort(values, d->others, sizeof *values, numbers_rise);
    size_t bins = d->others / VALUES_PER_BIN;
    d->bins = bins < 1 ? 1 : bins > BINS_MAX ? BINS_MAX : (int)bins;
    for (int i = 0; d->others > 0 && i <= d->bins; i++)
        d->edges[i] = rounded(values[(d->others - 1) * (size_t)i / (size_t)d->bins]);
    free(values);
}

static double drawn(struct chance *c, const struct distribution *d)
{
    size_t bin = below(c, (size_t)d->bins);
    double share = philox_uniform(word(c));
    return (1 - share) * d->edges[bin] + share * d->edges[bin + 1];
}

// As many of each special value as there were.
static void replace_floats(struct chance *c, enum element_type type, char *at, size_t count)
{
    struct distribution d;
    size_t bytes = element_bytes(type), done = 0;
    measure(type, at, count, &d);
    const struct {
        size_t count;
        double value;
    } special[] = {{d.nans, (double)NAN},
                   {d.infinities, (double)INFINITY},
                   {d.negative_infinities, -(double)INFINITY},
                   {d.zeros, 0}};
    for (size_t i = 0; i < COUNT_OF(special); i++)
        for (size_t k = 0; k < special[i].count; k++)
            (void)element_store(type, special[i].value, at + done++ * bytes);
    while (done < count)
        (void)element_store(type, drawn(c, &d), at + done++ * bytes);
    shuffle(c, at, count, bytes);
}

/* ---- files --------------------------------------------------------------------------------------------- */

static void replace(struct chance *c, const struct content *content, char *at, uint64_t bytes)
{
    size_t each = element_bytes(content->type);
    bool known = content->kind == CONTENT_FLOATS || content->kind == CONTENT_INTEGERS;
    uint64_t whole = known ? bytes / each * each : 0;
    if (content->kind == CONTENT_INDICES)
        return;
    for (uint64_t done = 0; done < whole; done += PIECE_BYTES) {
        size_t piece = whole - done < PIECE_BYTES ? (size_t)(whole - done) : PIECE_BYTES;
        if (content->kind == CONTENT_FLOATS)
            replace_floats(c, content->type, at + done, piece / each);
        else
            shuffle(c, at + done, piece / each, each);
    }
    memset(at + whole, 0, bytes - whole);
}

bool replay_anonymise(const char *path, const struct region *regions, size_t count,
                      struct error *err)
{
    struct stat found;
    struct chance chance = {.seed = random_seed()};
    int fd = open(path, O_RDWR | O_CLOEXEC);
    bool whole = fd >= 0 && fstat(fd, &found) == 0 && found.st_size >= SAVED_HEADER_BYTES;
    size_t size = whole ? (size_t)found.st_size : 0;
    char *map = whole ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    int why = errno;
    if (fd >= 0)
        close(fd);
    if (map == MAP_FAILED)
        return fail_errno(err, why, "%s cannot be anonymised", path);
    uint64_t bytes = size - SAVED_HEADER_BYTES;
    uint64_t first = count > 0 && regions[0].offset < bytes ? regions[0].offset : bytes;
    memset(map + SAVED_HEADER_BYTES, 0, first); // no argument points there
    for (size_t i = 0; i < count && regions[i].offset < bytes; i++) {
        uint64_t end =
            i + 1 < count && regions[i + 1].offset < bytes ? regions[i + 1].offset : bytes;
        replace(&chance, &regions[i].content, map + SAVED_HEADER_BYTES + regions[i].offset,
                end - regions[i].offset);
    }
    munmap(map, size);
    return true;
}
