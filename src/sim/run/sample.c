// Which blocks run where a share of them is asked for. The share alone: groups of neighbours, or pairs of SMs. Judged: what a
// sample needs, all blocks where none can do (sample.h).
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/sample.h"

#include <math.h>
#include <stdlib.h>

enum {
    WAVES_LEAST = 3,          // one to fill the caches, two to compare
    PAIRS_LEAST = TRACED_SMS, // of SMs, of a shorter grid: an edge of it shows among them
    REST_PAIRS = 2,    // of a long grid's rest: what all waves have in common is known already
    WAVES_MARKED = 254 // of a granule's first read
};
static const double l2_bound = 0.02,
                    work_bound = 0.015; // what is shown to be off by more is not good enough
static const double rest_least = 0.15;  // of the grid: less is not worth leaving out
static const double again_bound = 0.02; // of the sectors read
static const double intensity_bound = 0.25;

/* ---- a share and no more --------------------------------------------------------------------- */

bool sample_sm_runs(const struct launch *l, int sm)
{
    if (l->sample != NULL && l->sample->waves)
        return l->sample->whole_waves == 0 || l->sample->sms[sm].runs;
    return l->sample_order == NULL || sample_order(l, sm) >= 0;
}

// Pairs of SMs: first those of which one is traced, so that the time is of the same SM as with all blocks; then on in the same steps,
// which leave no place of a grid's rows out.
static void choose_order(struct launch *l, uint64_t busy, int pairs)
{
    l->sample_order = xcalloc((size_t)l->sm_count, sizeof *l->sample_order);
    for (int i = 0; i < l->sm_count; i++)
        l->sample_order[i] = -1;
    for (int i = 0, n = 0; n < pairs; i++) {
        int first = trace_sm(busy, i) / SAMPLE_PAIR * SAMPLE_PAIR;
        if (l->sample_order[first] >= 0)
            continue;
        for (int k = first; k < first + SAMPLE_PAIR && k < l->sm_count; k++)
            l->sample_order[k] = (int16_t)n;
        n++;
    }
}

// false: they would be too few, one alone has a larger share of the blocks.
static bool plan_pairs(struct launch *l, double share, int least)
{
    uint64_t sms = (uint64_t)l->sm_count, busy = l->grid_blocks < sms ? l->grid_blocks : sms;
    int of = (int)((busy + SAMPLE_PAIR - 1) / SAMPLE_PAIR), pairs = (int)lround(of * share);
    pairs = pairs < least ? least : pairs;
    if (pairs < FOOTPRINT_SETS || pairs >= of)
        return false;
    choose_order(l, busy, pairs);
    l->blocks_total = 0;
    for (uint64_t i = 0; i < busy; i++)
        if (sample_sm_runs(l, (int)i))
            l->blocks_total += (l->grid_blocks - i + sms - 1) / sms;
    return true;
}

// Groups of neighbours, a wave of them if the grid has that many, so that what neighbours share in the caches is kept; at least
// two groups. Groups of less than a wave would leave SMs with fewer blocks than they have of all: some of the SMs then, each
// with all of its blocks.
static void plan_share(struct launch *l, double share, uint64_t wave)
{
    uint64_t step = (uint64_t)llround(1 / share), group = l->grid_blocks / (2 * step);
    if (step < 2 || group == 0 || (group < wave && plan_pairs(l, share, 0)))
        return;
    group = group < wave ? group : wave;
    uint64_t rest = l->grid_blocks % (group * step);
    l->block_step = step;
    l->block_group = group;
    l->blocks_total = l->grid_blocks / (group * step) * group + (rest < group ? rest : group);
    l->places = l->blocks_total;
}

/* ---- judged ---------------------------------------------------------------------------------- */

