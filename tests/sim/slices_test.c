// Requests to L2 replayed by several host threads: everything counted, and what is left in the sets, is what one thread
// counts and leaves.
// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SMS = 11, SITES = 5, EPOCHS = 4, STEPS = 600, PLANS = 24, LINES = 3000, ROW = 16 };
static const uint64_t IN = 0x700000000000u;
static const char *const ISAS[] = {"baseline", "avx2", "avx512"};

static struct arena arena;
static struct gpu *h200;
static struct store_plan plans[PLANS];

// Of 16 lines: the same sectors in part of each, or others of each, some whole.
static void plan_make(unsigned number, struct store_plan *out)
{
    bool alike = number % 3 != 0;
    unsigned apart = number % 4 == 0 ? 1 : 32, words = number % 7;
    *out = (struct store_plan){.requests = ROW,
                               .row = true,
                               .alike = (uint8_t)(alike ? 1 + number % 15 : 0),
                               .more_words = (uint8_t)words,
                               .lines = 1 + (apart == 1),
                               .highest = (uint64_t)apart * (ROW - 1)};
    for (unsigned i = 0; i < ROW; i++) {
        unsigned sectors = alike ? out->alike : 1 + (number + i) % 15;
        out->line[i] = (uint64_t)apart * i;
        out->request[i] =
            (struct l2_request){.line_address = (uint64_t)apart * i * LINE_BYTES,
                                .site = number % SITES,
                                .sectors = (uint8_t)sectors,
                                .full_sectors = (uint8_t)(alike ? 0 : sectors & i & 15),
                                .kind = L2_WRITE,
                                .more_words = words & 7U};
    }
}

static int open_all(void **state)
{
    (void)state;
    struct error err = {0};
    for (unsigned i = 0; i < PLANS; i++)
        plan_make(i, &plans[i]);
    return gpu_load(&arena, "h200", &h200, &err) ? 0 : 1;
}

static int close_all(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

// An SM's requests of an epoch: neighbours read the same lines; rows of stores come again and again.
static void log_fill(struct l2_log *log, int sm, uint32_t epoch)
{
    *log = (struct l2_log){.sm_partition = (uint8_t)(sm & 1)};
    for (uint32_t i = 0; i < STEPS - 40u * (uint32_t)sm; i++) {
        uint32_t w[4];
        philox(3 + epoch, i, (uint32_t)sm / 2, w);
        struct l2_request r = {.line_address = IN + w[0] % LINES * LINE_BYTES,
                               .site = w[1] % SITES,
                               .sectors = (uint8_t)(1 + w[2] % 15),
                               .kind = w[3] % 8 == 0  ? L2_ATOMIC
                                       : w[3] % 8 < 3 ? L2_WRITE
                                                      : L2_READ,
                               .more_words = w[3] / 8 % 4 & 7U,
                               .sm_partition = log->sm_partition & 7U};
        if (r.kind == L2_WRITE)
            r.full_sectors = r.sectors & (uint8_t)(w[3] >> 8);
        r.merged = r.kind == L2_WRITE && w[3] / 1024 % 4 == 0;
        l2_log_add(log, &r);
        for (uint32_t rows = w[1] / SITES % 16 == 0 ? 1 + w[2] / 16 % 12 : 0; rows > 0; rows--)
            l2_log_row(log, &plans[(i / 50 + (w[2] / 256 % 4 == 0)) % PLANS],
                       IN + i / 20 * 64 * LINE_BYTES);
    }
}

struct result { // of all epochs
    struct l2_counts counts;
    uint64_t site_hits[SITES], halves[SITES], dirty, alone[2];
    size_t rounds;
    uint32_t round;
};

static void replay_all(double share, struct team *team, struct result *out)
{
    struct l2 *l2 = l2_new_share(h200, share);
    struct merging *merging = merging_new(h200);
    *out = (struct result){.rounds = 1};
    struct l2_arrivals arrivals = {
        .asked = xcalloc(L2_ASKED, sizeof *arrivals.asked), .round = 2, .site_halves = out->halves};
    for (uint32_t epoch = 0; epoch < EPOCHS; epoch++) {
        struct l2_log log[SMS], *logs[SMS];
        for (int i = 0; i < SMS; i++) {
            log_fill(&log[i], i, epoch);
            logs[i] = &log[i];
        }
        struct l2_round round = {.counts = &out->counts,
                                 .site_hits = out->site_hits,
                                 .arrivals = &arrivals,
                                 .merging = merging,
                                 .merging_round = out->rounds,
                                 .site_count = SITES,
                                 .team = team};
        l2_replay_logs(l2, logs, SMS, &round);
        out->rounds = round.merging_round;
        for (int i = 0; i < SMS; i++)
            l2_log_release(&log[i]);
    }
    out->round = arrivals.round;
    out->dirty = l2_dirty_bytes(l2);
    l2_dirty_alone(l2, team, &out->alone[0], &out->alone[1]);
    free(arrivals.asked);
    merging_free(merging);
    l2_free(l2);
}

static void many_threads_count_as_one(void **state)
{
    (void)state;
    static const double shares[] = {1, 1.0 / 64, 1.0 / 512}; // of the sets: lines are pushed out
    static const int others[] = {1, 2, 8};
    for (size_t isa = 0; isa < COUNT_OF(ISAS); isa++) {
        assert_int_equal(setenv("RIDGE_SIM_ISA", ISAS[isa], 1), 0);
        for (size_t i = 0; i < COUNT_OF(shares); i++) {
            struct result want, got;
            replay_all(shares[i], NULL, &want);
            assert_true(want.counts.hit_sectors > 1000 && want.counts.dram_read_bytes > 0 &&
                        want.counts.atomic_sectors > 0 && want.halves[1] > 0 && want.dirty > 0);
            for (size_t k = 0; k < COUNT_OF(others); k++) {
                struct team *team = team_open(others[k]);
                replay_all(shares[i], team, &got);
                team_close(team);
                assert_memory_equal(&got.counts, &want.counts, sizeof got.counts);
                assert_memory_equal(got.site_hits, want.site_hits, sizeof got.site_hits);
                assert_memory_equal(got.halves, want.halves, sizeof got.halves);
                assert_int_equal(got.dirty, want.dirty);
                assert_memory_equal(got.alone, want.alone, sizeof got.alone);
                assert_int_equal(got.rounds, want.rounds);
                assert_int_equal(got.round, want.round);
            }
        }
    }
    assert_int_equal(unsetenv("RIDGE_SIM_ISA"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads_count_as_one),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
