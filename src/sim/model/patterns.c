// What the trace of some blocks shows of each instruction: loads of what the warp or its block has loaded
// before, loads of one word for all lanes, how many loads go out before one is used, and which integer work
// only makes addresses and counts loops. Facts for diagnosis, and shares for counterfactual replays.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/whatif.h"

#include <stdlib.h>
#include <string.h>

enum {
    SEEN_TABLE = 1 << 16,  // sectors remembered (direct mapped)
    JUST_NOW = 32,         // loads of a warp: an unrolled loop's
    NEXT_ONES = 4,         // … of rows that are walked along beside each other
    UNROLLED_SECTORS = 4,  // between an unrolled loop's turns along a row, at most
    OPS_READ_MAX = 1500000 // of the trace
};

// A further one by the same divisor is no sequence as it was measured: more than a product with a known reciprocal, its high half,
// the shift, the product and the difference.
enum { DIVISION_KNOWN = 4 };
static bool is_further_division(const struct timing_site *t, const struct ptx_instruction *is)
{
    enum ptx_type_kind kind =
        is && is->type_count > 0 ? ptx_type_kind(is->types[0]) : PTX_KIND_FLOAT;
    return is && (is->opcode == PTX_OP_DIV || is->opcode == PTX_OP_REM) &&
           (kind == PTX_KIND_UNSIGNED || kind == PTX_KIND_SIGNED) &&
           t->issue_slots + t->special_slots + t->other_slots > DIVISION_KNOWN;
}

bool is_integer_division(const struct timing_site *t, const struct ptx_instruction *is)
{
    if (is_further_division(t, is))
        return true;
    switch ((enum timed_operation)t->operation) {
    case OPERATION_div_32:
    case OPERATION_rem_32:
    case OPERATION_div_u64:
    case OPERATION_div_s64:
    case OPERATION_rem_u64:
    case OPERATION_rem_s64:
        return true;
    default: // the table of operations grows
        return false;
    }
}

bool is_function(const struct timing_site *t)
{
    return t->pipe == PIPE_F32 && t->special_slots > 0 && t->issue_slots > 1;
}

bool is_single_half(const struct timing_site *t, const struct ptx_instruction *is)
{
    return t->pipe == PIPE_F16 && is && ptx_opcode_class(is->opcode) != PTX_CLASS_CONVERT &&
           is->type_count > 0 && (is->types[0] == PTX_TYPE_F16 || is->types[0] == PTX_TYPE_BF16);
}

/* ---- what is stored, and what only leads there -------------------------------------------------- */

static bool writes_memory(enum timing_pipe pipe)
{
    return pipe == PIPE_GLOBAL_STORE || pipe == PIPE_SHARED_STORE || pipe == PIPE_LOCAL_STORE ||
           is_global_atomic(pipe) || pipe == PIPE_SHARED_ATOMIC;
}

static bool reads_memory(enum timing_pipe pipe)
{
    return pipe == PIPE_GLOBAL_LOAD || pipe == PIPE_SHARED_LOAD || pipe == PIPE_LOCAL_LOAD ||
           pipe == PIPE_CONST || pipe == PIPE_UNIFORM;
}

int data_from(const struct ptx_instruction *in, const struct timing_site *t)
{
    int skip = in->guard >= 0;
    if (!writes_memory(t->pipe))
        return skip;
    int address = in->writes_first ? 1 : 0;
    if (in->operand_count > address && in->operands[address].reg >= 0)
        skip++;
    return skip;
}

static bool any_value(const bool *value, const uint16_t *list, int count)
{
    for (int i = 0; i < count; i++)
        if (value[list[i]])
            return true;
    return false;
}