static struct sample *sample_new(const struct launch *l, uint64_t wave)
{
    struct sample *s = xcalloc(1, sizeof *s);
    s->waves = l->grid_blocks >= LONG_WAVES * wave;
    s->wave_count = (l->grid_blocks + wave - 1) / wave;
    s->pairs = (l->sm_count + SAMPLE_PAIR - 1) / SAMPLE_PAIR;
    s->sms = xcalloc((size_t)l->sm_count, sizeof *s->sms);
    s->first_count = l->sim->space.count;
    s->first = xcalloc(s->first_count + 1, sizeof *s->first);
    return s;
}

// Nothing leaves L2, whatever blocks read and write: they can take lines in both partitions.
static bool all_fits_l2(const struct launch *l)
{
    const double share = 0.4;
    double bytes = 0;
    for (size_t i = 0; i < l->sim->space.count; i++)
        bytes += l->sim->space.items[i].freed ? 0 : (double)l->sim->space.items[i].size;
    return bytes < share * (double)l2_lines(l->sim->l2) * LINE_BYTES;
}

void sample_plan(struct launch *l)
{
    double share = l->options->sample_share;
    uint64_t wave = (uint64_t)l->sm_count * (uint64_t)l->resident;
    bool together = l->cluster_blocks > 1 || l->options->cooperative;
    l->sample_whole = together                                 ? SAMPLE_WHOLE_TOGETHER
                      : l->program->blocks_meet                ? SAMPLE_WHOLE_MEET
                      : l->grid_blocks < (uint64_t)l->sm_count ? SAMPLE_WHOLE_FEW
                                                               : SAMPLE_WHOLE_NOT;
    if (!(share > 0 && share < 1) || together)
        return;
    if (!l->options->sample_judged || l->options->no_caches) {
        plan_share(l, share, wave);
        return;
    }
    if (l->sample_whole != SAMPLE_WHOLE_NOT)
        return;
    struct sample *s = sample_new(l, wave);
    l->sample = s;
    if (s->waves)
        return;
    if (!plan_pairs(l, share, PAIRS_LEAST)) {
        sample_release(l);
        l->sample_whole = SAMPLE_WHOLE_FEW;
        return;
    }
    if (all_fits_l2(l))
        return;
    // A part of the SMs, and as much of L2: its lines come and go as on the whole chip.
    s->all_l2 = l->sim->l2;
    l->sim->l2 = l2_new_share(l->gpu, (double)l->blocks_total / (double)l->grid_blocks);
    s->dense = xcalloc(s->first_count + 1, sizeof *s->dense);
    s->next_line = xcalloc(l2_partitions(l->sim->l2) * (s->first_count + 1), sizeof *s->next_line);
}

void sample_release(struct launch *l)
{
    struct sample *s = l->sample;
    if (s == NULL)
        return;
    if (s->all_l2 != NULL) {
        l2_free(l->sim->l2);
        l->sim->l2 = s->all_l2;
    }
    for (int i = 0; i < s->check_count; i++) {
        free(s->checks[i].counts);
        free(s->checks[i].site_hits);
        free(s->checks[i].site_halves);
    }
    for (size_t i = 0; i < s->first_count; i++)
        free(s->first[i]);
    for (size_t i = 0; i < s->first_count && s->dense != NULL; i++)
        free(s->dense[i]);
    free(s->dense);
    free(s->next_line);
    free(s->first);
    free(s->ended);
    free(s->sms);
    free(s);
    l->sample = NULL;
}

/* ---- what is sent to L2 ---------------------------------------------------------------------- */

