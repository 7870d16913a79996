// ridge occupancy: how many blocks and warps an SM holds, what limits them, and what another block
// size, register count or shared memory would give. Calculated from the chip's file (gpu/occupancy.c).
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    THREADS_DEFAULT = 256,
    REGISTERS_DEFAULT = 32,
    POINTS_MAX = 72,
    BAR_WIDTH = 32,
    BARRIERS_MAX = 16
};

struct point { // of a curve: the value varied, and what it gives
    uint64_t value;
    struct occupancy at;
    bool fits, given;
};
struct curve {
    const char *name; // the JSON's
    char title[40];   // in the chip's words
    struct point points[POINTS_MAX];
    int count;
};

// "shared", "LDS": before "bytes".
static const char *memory_word(const struct gpu *g)
{
    return gpu_is_simulated(g) ? "shared" : gpu_words(g)->memory;
}

static int lanes_of(const struct gpu *g, const struct block_needs *s)
{
    return s->warp_size > 0 ? s->warp_size : (int)GPU(g, warp_size);
}

static void curve_add(struct curve *c, const struct gpu *g, uint64_t value, struct block_needs s,
                      bool given)
{
    struct point p = {.value = value, .given = given};
    p.fits = gpu_occupancy(g, &s, &p.at);
    if (c->count < POINTS_MAX)
        c->points[c->count++] = p;
}

static struct curve curve_threads(const struct gpu *g, struct block_needs s)
{
    struct curve c = {.name = "block_threads"};
    snprintf(c.title, sizeof c.title, "threads per %s", gpu_words(g)->block);
    int given = s.threads, step = lanes_of(g, &s);
    int most = (int)GPU(g, max_threads_per_block);
    for (int t = step; t <= most; t += step) {
        bool passes = given > t - step && given <= t;
        s.threads = passes ? given : t;
        curve_add(&c, g, (uint64_t)s.threads, s, passes);
    }
    return c;
}

// One point per warp-allocation unit: between them nothing changes.
static struct curve curve_registers(const struct gpu *g, struct block_needs s)
{
    struct curve c = {.name = "registers_per_thread"};
    snprintf(c.title, sizeof c.title, "%s per thread", gpu_words(g)->registers);
    int given = s.registers, step = (int)GPU(g, register_unit) / lanes_of(g, &s);
    int most = (int)GPU(g, max_registers_per_thread);
    for (int r = step; r < most + step; r += step) {
        bool passes = given > r - step && given <= r;
        s.registers = passes ? given : r < most ? r : most;
        curve_add(&c, g, (uint64_t)s.registers, s, passes);
    }
    return c;
}

// The most shared memory per block may have for each number of blocks.
static struct curve curve_shared(const struct gpu *g, struct block_needs s)
{
    struct curve c = {.name = "shared_bytes_per_block"};
    snprintf(c.title, sizeof c.title, "%s bytes per %s", memory_word(g), gpu_words(g)->block);
    uint64_t given = s.shared_bytes, unit = (uint64_t)GPU(g, shared_unit_bytes);
    uint64_t all = (uint64_t)GPU(g, shared_bytes_per_sm), before = UINT64_MAX;
    uint64_t reserved = (uint64_t)GPU(g, shared_reserved_bytes);
    uint64_t most = (uint64_t)GPU(g, shared_bytes_per_block);
    for (uint64_t blocks = (uint64_t)GPU(g, max_blocks_per_sm); blocks >= 1; blocks--) {
        uint64_t share = all / blocks / unit * unit;
        uint64_t bytes = share > reserved ? share - reserved : 0;
        bytes = bytes < most ? bytes : most;
        if (given <= bytes && (before == UINT64_MAX || given > before)) {
            s.shared_bytes = given;
            curve_add(&c, g, given, s, true);
        }
        if (bytes != given && bytes != before) {
            s.shared_bytes = bytes;
            curve_add(&c, g, bytes, s, false);
        }
        before = bytes;
    }
    return c;
}

static json_t *occupancy_json(const struct gpu *g, const struct occupancy *at, bool fits)
{
    json_t *limits = json_object();
    for (int l = 0; l < LIMIT_COUNT; l++)
        json_object_set_new(limits, occupancy_limit_name((enum occupancy_limit)l),
                            at->blocks_by[l] == INT32_MAX ? json_null()
                                                          : json_integer(at->blocks_by[l]));
    return json_pack("{s:b, s:i, s:i, s:f, s:f, s:s, s:o}", "fits", (int)fits, "blocks_per_sm",
                     at->blocks_per_sm, "warps_per_sm", at->warps_per_sm, "warps_per_scheduler",
                     at->warps_per_sm / GPU(g, schedulers_per_sm), "occupancy_pct", at->pct,
                     "limiter", occupancy_limit_name(at->limiter), "blocks_by", limits);
}