static void values_find(const struct timing_input *in, struct site_pattern *out)
{
    bool *value = xcalloc((size_t)in->register_count + 1, sizeof *value);
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = in->site_count - 1; i >= 0; i--) {
            const struct timing_site *t = &in->sites[i];
            const struct ptx_instruction *is = in->stats[i].instruction;
            bool wanted = writes_memory(t->pipe) || t->pipe == PIPE_TENSOR ||
                          any_value(value, t->result, t->result_count);
            out[i].value = wanted;
            if (!wanted || reads_memory(t->pipe) || is == NULL)
                continue;
            for (int k = data_from(is, t); k < t->source_count; k++) {
                changed |= !value[t->source[k]];
                value[t->source[k]] = true;
            }
        }
    }
    for (int i = 0; i < in->site_count; i++)
        out[i].index = is_integer_pipe(in->sites[i].pipe) && !out[i].value;
    free(value);
}

/* ---- addresses that were loaded --------------------------------------------------------------------- */

static bool makes_values(enum timing_pipe pipe)
{
    return !writes_memory(pipe) && !reads_memory(pipe) && pipe != PIPE_BRANCH;
}

// Marks all registers that those marked go into, by whatever is computed. Those in `ends` are not marked.
static void marks_spread(const struct timing_input *in, bool *marked, const bool *ends)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < in->site_count; i++) {
            const struct timing_site *t = &in->sites[i];
            if (!makes_values(t->pipe) || !any_value(marked, t->source, t->source_count))
                continue;
            for (int k = 0; k < t->result_count; k++)
                if (!marked[t->result[k]] && !(ends && ends[t->result[k]])) {
                    marked[t->result[k]] = true;
                    changed = true;
                }
        }
    }
}

// Registers that step: made of their own value, without memory (compilers write a register once, but for those that loops carry).
// A loop from a loaded start on walks, it does not gather.
static void steps_find(const struct timing_input *in, bool *steps, bool *marked)
{
    size_t registers = (size_t)in->register_count + 1;
    int *writers = xcalloc(registers, sizeof *writers);
    for (int i = 0; i < in->site_count; i++)
        for (int k = 0; k < in->sites[i].result_count; k++)
            writers[in->sites[i].result[k]]++;
    for (size_t r = 0; r < registers; r++) {
        if (writers[r] < 2)
            continue;
        memset(marked, 0, registers);
        for (int i = 0; i < in->site_count; i++) { // what it goes into at once
            const struct timing_site *t = &in->sites[i];
            for (int k = 0; makes_values(t->pipe) && k < t->source_count; k++)
                for (int j = 0; t->source[k] == r && j < t->result_count; j++)
                    marked[t->result[j]] = true;
        }
        marks_spread(in, marked, NULL);
        steps[r] = marked[r];
    }
    free(writers);
}

static bool is_of_thread(const struct ptx_instruction *is);

// What threads have of their own by arithmetic alone, without a part in what was loaded at such a place.
static void own_find(const struct timing_input *in, bool *own)
{
    for (int i = 0; i < in->site_count; i++)
        if (is_of_thread(in->stats[i].instruction))
            for (int k = 0; k < in->sites[i].result_count; k++)
                own[in->sites[i].result[k]] = true;
    marks_spread(in, own, NULL);
}

// What loads bring, but for registers that step.
static void loaded_find(const struct timing_input *in, const bool *steps, bool *loaded)
{
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        if (t->pipe == PIPE_GLOBAL_LOAD || t->pipe == PIPE_SHARED_LOAD)
            for (int k = 0; k < t->result_count; k++)
                loaded[t->result[k]] = !steps[t->result[k]];
    }
}

// Accesses of local arrays at places that are made of loaded values, not chosen by comparing them, as sorting does.
static void looked_up_find(const struct timing_input *in, struct site_pattern *out)
{
    size_t registers = (size_t)in->register_count + 1;
    bool *tests = xcalloc(registers, sizeof *tests), *loaded = xcalloc(registers, sizeof *loaded);
    loaded_find(in, tests, loaded);
    for (int i = 0; i < in->site_count; i++) {
        const struct ptx_instruction *is = in->stats[i].instruction;
        for (int k = 0; is && is->opcode == PTX_OP_SETP && k < in->sites[i].result_count; k++)
            tests[in->sites[i].result[k]] = true;
    }
    marks_spread(in, loaded, tests);
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        const struct ptx_instruction *is = in->stats[i].instruction;
        int from = is && is->guard >= 0;
        out[i].looked_up = is && t->pipe == PIPE_LOCAL_STORE &&
                           any_value(loaded, t->source + from, data_from(is, t) - from);
    }
    free(tests);
    free(loaded);
}