// Which of the sectors were read two waves before, or earlier: what lies between is the neighbours'. Marks all.
static void note_read(const struct launch *l, const struct l2_request *r,
                      const struct allocation **last)
{
    struct sample *s = l->sample;
    const struct space *space = &l->sim->space;
    uint64_t granule = (uint64_t)GPU(l->gpu, l2_dram_granule_bytes),
             offset = r->line_address - DEVICE_BASE;
    const struct allocation *a = *last;
    if (a == NULL || offset - a->start >= a->size)
        *last = a = space_find(space, r->line_address);
    if (a == NULL || (size_t)(a - space->items) >= s->first_count)
        return;
    uint8_t **first = &s->first[a - space->items];
    if (*first == NULL)
        *first = xcalloc(a->committed / granule + LINE_BYTES, 1);
    uint64_t now = s->wave + 1, before = now - 1; // waves are counted from 1
    for (unsigned i = 0; i < SECTORS_PER_LINE; i++) {
        if ((r->sectors >> i & 1) == 0)
            continue;
        uint8_t *mark = *first + (offset - a->start + (uint64_t)i * SECTOR_BYTES) / granule;
        bool rest = s->whole_waves != 0;
        s->read++;
        s->read_again += *mark != 0 && *mark < (rest ? s->whole_waves + 1 : before);
        if (*mark == 0)
            *mark = (uint8_t)(now < WAVES_MARKED ? now : WAVES_MARKED);
    }
}

// Lines that the sample leaves out would leave holes, and fill sets unevenly: those of an allocation are numbered anew, in the
// order in which they come, each partition's by themselves. Of every so many lines in a row each partition has one.
static void line_number(struct launch *l, struct l2_request *r, const struct allocation **last)
{
    const uint64_t base = (uint64_t)1 << 31; // far from what is no allocation's
    struct sample *s = l->sample;
    const struct l2 *l2 = l->sim->l2;
    uint64_t offset = r->line_address - DEVICE_BASE, partitions = l2_partitions(l2);
    const struct allocation *a = *last;
    if (a == NULL || offset - a->start >= a->size)
        *last = a = space_find(&l->sim->space, r->line_address);
    if (a == NULL || (size_t)(a - l->sim->space.items) >= s->first_count)
        return;
    uint32_t **dense = &s->dense[a - l->sim->space.items];
    if (*dense == NULL)
        *dense = xcalloc(a->committed / LINE_BYTES + 1, sizeof **dense);
    uint32_t *number = &(*dense)[(offset - a->start) / LINE_BYTES];
    if (*number == 0) {
        uint32_t home = l2_home(l2, r->line_address / LINE_BYTES);
        uint64_t *next = &s->next_line[(uint64_t)(a - l->sim->space.items) * partitions + home];
        uint64_t line = base + (a->start / LINE_BYTES / partitions + (*next)++) * partitions;
        while (l2_home(l2, line) != home)
            line++;
        *number = (uint32_t)line;
    }
    r->line_address = (uint64_t)*number * LINE_BYTES;
}

bool sample_hears(struct launch *l)
{
    struct sample *s = l->sample;
    const struct allocation *last = NULL;
    bool rest = s->whole_waves != 0;
    for (int i = 0; i < l->sm_count; i++) {
        const struct sm *sm = &l->sms[i];
        for (size_t k = 0; k < sm->sent.single_count; k++) { // no rows: see phase_plan()
            struct l2_request *r = &sm->sent.single[k];
            s->sms[i].sectors += r->merged ? 0 : sector_count(r->sectors);
            if (s->waves && (r->kind == L2_READ || r->kind == L2_MERGED))
                note_read(l, r, &last);
            else if (s->dense != NULL)
                line_number(l, r, &last);
        }
    }
    return !s->waves || !rest;
}

/* ---- from wave to wave ----------------------------------------------------------------------- */

static uint64_t blocks_done(const struct launch *l)
{
    uint64_t sum = 0;
    for (int i = 0; i < l->core_count; i++)
        sum += l->cores[i].blocks_done;
    return sum;
}

// 1, 2, 3, 4, 6, 8, 12, 16, 24 …
static bool is_check(uint64_t wave)
{
    while (wave > 3 && wave % 2 == 0)
        wave /= 2;
    return wave <= 3;
}