static json_t *curve_json(const struct gpu *g, const struct curve *c)
{
    json_t *points = json_array();
    for (int i = 0; i < c->count; i++)
        json_array_append_new(
            points, json_pack("{s:I, s:o}", c->name, (json_int_t)c->points[i].value, "occupancy",
                              occupancy_json(g, &c->points[i].at, c->points[i].fits)));
    return points;
}

// "256 threads per work-group in waves of 64, 128 VGPRs and 32 AccVGPRs per thread, 0 LDS bytes".
static void needs_print(const struct gpu *g, const struct block_needs *s, struct text *out)
{
    const struct gpu_words *w = gpu_words(g);
    text_printf(out, "%s, calculated: %d threads per %s", g->name, s->threads, w->block);
    if (!gpu_is_simulated(g))
        text_printf(out, " in %s of %d", w->warps, lanes_of(g, s));
    text_printf(out, ", %d %s", s->registers, w->registers);
    if (s->accumulators > 0)
        text_printf(out, " and %d AccVGPRs", s->accumulators);
    text_printf(out, " per thread");
    if (s->scalars > 0)
        text_printf(out, ", %d SGPRs per %s", s->scalars, w->warp);
    text_printf(out, ", %llu %s bytes", (unsigned long long)s->shared_bytes, memory_word(g));
    if (s->barriers > 1)
        text_printf(out, ", %d barriers", s->barriers);
    text_add(out, "\n");
}

static void limits_print(const struct gpu *g, const struct block_needs *s,
                         const struct occupancy *at, bool fits, struct text *out)
{
    const struct gpu_words *w = gpu_words(g);
    double schedulers = GPU(g, schedulers_per_sm), most = GPU(g, max_warps_per_sm);
    needs_print(g, s, out);
    if (!fits)
        text_printf(out, "No %s fits on %s: %s.\n", w->block, w->an_sm,
                    occupancy_limit_word(g, at->limiter));
    else
        text_printf(out, "Occupancy %.1f %%: %d %s, %d of %.0f %s on %s", at->pct,
                    at->blocks_per_sm, at->blocks_per_sm == 1 ? w->block : w->blocks,
                    at->warps_per_sm, most, w->warps, w->an_sm);
    if (fits && !gpu_is_simulated(g))
        text_printf(out, ", %g of %g per %s", at->warps_per_sm / schedulers, most / schedulers,
                    w->scheduler);
    text_add(out, fits ? "\n" : "");
    text_printf(out, "\n%c%s %s could hold by\n", w->blocks[0] - 'a' + 'A', w->blocks + 1,
                w->an_sm);
    for (int l = 0; l < LIMIT_COUNT; l++) {
        bool tight = at->blocks_by[l] == at->blocks_per_sm;
        const char *name = occupancy_limit_word(g, (enum occupancy_limit)l);
        if (l == LIMIT_SCALAR && gpu_is_simulated(g))
            continue; // NVIDIA's chips have none to run out of
        if (at->blocks_by[l] == INT32_MAX)
            text_printf(out, "  %-14s no limit\n", name);
        else
            text_printf(out, "  %-14s %4d%s\n", name, at->blocks_by[l], tight ? "  limits" : "");
    }
}

// Neighbours with the same occupancy share a line.
static void curve_print(const struct gpu *g, const struct curve *c,
                        const struct report_style *style, struct text *out)
{
    if (!style->plain)
        text_printf(out, "\nBy %s\n", c->title);
    for (int i = 0; i < c->count;) {
        int last = i;
        bool given = c->points[i].given;
        while (last + 1 < c->count && c->points[last + 1].fits == c->points[i].fits &&
               c->points[last + 1].at.warps_per_sm == c->points[i].at.warps_per_sm)
            given |= c->points[++last].given;
        char range[48];
        unsigned long long from = c->points[i].value, to = c->points[last].value;
        if (i == last)
            snprintf(range, sizeof range, "%llu", from);
        else
            snprintf(range, sizeof range, "%llu-%llu", from, to);
        const char *limiter = occupancy_limit_word(g, c->points[i].at.limiter);
        int filled = (int)(c->points[i].at.pct / 100 * BAR_WIDTH + 0.5);
        if (style->plain) {
            text_printf(out, "%s %s%s: %.1f percent, limited by %s\n", c->title, range,
                        given ? " as given" : "", c->points[i].at.pct, limiter);
        } else {
            text_printf(out, "  %c %-14s ", given ? '>' : ' ', range);
            for (int k = 0; k < BAR_WIDTH; k++)
                text_add(out, style->unicode ? k < filled ? "█" : "·" : k < filled ? "#" : ".");
            text_printf(out, " %5.1f %%  %s\n", c->points[i].at.pct, limiter);
        }
        i = last + 1;
    }
}