static void gathers_find(const struct timing_input *in, struct site_pattern *out)
{
    size_t registers = (size_t)in->register_count + 1;
    bool *steps = xcalloc(registers, sizeof *steps), *loaded = xcalloc(registers, sizeof *loaded);
    steps_find(in, steps, loaded);
    memset(loaded, 0, registers);
    loaded_find(in, steps, loaded);
    marks_spread(in, loaded, steps);
    bool *own = xcalloc(registers, sizeof *own);
    own_find(in, own);
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        const struct ptx_instruction *is = in->stats[i].instruction;
        int from = is && is->guard >= 0;
        out[i].gathers = t->pipe == PIPE_GLOBAL_LOAD && t->source_count > from &&
                         any_value(loaded, t->source + from, t->source_count - from);
        out[i].alone = out[i].gathers && !any_value(own, t->source + from, t->source_count - from);
    }
    free(own);
    free(steps);
    free(loaded);
}

// What differs from thread to thread, or from block to block.
static bool is_of_thread(const struct ptx_instruction *is)
{
    for (int k = 0; is && k < is->operand_count; k++) {
        const struct ptx_operand *o = &is->operands[k];
        if (o->kind == PTX_OPERAND_SPECIAL && o->special != PTX_SREG_NTID &&
            o->special != PTX_SREG_NCTAID)
            return true;
    }
    return false;
}

// Chooses between values by what loops count alone.
static bool selects_by_count(const struct ptx_instruction *is, const bool *own)
{
    enum { PREDICATE = 3 };
    return is && is->opcode == PTX_OP_SELP && is->operand_count > PREDICATE &&
           is->operands[PREDICATE].kind == PTX_OPERAND_REGISTER &&
           is->operands[PREDICATE].reg >= 0 && !own[is->operands[PREDICATE].reg];
}

// Loads of the same words by all threads of the grid, whatever the loops around them count; and what is computed of such counts and of
// arguments alone.
static void same_find(const struct timing_input *in, struct site_pattern *out)
{
    bool *own = xcalloc((size_t)in->register_count + 1, sizeof *own);
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        bool loaded = reads_memory(t->pipe) && t->pipe != PIPE_CONST && t->pipe != PIPE_UNIFORM;
        bool atomic = writes_memory(t->pipe);
        if (loaded || atomic || is_of_thread(in->stats[i].instruction))
            for (int k = 0; k < t->result_count; k++)
                own[t->result[k]] = true;
    }
    marks_spread(in, own, NULL);
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        const struct ptx_instruction *is = in->stats[i].instruction;
        int from = is && is->guard >= 0;
        bool fixed =
            t->source_count > from && !any_value(own, t->source + from, t->source_count - from);
        out[i].same = t->pipe == PIPE_GLOBAL_LOAD && fixed;
        out[i].counted = (fixed && makes_values(t->pipe)) || selects_by_count(is, own);
    }
    free(own);
}

/* ---- loads of what is there already ------------------------------------------------------------- */

struct seen {
    uint32_t sector, block; // the last block that touched it
    int warp;
    uint32_t when;  // which of the warp's loads
    bool elsewhere; // another block had touched it before
    bool compact;   // touched by lanes side by side alone
};
struct reader {
    const struct timing_input *in;
    struct patterns *out;
    struct seen *table;
    uint64_t *stored;    // block and first sector of stores (direct mapped)
    uint32_t *last;      // sector of a site's last request, + 1
    double *loads;       // traced requests of a site
    double *later;       // of those, the ones of all blocks but the first
    uint32_t block, now; // which of the warp's loads
};

static struct seen *seen_slot(const struct reader *r, uint32_t sector)
{
    return &r->table[(sector * 2654435761u) >> 16 & (SEEN_TABLE - 1)];
}

// Lanes side by side: the first sector stands for what the request touches.
static bool is_compact(const struct trace_op *op, const struct timing_site *t)
{
    return op->sectors * SECTOR_BYTES <= op->lanes * t->bytes * 3 / 2 + SECTOR_BYTES;
}

