// NCCL for tests where there is none: libnccl.so.2 on the fake driver (tests/device/fake_driver.c), whose memory is the
// host's. Work is done when the group ends; a group takes as long as a launch. Processes that joined send each other
// files in a folder, whose name is the id: one.two.N is what rank one sent rank two the Nth time. What the environment
// says: FAKE_NCCL_FAILS
// (it does not connect), FAKE_NCCL_WRONG (sums lack the last device), FAKE_NCCL_LOG (a file that gets what
// NCCL_NVLS_ENABLE is), FAKE_NCCL_SLOW (a pair whose messages take three times as long). FAKE_NCCL_LEAVES (a rank whose process
// ends when it joins). The collectives that ridge uses, on bytes and f32.
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID_BYTES = 128, FILE_MOST = 1 << 20, WAIT_US = 200 };
enum { GPUS_MOST = 8, WORK_MOST = 256, FLOATS = 7 };
enum kind { REDUCE, SCATTER, GATHER, BROADCAST, SEND, RECEIVE };

struct work {
    enum kind kind;
    int rank, peer; // peer: or the root
    const void *from;
    void *to;
    size_t count;
};
static int ranks[GPUS_MOST], rank_count;
static struct work works[WORK_MOST];
static int work_count, depth;
static char folder[ID_BYTES]; // "": one process
static int own, sent[GPUS_MOST], taken[GPUS_MOST];

void fake_work(void); // the driver's: time passes

int ncclGetVersion(int *version)
{
    *version = 22703;
    return 0;
}

const char *ncclGetErrorString(int status)
{
    return status == 3 ? "internal error" : "invalid usage";
}

int ncclCommInitAll(void **communicators, int count, const int *devices)
{
    FILE *log = getenv("FAKE_NCCL_LOG") ? fopen(getenv("FAKE_NCCL_LOG"), "a") : NULL;
    const char *multicast = getenv("NCCL_NVLS_ENABLE");
    if (log) {
        fprintf(log, "NCCL_NVLS_ENABLE=%s\n", multicast ? multicast : "unset");
        fclose(log);
    }
    rank_count = count;
    for (int i = 0; i < count; i++) {
        ranks[i] = i;
        communicators[i] = &ranks[i];
        if (devices[i] != i)
            return 5;
    }
    return getenv("FAKE_NCCL_FAILS") ? 3 : 0;
}

struct id {
    char name[ID_BYTES];
};

int ncclGetUniqueId(struct id *id)
{
    memset(id, 0, sizeof *id);
    strcpy(id->name, "/tmp/fake-nccl-XXXXXX");
    return mkdtemp(id->name) ? 0 : 2;
}

int ncclCommInitRank(void **communicator, int count, struct id id, int rank)
{
    if (getenv("FAKE_NCCL_LEAVES") && atoi(getenv("FAKE_NCCL_LEAVES")) == rank)
        _exit(9);
    memcpy(folder, id.name, sizeof folder);
    rank_count = count;
    own = ranks[rank] = rank;
    *communicator = &ranks[rank];
    return getenv("FAKE_NCCL_FAILS") ? 3 : 0;
}

int ncclCommDestroy(void *communicator)
{
    return communicator ? 0 : 4;
}

int ncclGroupStart(void)
{
    depth++;
    return 0;
}

static int add(enum kind kind, int peer, const void *from, void *to, size_t count,
               void *communicator)
{
    if (depth == 0 || work_count == WORK_MOST)
        return 5;
    works[work_count++] = (struct work){kind, *(int *)communicator, peer, from, to, count};
    return 0;
}

int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation,
                  void *communicator, void *stream)
{
    (void)stream;
    return type != FLOATS || operation != 0 ? 4 : add(REDUCE, 0, from, to, count, communicator);
}

int ncclReduceScatter(const void *from, void *to, size_t count, int type, int operation,
                      void *communicator, void *stream)
{
    (void)stream;
    return type != FLOATS || operation != 0 ? 4 : add(SCATTER, 0, from, to, count, communicator);
}

int ncclAllGather(const void *from, void *to, size_t count, int type, void *communicator,
                  void *stream)
{
    (void)stream;
    return type != 1 ? 4 : add(GATHER, 0, from, to, count, communicator);
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, void *communicator,
                  void *stream)
{
    (void)stream;
    return type != 1 ? 4 : add(BROADCAST, root, from, to, count, communicator);
}

int ncclSend(const void *from, size_t count, int type, int peer, void *communicator, void *stream)
{
    (void)stream;
    return type != 1 ? 4 : add(SEND, peer, from, NULL, count, communicator);
}

int ncclRecv(void *to, size_t count, int type, int peer, void *communicator, void *stream)
{
    (void)stream;
    return type != 1 ? 4 : add(RECEIVE, peer, NULL, to, count, communicator);
}

static bool is_small(size_t bytes) // larger ones are there to be timed
{
    return bytes >> 25 == 0;
}

// Calls of one kind and count, one of each rank in turn, belong together. blocks: of the sum each rank gets one.
static int reduce(struct work *w, bool blocks)
{
    size_t count = blocks ? w->count * (size_t)rank_count : w->count;
    if (!is_small(count * sizeof(float)))
        return 0;
    float *sums = calloc(count, sizeof *sums);
    for (int r = 0; r < rank_count - (getenv("FAKE_NCCL_WRONG") != NULL); r++)
        for (size_t i = 0; i < count; i++)
            sums[i] += ((const float *)w[r].from)[i];
    for (int r = 0; r < rank_count; r++)
        memcpy(w[r].to, blocks ? sums + (size_t)r * w->count : sums, w->count * sizeof *sums);
    free(sums);
    return 0;
}