// What the chip does not have cannot be given.
static bool needs_check(const struct options *o, const struct gpu *g, struct error *err)
{
    static const struct {
        enum option_id option;
        enum gpu_field field;
        const char *what;
    } special[] = {
        {OPTION_WAVE, GPU_FIELD_warp_size_wide, "waves of two sizes"},
        {OPTION_AGPRS, GPU_FIELD_accumulator_align, "accumulators"},
        {OPTION_SGPRS, GPU_FIELD_scalar_registers, "scalar registers that limit its waves"},
    };
    for (size_t i = 0; i < COUNT_OF(special); i++)
        if (option_given(o, special[i].option) && isnan(g->value[special[i].field]))
            return fail(err, NOWHERE, "option --%s: %s does not have %s",
                        option_name(special[i].option), g->name, special[i].what);
    return true;
}

static bool needs_read(const struct options *o, const struct gpu *g, struct block_needs *s,
                       struct error *err)
{
    int64_t threads, registers, shared, barriers, lanes, accumulators, scalars;
    int64_t narrow = (int64_t)GPU(g, warp_size);
    bool two = !isnan(GPU(g, warp_size_wide)), scalar = !isnan(GPU(g, max_scalar_registers));
    int64_t wide = two ? (int64_t)GPU(g, warp_size_wide) : narrow;
    int64_t registers_max = (int64_t)GPU(g, max_registers_per_thread);
    if (!needs_check(o, g, err) ||
        !option_i64(o, OPTION_BLOCK, 1, (int64_t)GPU(g, max_threads_per_block), THREADS_DEFAULT,
                    &threads, err) ||
        !option_i64(o, OPTION_REGISTERS, 1, registers_max, REGISTERS_DEFAULT, &registers, err) ||
        !option_i64(o, OPTION_SHARED, 0, (int64_t)GPU(g, shared_bytes_per_block), 0, &shared,
                    err) ||
        !option_i64(o, OPTION_BARRIERS, 1, BARRIERS_MAX, 1, &barriers, err) ||
        !option_i64(o, OPTION_WAVE, narrow, wide, narrow, &lanes, err) ||
        !option_i64(o, OPTION_AGPRS, 0, registers_max, 0, &accumulators, err) ||
        !option_i64(o, OPTION_SGPRS, 0, scalar ? (int64_t)GPU(g, max_scalar_registers) : 0, 0,
                    &scalars, err))
        return false;
    if (lanes != narrow && lanes != wide)
        return fail(err, NOWHERE, "option --wave: a wave of %s has %d or %d lanes, not %d", g->name,
                    (int)narrow, (int)wide, (int)lanes);
    *s = (struct block_needs){.threads = (int)threads,
                              .registers = (int)registers,
                              .shared_bytes = (uint64_t)shared,
                              .barriers = (int)barriers,
                              .warp_size = (int)lanes,
                              .accumulators = (int)accumulators,
                              .scalars = (int)scalars};
    return true;
}

// A device, or a chip by its name alone: there need be no such device to calculate for it.
static bool chip_find(const struct options *o, struct arena *a, const char **id,
                      const struct gpu **out, struct error *err)
{
    struct device_info device;
    struct gpu *chip = NULL;
    const char *const *chips = NULL;
    const char *name = option_text(o, OPTION_DEVICE, "sim:h200");
    if (!gpu_list(a, &chips, err))
        return false;
    for (; *chips; chips++)
        if (strcmp(*chips, name) == 0) {
            bool loaded = gpu_load(a, name, &chip, err);
            *id = name;
            *out = chip;
            return loaded;
        }
    if (!device_find(a, name, &device, err))
        return false;
    *id = device.id;
    *out = device.gpu;
    return device.gpu ||
           fail(err, NOWHERE, "nothing is known of '%s': no file in gpus/ describes it",
                device.name);
}

bool command_occupancy(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    const struct gpu *g = NULL;
    const char *id = NULL;
    struct block_needs s;
    struct occupancy at;
    *status = 0;
    bool done = chip_find(o, &a, &id, &g, err) && needs_read(o, g, &s, err);
    if (done) {
        bool fits = gpu_occupancy(g, &s, &at);
        struct curve curves[] = {curve_threads(g, s), curve_registers(g, s), curve_shared(g, s)};
        if (option_given(o, OPTION_JSON)) {
            json_t *json = json_pack("{s:s, s:i, s:s, s:s, s:o}", "ridge", RIDGE_VERSION, "schema",
                                     1, "device", id, "provenance", "modelled", "occupancy",
                                     occupancy_json(g, &at, fits));
            for (size_t i = 0; i < COUNT_OF(curves); i++)
                json_object_set_new(json, curves[i].name, curve_json(g, &curves[i]));
            done = cli_print_json(json, err);
        } else {
            struct text out = {0};
            struct report_style style = cli_style(o);
            limits_print(g, &s, &at, fits, &out);
            for (size_t i = 0; i < COUNT_OF(curves); i++)
                curve_print(g, &curves[i], &style, &out);
            done = cli_print(&out, err);
            text_release(&out);
        }
    }
    arena_release(&a);
    return done;
}
