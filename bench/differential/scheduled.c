// When the loads of a loop begin, as the model of time has it, for comparison with ptxas (scheduled.py): scheduled FILE.ptx prints for
// each innermost loop with loads from device memory "kernel copies waits line,line,…": how often ptxas is thought to copy its body, how
// often a turn waits for a load, if each takes 1 and all else nothing, and the loads' lines. As model/timing_warp.c has it, of one warp
// whose lanes take every side step.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"
#include "sim/model/cost.h"
#include "sim/run/exec.h"

#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 24, FROM = 8, AHEAD_MAX = 64, UNROLLED = 4 };

struct begun { // a load of a later turn, or behind side steps
    int turn, site;
    double ready;
};
struct begun_list {
    struct begun at[AHEAD_MAX];
    int count;
};
struct run {
    const struct timing_site *timing;
    int *order, count; // sites of a turn
    double *ready, at; // by register
    struct begun_list ahead[LOAD_LEVELS], beside;
    int turns_end; // of the loads that begin together
};

static const struct begun *begun_find(const struct begun_list *l, int turn, int site)
{
    for (int i = 0; i < l->count; i++)
        if (l->at[i].turn == turn && l->at[i].site == site)
            return &l->at[i];
    return NULL;
}

static void begun_add(struct begun_list *l, int turn, int site, double ready)
{
    if (l->count < AHEAD_MAX)
        l->at[l->count++] = (struct begun){turn, site, ready};
}

static unsigned words_of(const struct timing_site *t)
{
    enum { WORD = 4 };
    return (t->bytes + WORD - 1u) / WORD;
}

static bool is_with(const struct timing_site *t, const struct timing_site *load, int level)
{
    return t->loop == load->loop && t->loop_level == level;
}

// A turn that has more loads than fit is by itself.
static int turns_end(const struct run *r, const struct timing_site *load, int turn)
{
    unsigned taken = 0;
    for (int k = 0; k < r->count; k++)
        if (is_with(&r->timing[r->order[k]], load, 1))
            taken += words_of(&r->timing[r->order[k]]);
    return turn + (taken <= load->loop_room ? UNROLLED : 1);
}

// When the load at place k of the turn may begin with that of turn `now`; less than 0: not with it.
static double begins_at(const struct run *r, int turn, int now, int k, double at)
{
    const struct timing_site *t = &r->timing[r->order[k]];
    if (t->place_from == 0)
        return at;
    const struct begun *from =
        begun_find(&r->ahead[t->loop_level - 2], turn, r->order[k] - t->place_from);
    return from != NULL ? later(at, from->ready) : turn == now ? at : -1;
}

static void loads_begin(struct run *r, int now, int from, double at)
{
    const struct timing_site *load = &r->timing[r->order[from]];
    struct begun_list *all = &r->ahead[load->loop_level - 1];
    unsigned taken = 0;
    all->count = 0;
    if (now >= r->turns_end)
        r->turns_end = turns_end(r, load, now);
    for (int turn = now; turn < r->turns_end; turn++)
        for (int k = turn == now ? from : 0; k < r->count; k++) {
            const struct timing_site *t = &r->timing[r->order[k]];
            if (!is_with(t, load, load->loop_level))
                continue;
            taken += words_of(t);
            double begins = begins_at(r, turn, now, k, at);
            if (all->count > 0 && (taken > load->loop_room || begins < 0))
                return;
            begun_add(all, turn, r->order[k], later(begins, at) + 1);
        }
}

static double load_ready(struct run *r, int turn, int k, double at)
{
    int site = r->order[k];
    const struct timing_site *t = &r->timing[site];
    const struct begun *begun = t->beside > 0 ? begun_find(&r->beside, turn, site) : NULL;
    if (begun != NULL)
        return later(begun->ready, at);
    r->beside.count = t->leads ? 0 : r->beside.count;
    for (int j = k + 1; j < r->count && t->leads; j++)
        if (r->timing[r->order[j]].beside == (uint32_t)site + 1)
            begun_add(&r->beside, turn, r->order[j], at + 1);
    if (t->leads || t->loop == 0 || t->loop_room == 0)
        return at + 1;
    const struct begun_list *ahead = &r->ahead[t->loop_level - 1];
    if (begun_find(ahead, turn, site) == NULL)
        loads_begin(r, turn, k, at);
    begun = begun_find(ahead, turn, site);
    return begun != NULL ? later(begun->ready, at) : at + 1;
}