// The next pairs of those that did not run yet, in steps that never come back to one.
static void choose_pairs(struct launch *l, int count)
{
    struct sample *s = l->sample;
    const double golden = 0.6180339887;
    int step = (int)(s->pairs * golden);
    for (int a = step, b = s->pairs; b != 1 && step > 1; a = step, b = s->pairs) {
        while (a != 0) {
            int rest = b % a;
            b = a;
            a = rest;
        }
        if (b == 1)
            break;
        step--;
    }
    step = step < 1 ? 1 : step;
    for (int i = 0; i < l->sm_count; i++) {
        s->sms[i].ran |= s->sms[i].runs;
        s->sms[i].runs = false;
    }
    for (int k = s->pairs_ran; k < s->pairs_ran + count && k < s->pairs; k++)
        for (int i = 0; i < SAMPLE_PAIR; i++) {
            int sm = (int)((int64_t)k * step % s->pairs) * SAMPLE_PAIR + i;
            if (sm < l->sm_count)
                s->sms[sm].runs = true;
        }
    s->pairs_ran += count;
    s->pairs_ran = s->pairs_ran < s->pairs ? s->pairs_ran : s->pairs;
}

// The rest of the grid begins: so many pairs that the share that was asked for is not exceeded, but enough to see differences.
static void rest_begins(struct launch *l)
{
    struct sample *s = l->sample;
    double waves = (double)l->grid_blocks / (double)s->ended[0].blocks,
           left = waves - (double)s->wave;
    int pairs = (int)lround(s->pairs * (l->options->sample_share * waves - (double)s->wave) / left);
    s->whole_waves = s->wave;
    s->read = s->read_again = 0;
    for (int i = 0; i < l->sm_count; i++)
        s->sms[i] = (struct sample_sm){.instructions = l->sms[i].instructions};
    choose_pairs(l, pairs > REST_PAIRS ? pairs : REST_PAIRS);
}

void sample_wave_ends(struct launch *l)
{
    struct sample *s = l->sample;
    s->wave++;
    if (!s->waves || s->whole_waves != 0)
        return;
    uint64_t sectors = 0;
    for (int i = 0; i < l->sm_count; i++)
        sectors += s->sms[i].sectors;
    struct sample_wave w = {blocks_done(l), sectors, l->l2};
    VEC_PUSH(s->ended, s->ended_count, s->ended_capacity, w);
    s->again_share = s->read > 0 ? (double)s->read_again / (double)s->read : 0;
    s->read = s->read_again = 0;
    if (!is_check(s->wave) || s->check_count == SAMPLE_CHECKS)
        return;
    sample_check_keep(l);
    if (s->wave < WAVES_LEAST ||
        (double)(l->grid_blocks - w.blocks) < rest_least * (double)l->grid_blocks)
        return;
    s->l2_error = sample_l2_error(l);
    if (s->l2_error <= l2_bound)
        rest_begins(l);
}

// Of the rest, do blocks ask for what earlier ones had asked for as often as before, and send about as much?
static bool is_as_before(const struct launch *l)
{
    const struct sample *s = l->sample;
    double again = s->read > 0 ? (double)s->read_again / (double)s->read : s->again_share;
    uint64_t sectors = 0, blocks = blocks_done(l) - s->ended[s->whole_waves - 1].blocks;
    for (int i = 0; i < l->sm_count; i++)
        sectors += s->sms[i].sectors;
    const struct sample_wave *last = &s->ended[s->whole_waves - 1], *first = &s->ended[0];
    double before = (double)(last->sent - first->sent) / (double)(last->blocks - first->blocks),
           now = blocks > 0 ? (double)sectors / (double)blocks : before;
    return fabs(again - s->again_share) <= again_bound &&
           fabs(now - before) <= intensity_bound * before;
}

bool sample_goes_on(struct launch *l, uint64_t *first)
{
    struct sample *s = l->sample;
    if (s == NULL || !s->waves || s->whole_waves == 0)
        return false;
    if (!is_as_before(l)) {
        s->why = SAMPLE_WHOLE_CHANGING;
        return false;
    }
    s->work_error = sample_work_error(l);
    if (s->work_error <= work_bound || s->pairs_ran >= s->pairs)
        return false;
    choose_pairs(l, s->pairs_ran);
    *first = s->ended[s->whole_waves - 1].blocks;
    s->wave = s->whole_waves;
    return true;
}