// Lanes side by side that begin within a sector: beside others that began elsewhere in it.
static bool is_shifted(const struct trace_op *op, const struct timing_site *t)
{
    return op->lanes * t->bytes > SECTOR_BYTES && op->sectors * SECTOR_BYTES > op->lanes * t->bytes;
}

static void seen_enter(const struct reader *r, uint32_t sector, int warp, bool compact)
{
    struct seen *s = seen_slot(r, sector);
    bool elsewhere = s->sector == sector && s->block > 0 && s->block != r->block;
    *s = (struct seen){sector, r->block, warp, r->now, elsewhere, compact};
}

static uint32_t sectors_apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

// Has the warp just read the sector in front of this one, each lane at a place of its own, in the same line?
static bool line_goes_on(const struct reader *r, uint32_t sector, int warp)
{
    const struct seen *s = sector % SECTORS_PER_LINE > 0 ? seen_slot(r, sector - 1) : NULL;
    return s && s->block == r->block && s->sector == sector - 1 && s->warp == warp && !s->compact &&
           r->now - s->when <= JUST_NOW;
}

static void load_read(struct reader *r, const struct trace_op *op, int warp)
{
    const struct timing_site *t = &r->in->sites[op->site];
    struct site_pattern *p = &r->out->sites[op->site];
    double *f = r->out->facts.value;
    struct seen *s = seen_slot(r, op->first_sector);
    bool known = s->block == r->block && s->sector == op->first_sector;
    bool uniform = op->sectors == 1 && op->lanes > 1 && op->lanes * t->bytes > SECTOR_BYTES;
    // A thread that walks along a row meets a sector several times over, by several instructions where its loop is
    // unrolled: no reuse.
    bool walks = r->last[op->site] == op->first_sector + 1 && !is_compact(op, t);
    r->now++;
    bool just_now = r->now - s->when <= JUST_NOW; // what is later goes through the same words again
    bool shares = op->sectors * SECTOR_BYTES < op->lanes * t->bytes; // lanes have the same words
    bool goes_on =
        walks || ((shares || !is_compact(op, t)) && known && s->warp == warp && just_now);
    // A row that starts at a looked-up place: but for the first word of each sector, its lane has it just read the one beside it.
    bool along = walks || (!is_compact(op, t) && known && s->warp == warp && !s->compact &&
                           r->now - s->when <= NEXT_ONES);
    bool column = uniform && r->last[op->site] > 0 &&
                  sectors_apart(r->last[op->site], op->first_sector + 1) > UNROLLED_SECTORS;
    p->along += uniform && r->last[op->site] == op->first_sector + 1;
    p->row += shares && known && s->warp == warp && just_now;
    r->last[op->site] = op->first_sector + 1;
    r->loads[op->site]++;
    r->later[op->site] += r->block > 1;
    f[FACT_LOADS]++;
    f[FACT_LOADS_ONE_WORD] += uniform;
    f[FACT_ONE_WORD_SECTORS] += uniform && !known;
    f[FACT_LOADS_WALKING] += walks;
    f[FACT_LOADS_COLUMN] += column;
    f[FACT_LOADS_SCATTERED] += !is_compact(op, t) && !uniform;
    f[FACT_LOADS_GATHERED] += !is_compact(op, t) && !uniform && !along && p->gathers;
    f[FACT_LOADS_ROWS_FOUND] += is_compact(op, t) && !uniform && p->gathers;
    p->scattered += !is_compact(op, t) && !uniform && !along;
    p->line_on += !is_compact(op, t) && !uniform && line_goes_on(r, op->first_sector, warp);
    r->out->along_rows += along;
    if (!known) {
        seen_enter(r, op->first_sector, warp, is_compact(op, t));
    } else if (s->warp == warp) {
        s->when = r->now;
        s->compact = s->compact && is_compact(op, t);
    }
    if (uniform && (p->same || (s->elsewhere && r->block > 1)))
        p->uniform++;
    if (!is_compact(op, t) && !uniform)
        return;
    bool shifted =
        !uniform && is_shifted(op, t) && known && s->warp == warp && !goes_on && just_now;
    if (shifted) { // what a lane beside had: no register of this one's has it
        p->again_block++;
        f[FACT_LOADS_AGAIN_BLOCK]++;
    } else if (known && s->warp == warp && !goes_on) {
        p->again++;
        f[FACT_LOADS_AGAIN]++;
    } else if (known && s->warp != warp) {
        p->again_block++;
        f[FACT_LOADS_AGAIN_BLOCK]++;
    }
}