static void site_run(struct run *r, int turn, int k)
{
    const struct timing_site *t = &r->timing[r->order[k]];
    double at = r->at;
    for (int i = 0; i < t->source_count; i++)
        at = later(at, r->ready[t->source[i]]);
    for (int i = 0; i < t->result_count; i++)
        at = later(at, r->ready[t->result[i]]);
    if (t->pipe != PIPE_NONE)
        r->at = at;
    double ready = t->pipe == PIPE_GLOBAL_LOAD ? load_ready(r, turn, k, at) : at;
    if (t->for_next_turn > 0) {
        double *kept = &r->ready[t->for_next_turn - 1], before = *kept;
        *kept = ready + later(before - at, 0);
        ready = before > 0 ? before : ready;
    }
    for (int i = 0; i < t->result_count; i++)
        r->ready[t->result[i]] = ready;
}

static double waits_of(const struct program *p, int *order, int count)
{
    struct run *r = xcalloc(1, sizeof *r);
    double from = 0;
    *r = (struct run){.timing = p->timing, .order = order, .count = count};
    r->ready = xcalloc((size_t)p->register_count + 1, sizeof *r->ready);
    for (int turn = 0; turn < TURNS; turn++) {
        from = turn == FROM ? r->at : from;
        for (int k = 0; k < count; k++)
            site_run(r, turn, k);
    }
    double waits = (r->at - from) / (TURNS - FROM);
    free(r->ready);
    free(r);
    return waits;
}

// Sites of the loop's regions, in the order in which they issue.
static int order_of(const struct program *p, const struct ptx_function *f, int loop, int *order)
{
    const struct code *c = p->functions[0].code;
    int base = p->functions[0].site_base, count = 0;
    for (size_t s = 0; s < p->segment_count; s++) {
        int first = p->segments[s].first_site, block = -1;
        if (first >= base && first < base + f->instruction_count)
            block = f->block_of[first - base];
        if (p->segments[s].place > 0 || block < 0 || c->loop_of[block] != loop)
            continue;
        for (int k = 0; k < p->segments[s].region_count; k++)
            order[count++] = first + k + p->timing[first + k].moved;
    }
    return count;
}

static void loop_print(const struct program *p, const struct ptx_function *f, int loop, int *order)
{
    int count = order_of(p, f, loop, order);
    bool any = false;
    for (int k = 0; k < count; k++) {
        if (p->timing[order[k]].pipe != PIPE_GLOBAL_LOAD)
            continue;
        if (!any)
            printf("%s %d %.3f ", f->name, p->functions[0].code->loops[loop].copies,
                   waits_of(p, order, count));
        printf("%s%d", any ? "," : "", p->sites[order[k]].in->line);
        any = true;
    }
    if (any)
        printf("\n");
}

static void kernel_print(struct sim_module *m, const struct ptx_function *f)
{
    struct program *p = program_new(m, f, sim_isa_best());
    const struct code *c = p->functions[0].code;
    int *order = xcalloc((size_t)p->site_count + 1, sizeof *order);
    for (int n = 0; c != NULL && n < c->loop_count; n++)
        if (!c->loops[n].has_inner)
            loop_print(p, f, n, order);
    free(order);
    program_free(p);
}

int main(int argc, char **argv)
{
    enum { TEXT_MAX = 64 << 20 };
    struct arena arena = {0};
    struct error err = {0};
    struct gpu *gpu = NULL;
    struct sim *sim = NULL;
    struct ptx_module *ptx = NULL;
    struct sim_module *m = NULL;
    char *text = NULL;
    size_t size = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: scheduled FILE.ptx\n");
        return 2;
    }
    bool ok = gpu_load(&arena, "h200", &gpu, &err) && sim_open(gpu, &sim, &err) &&
              file_read(argv[1], TEXT_MAX, &text, &size, &err) &&
              ptx_parse(&arena, argv[1], text, size, &ptx, &err) &&
              sim_module_load(sim, ptx, &m, &err);
    for (int i = 0; ok && i < ptx->function_count; i++)
        if (ptx->functions[i].is_entry)
            kernel_print(m, &ptx->functions[i]);
    if (!ok)
        fprintf(stderr, "scheduled: %s\n", err.message);
    if (m != NULL)
        sim_module_unload(sim, m);
    free(text);
    sim_close(sim);
    arena_release(&arena);
    return ok ? 0 : 1;
}