static int gather(struct work *w)
{
    for (int to = 0; to < rank_count && is_small(w->count); to++)
        for (int r = 0; r < rank_count; r++)
            memcpy((char *)w[to].to + (size_t)r * w->count, w[r].from, w->count);
    return 0;
}

static int broadcast(struct work *w)
{
    for (int r = 0; r < rank_count; r++)
        if (w[r].to != w[w->peer].from)
            memcpy(w[r].to, w[w->peer].from, w->count);
    return 0;
}

static int send_to(const struct work *w)
{
    for (int i = 0; i < work_count; i++)
        if (works[i].kind == RECEIVE && works[i].to && works[i].rank == w->peer &&
            works[i].peer == w->rank) {
            if (works[i].count != w->count)
                return 5;
            if (is_small(w->count))
                memcpy(works[i].to, w->from, w->count);
            works[i].to = NULL;
            return 0;
        }
    return 5; // a real one hangs
}

// FAKE_NCCL_SLOW=1-0: what rank 1 sends rank 0; 1-*: all that rank 1 sends or receives.
static bool is_slow(void)
{
    const char *slow = getenv("FAKE_NCCL_SLOW"), *dash = slow ? strchr(slow, '-') : NULL;
    int from = slow ? atoi(slow) : -1, to = dash && dash[1] != '*' ? atoi(dash + 1) : -1;
    for (int i = 0; i < work_count; i++)
        if (works[i].kind == SEND && (to >= 0 ? works[i].rank == from && works[i].peer == to
                                              : works[i].rank == from || works[i].peer == from))
            return true;
    return false;
}

/* ---- between processes: everybody sends everybody, and what is large is there to be timed ---- */

static void give(int to, const void *data, size_t size)
{
    char early[3 * ID_BYTES], name[2 * ID_BYTES];
    snprintf(name, sizeof name, "%s/%d.%d.%d", folder, own, to, sent[to]++);
    snprintf(early, sizeof early, "%s.early", name);
    FILE *f = fopen(early, "w");
    if (f && size <= FILE_MOST)
        fwrite(data, 1, size, f);
    if (f)
        fclose(f);
    rename(early, name);
}

static void take(int from, void *data, size_t size)
{
    char name[2 * ID_BYTES];
    FILE *f;
    snprintf(name, sizeof name, "%s/%d.%d.%d", folder, from, own, taken[from]++);
    while (!(f = fopen(name, "r")))
        usleep(WAIT_US);
    if (size <= FILE_MOST && fread(data, 1, size, f) != size)
        abort();
    fclose(f);
    unlink(name);
}

static void to_all(const void *data, size_t size)
{
    for (int r = 0; r < rank_count; r++)
        if (r != own)
            give(r, data, size);
}

static int sum_of_all(const struct work *w)
{
    float *sums = malloc(w->count * sizeof *sums + 1), *one = malloc(w->count * sizeof *one + 1);
    to_all(w->from, w->count * sizeof *sums);
    memcpy(sums, w->from, w->count * sizeof *sums);
    for (int r = 0; r < rank_count; r++)
        if (r != own) {
            take(r, one, w->count * sizeof *one);
            for (size_t i = 0; i < w->count && !getenv("FAKE_NCCL_WRONG"); i++)
                sums[i] += one[i];
        }
    memcpy(w->to, sums, w->count * sizeof *sums);
    free(sums);
    free(one);
    return 0;
}

static int between_processes(const struct work *w)
{
    switch (w->kind) {
    case REDUCE:
        return sum_of_all(w);
    case BROADCAST:
        if (w->peer == own)
            to_all(w->from, w->count);
        if (w->peer == own && w->to != w->from)
            memcpy(w->to, w->from, w->count);
        if (w->peer != own)
            take(w->peer, w->to, w->count);
        return 0;
    case SEND:
        give(w->peer, w->from, w->count);
        return 0;
    case RECEIVE:
        return 0; // when all is sent
    case SCATTER:
    case GATHER:
        break;
    }
    return 5; // ridge does not use them between processes
}

int ncclGroupEnd(void)
{
    int status = 0;
    depth--;
    for (int i = 0; i < work_count && folder[0] && status == 0; i++)
        status = between_processes(&works[i]);
    for (int i = 0; i < work_count && folder[0]; i++)
        if (works[i].kind == RECEIVE)
            take(works[i].peer, works[i].to, works[i].count);
    if (folder[0])
        work_count = 0;
    for (int i = 0; i < work_count && status == 0; i++) {
        struct work *w = &works[i];
        if (w->kind == SEND)
            status = send_to(w);
        if (w->kind == SEND || w->kind == RECEIVE)
            continue;
        status = w->kind == BROADCAST ? broadcast(w)
                 : w->kind == GATHER  ? gather(w)
                                      : reduce(w, w->kind == SCATTER);
        i += rank_count - 1;
    }
    for (int i = 0; i < (is_slow() ? 3 : 1); i++)
        fake_work();
    work_count = 0;
    return status;
}