// Each request by the sector of its first lane: what a block stores, and whether it loads that again.
static void stored_read(struct reader *r, const struct trace_op *op, bool stores)
{
    uint64_t key = (uint64_t)op->first_sector << 32 | r->block;
    uint64_t *at = &r->stored[(op->first_sector * 2654435761u) >> 16 & (SEEN_TABLE - 1)];
    if (stores)
        *at = key;
    else
        r->out->loads_stored |= *at == key;
}

static void access_read(struct reader *r, const struct trace_op *op, int warp)
{
    const struct timing_site *t = &r->in->sites[op->site];
    double *f = r->out->facts.value;
    if (op->lanes == 0 || op->lines == 0)
        return;
    if (is_global(t->pipe)) {
        f[FACT_ACCESS_BYTES] += t->bytes;
        f[FACT_ACCESSES]++;
        stored_read(r, op, t->pipe == PIPE_GLOBAL_STORE);
    }
    if (t->pipe == PIPE_GLOBAL_LOAD && !t->synchronises) // what others write can not be kept
        load_read(r, op, warp);
    else if (t->pipe == PIPE_GLOBAL_STORE && is_compact(op, t))
        seen_enter(r, op->first_sector, warp, true);
}

/* ---- loads in a row before the first use -------------------------------------------------------- */

static void batches_count(const struct timing_input *in, const struct trace_warp *w, bool *pending,
                          double *facts)
{
    double batch = 0;
    memset(pending, 0, (size_t)in->register_count + 1);
    for (size_t i = 0; i < w->count; i++) {
        const struct trace_op *op = &w->ops[i] + in->sites[w->ops[i].site].moved;
        const struct timing_site *t = &in->sites[op->site];
        if (batch > 0 && any_value(pending, t->source, t->source_count)) {
            facts[FACT_LOAD_BATCHES]++;
            facts[FACT_LOADS_BATCHED] += batch;
            memset(pending, 0, (size_t)in->register_count + 1);
            batch = 0;
        }
        if (t->pipe != PIPE_GLOBAL_LOAD || op->lanes == 0)
            continue;
        batch++;
        for (int k = 0; k < t->result_count; k++)
            pending[t->result[k]] = true;
    }
}

/* ---- slots, atomics ------------------------------------------------------------------------------ */

static double slots_of(const struct timing_site *t)
{
    if (t->pipe == PIPE_NONE)
        return 0;
    return (t->issue_slots > 0 ? t->issue_slots : 1) + t->special_slots + t->other_slots;
}

// These are counted of all blocks.
static void sites_count(const struct timing_input *in, const struct patterns *p, double *f)
{
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        const struct sim_site *s = &in->stats[i];
        double slots = slots_of(t) * (double)s->executed;
        f[FACT_SLOTS] += slots;
        f[FACT_SLOTS_INDEX] += p->sites[i].index ? slots : 0;
        f[FACT_SLOTS_DIVISION] += is_integer_division(t, s->instruction) ? slots : 0;
        f[FACT_SLOTS_FUNCTION] += in_function(t, &p->sites[i]) ? slots : 0;
        f[FACT_SLOTS_HALF] += is_single_half(t, s->instruction) ? slots : 0;
        f[FACT_SLOTS_F64] += t->pipe == PIPE_F64 ? slots : 0;
        if (is_global_atomic(t->pipe)) {
            f[FACT_ATOMIC_REQUESTS] += (double)s->requests;
            f[FACT_ATOMIC_LANES] += (double)s->same_address_depth;
        }
        if (t->pipe == PIPE_SHARED_ATOMIC) {
            f[FACT_SHARED_ATOMICS] += (double)s->requests;
            f[FACT_SHARED_TURNS] += (double)s->wavefronts;
        }
    }
}

