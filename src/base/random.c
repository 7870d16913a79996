// Random numbers, the clock and the count of processors.
// Philox 4x32-10 after Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC'11. Mapping: key = seed (low, high); counter = index (low, high), stream (low, high).
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { PHILOX_ROUNDS = 10, WORD_BITS = 32, NS_PER_S = 1000000000 };

static const uint32_t philox_multiplier[2] = {0xD2511F53u, 0xCD9E8D57u};
static const uint32_t philox_weyl[2] = {0x9E3779B9u, 0xBB67AE85u}; // golden ratio; sqrt(3) - 1

void philox(uint64_t seed, uint64_t stream, uint64_t index, uint32_t out[4])
{
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> WORD_BITS);
    uint32_t c0 = (uint32_t)index, c1 = (uint32_t)(index >> WORD_BITS);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> WORD_BITS);
    // Eight scalars: as arrays, gcc packs them into vectors and unpacks them again each round.
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        uint64_t even = (uint64_t)philox_multiplier[0] * c0;
        uint64_t odd = (uint64_t)philox_multiplier[1] * c2;
        c0 = (uint32_t)(odd >> WORD_BITS) ^ c1 ^ key0;
        c1 = (uint32_t)odd;
        c2 = (uint32_t)(even >> WORD_BITS) ^ c3 ^ key1;
        c3 = (uint32_t)even;
        key0 += philox_weyl[0];
        key1 += philox_weyl[1];
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

void philox_blocks(uint64_t seed, uint64_t stream, uint64_t index, size_t count, uint32_t *out)
{
    for (size_t i = 0; i < count; i++)
        philox(seed, stream, index + i, out + 4 * i);
}

double philox_uniform(uint32_t word)
{
    return word * 0x1p-32;
}

uint64_t random_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) == (ssize_t)sizeof seed)
        return seed;
    uint64_t weak[2] = {clock_ns(), (uint64_t)getpid()}; // no such call: still differs by run
    uint32_t words[4];
    philox(weak[0], weak[1], 0, words);
    return (uint64_t)words[0] << WORD_BITS | words[1];
}

uint64_t clock_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void time_utc_iso(char out[32])
{
    struct timespec now; // time() is a tick behind the clock of files, and so a second at times
    struct tm utc = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    (void)strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

// A container's share of the processors (cgroup 2): "quota period" in microseconds, or "max period".
static int cpu_quota(void)
{
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (!f)
        return 0;
    char line[64] = "";
    bool read = fgets(line, sizeof line, f) != NULL;
    (void)fclose(f);
    char *rest = line;
    long quota = read ? strtol(line, &rest, 10) : 0; // "max" reads as 0: no limit
    long period = strtol(rest, NULL, 10);
    return quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

static int cpu_affinity(void)
{
    enum { MAX_CPUS = 8192 };
    cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
    size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
    int count = 0;
    if (set && sched_getaffinity(0, size, set) == 0)
        count = CPU_COUNT_S(size, set);
    CPU_FREE(set);
    if (count > 0)
        return count;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

// The number after `key` in a small file of the system; 0 if there is none ("max").
static uint64_t number_in_file(const char *path, const char *key)
{
    enum { LINES_MAX = 64 };
    FILE *f = fopen(path, "re");
    char line[128];
    uint64_t number = 0;
    for (int i = 0; f && i < LINES_MAX && number == 0 && fgets(line, sizeof line, f); i++)
        if (strncmp(line, key, strlen(key)) == 0)
            number = strtoull(line + strlen(key), NULL, 10);
    if (f)
        (void)fclose(f);
    return number;
}

// What Linux calls available, or what the container (cgroup 2) has left of its share, if less.
uint64_t memory_free_bytes(void)
{
    uint64_t available = 1024 * number_in_file("/proc/meminfo", "MemAvailable:");
    uint64_t most = number_in_file("/sys/fs/cgroup/memory.max", "");
    uint64_t used = number_in_file("/sys/fs/cgroup/memory.current", "");
    uint64_t cache = number_in_file("/sys/fs/cgroup/memory.stat", "inactive_file ");
    if (most == 0)
        return available;
    used = used > cache ? used - cache : 0;
    uint64_t left = most > used ? most - used : 1;
    return available == 0 || left < available ? left : available;
}

int cpu_count(void)
{
    int count = cpu_affinity(), quota = cpu_quota();
    return quota > 0 && quota < count ? quota : count;
}