static void block_read(struct reader *r, const struct trace_block *b, bool *pending)
{
    double *f = r->out->facts.value;
    size_t most = 0;
    r->block++;
    for (int w = 0; w < b->warp_count; w++) {
        const struct trace_warp *warp = &b->warps[w];
        memset(r->last, 0, (size_t)r->in->site_count * sizeof *r->last);
        r->now = 0;
        for (size_t i = 0; i < warp->count; i++)
            access_read(r, &warp->ops[i], w);
        batches_count(r->in, warp, pending, f);
        f[FACT_WARP_OPS] += (double)warp->count;
        most = warp->count > most ? warp->count : most;
    }
    f[FACT_WARP_OPS_MOST] += (double)most * b->warp_count;
}

static size_t block_ops(const struct trace_block *b)
{
    size_t n = 0;
    for (int w = 0; w < b->warp_count; w++)
        n += b->warps[w].count;
    return n;
}

void patterns_find(const struct timing_input *in, struct arena *a, struct patterns *out)
{
    out->sites = ARENA_ARRAY(a, struct site_pattern, in->site_count + 1);
    out->loads_stored = false;
    out->along_rows = 0;
    out->facts = (struct facts){.known = true, .provenance = PROVENANCE_SIMULATED};
    values_find(in, out->sites);
    functions_find(in, out->sites);
    gathers_find(in, out->sites);
    same_find(in, out->sites);
    looked_up_find(in, out->sites);
    struct reader r = {.in = in,
                       .out = out,
                       .table = xcalloc(SEEN_TABLE, sizeof(struct seen)),
                       .stored = xcalloc(SEEN_TABLE, sizeof(uint64_t)),
                       .last = xcalloc((size_t)in->site_count + 1, sizeof(uint32_t)),
                       .loads = xcalloc((size_t)in->site_count + 1, sizeof(double)),
                       .later = xcalloc((size_t)in->site_count + 1, sizeof(double))};
    bool *pending = xcalloc((size_t)in->register_count + 1, sizeof *pending);
    size_t ops = 0;
    int blocks = 0;
    for (; blocks < in->trace->block_count && (blocks == 0 || ops < OPS_READ_MAX); blocks++) {
        block_read(&r, &in->trace->blocks[blocks], pending);
        ops += block_ops(&in->trace->blocks[blocks]);
    }
    for (int i = 0; i < in->site_count; i++) {
        struct site_pattern *p = &out->sites[i];
        double loads = fmax(r.loads[i], 1);
        p->again /= loads;
        p->again_block /= loads;
        p->along /= loads;
        p->row /= loads;
        p->scattered /= loads;
        p->line_on /= loads;
        p->uniform /= p->same ? loads : fmax(r.later[i], 1);
        out->facts.value[FACT_LOADS_UNIFORM] += p->uniform * r.loads[i];
    }
    out->along_rows /= fmax(out->facts.value[FACT_LOADS], 1);
    for (int i = 0; i < FACT_COUNT && blocks > 0; i++)
        out->facts.value[i] *= (double)in->grid_blocks / blocks;
    sites_count(in, out, out->facts.value);
    bool serial = loop_is_serial(in, true);
    out->facts.value[FACT_SERIAL_LOOPS] = serial ? (double)in->grid_blocks : 0;
    out->rescales = !serial && loop_is_serial(in, false);
    bool rows = out->along_rows > 0 && loops_add_up(in, out->sites);
    out->facts.value[FACT_ROW_SUMS] = rows ? (double)in->grid_blocks : 0;
    out->grid_steps = loop_steps_by_grid(in);
    out->facts.value[FACT_GRID_LOOPS] = out->grid_steps > 0 ? (double)in->grid_blocks : 0;
    free(pending);
    free(r.table);
    free(r.stored);
    free(r.last);
    free(r.loads);
    free(r.later);
}
