// The replay's memory: lines through the port, L2 and device memory, stores, atomics, shared memory.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/replay.h"

static struct fill *fill_slot(struct replay *p, uint32_t line)
{
    return &p->fills[(line * 2654435761u) >> 19 & (FILL_TABLE - 1)];
}

enum { MEMORY_LOAD_WINDOW = 4000 }; // cycles over which the load on the memory is averaged

// What the load on the memory adds, as a share of the idle latency, by load over the highest one: two
// straight lines (docs/h200-rates.md, section 5). Beyond it is the queue of the memory's server that grows.
static double latency_added(const struct rates *r, double load)
{
    double knee = r->load_knee, low = load < knee ? load : knee;
    double high = load > knee ? sooner(load, 1) - knee : 0;
    return low * r->load_slope + high * r->load_slope_high;
}

// e^-x for x >= 0, by operations whose results are the same everywhere (exp's differ with the host's C
// library). Error below 1e-12.
static double decay(double x)
{
    enum { HALVINGS = 6, TERMS = 14 };
    if (x > 40)
        return 0;
    double y = x / (1 << HALVINGS), sum = 1; // y <= 5/8
    for (int n = TERMS; n > 0; n--)
        sum = 1 + sum * y / n;
    for (int i = 0; i < HALVINGS; i++)
        sum *= sum;
    return 1 / sum;
}

// Counts bytes to or from device memory; what is remembered fades.
static void memory_count(struct replay *p, double at, double bytes)
{
    double passed = at - p->memory_load_at;
    if (passed > 0) {
        p->memory_load *= decay(passed / MEMORY_LOAD_WINDOW);
        p->memory_load_at = at;
    }
    p->memory_load += bytes / MEMORY_LOAD_WINDOW;
}

static uint32_t line_hash(uint32_t line)
{
    line = (line ^ line >> 16) * 0x7feb352dU;
    line = (line ^ line >> 15) * 0x846ca68bU;
    return line ^ line >> 16;
}

// Latency of device memory by line, a share of the mean: lines of the near partition, of the far one, each
// with a spread, and slow ones, which are seen where dirty lines must leave the L2 first.
static double dram_line_share(const struct replay *p, uint32_t line)
{
    const struct rates *r = &p->r;
    uint32_t h = line_hash(line);
    double at = (double)(h >> 8) / (1 << 24), near = r->line_near_share;
    double slow = p->memory_written ? r->line_slow_share : 0;
    if (at < slow)
        return r->line_slow;
    at = (at - slow) / (1 - slow);
    bool is_near = at < near;
    double place = is_near ? at / near : (at - near) / (1 - near);
    return (is_near ? r->line_near : r->line_far) + r->line_spread * (place - 0.5);
}

// … of a line that other SMs ask for, too, at about the same time: the more they are the surer one is near.
static double line_share_together(const struct replay *p, uint32_t line)
{
    double own = dram_line_share(p, line), sms = p->r.line_near_sms;
    if (isnan(sms) || sms <= 1 || own <= p->r.line_near)
        return own;
    return own - sooner(1, (p->sms - 1) / (sms - 1)) * (own - p->r.line_near);
}

static double dram_line_latency(const struct replay *p, uint32_t line, bool together)
{
    double load = p->memory_load / p->r.dram_read_bytes;
    double share = together ? line_share_together(p, line) : dram_line_share(p, line);
    return p->r.dram_latency * (share + latency_added(&p->r, load));
}

static double l2_line_latency(const struct replay *p, uint32_t line)
{
    double side = p->r.near_far;
    return p->r.l2_latency * (1 + (line_hash(line) & 1 ? side : -side));
}

static uint32_t first_line(const struct trace_op *op)
{
    return op->first_sector / (LINE_BYTES / SECTOR_BYTES);
}

// Was the line fetched before, by those that share the table?
static bool line_seen(struct replay *p, uint32_t line)
{
    const struct fill *f = fill_slot(p, line);
    return f->line == line && f->arrives > 0;
}

// Of a site's sectors that reach L2, the share that misses there.
static double missed_share(const struct sim_site *s)
{
    double sectors = (double)s->l2_sectors;
    return sectors > 0 ? later(1 - (double)s->l2_hit_sectors / sectors, 0) : 0;
}

// … for the stage that its warp is in.
static double missed_now(const struct replay *p, uint32_t site)
{
    const struct timing_input *in = p->in;
    double share = missed_share(&in->stats[site]);
    if (in->stage_missed == NULL || in->trace->cut)
        return share;
    double over = (double)in->stage_missed[site % in->stage_sites * L2_STAGES + p->load_stage];
    return sooner(1, share * over);
}

// Of `sectors` that reach L2, in so many units of `each` (lines, sectors), how many units miss there: the site's share. What is less
// than a unit is owed to the site's next request, so that many small ones add up exactly; where the share is not known yet, those
// of lines that nobody fetched before.
static double l2_misses(struct replay *p, uint32_t site, uint32_t line, double sectors,
                        double units, double each)
{
    if (p->miss_credit == NULL)
        return line_seen(p, line) ? 0 : units;
    if (p->in->stats[site].l2_sectors == 0)
        return 0;
    p->miss_credit[site] += sectors * missed_now(p, site);
    double whole = sooner(units, floor(p->miss_credit[site] / each + 1e-9));
    p->miss_credit[site] -= whole * each;
    return whole;
}

// The share of a site's sectors that are found in L2 and are still on their way from device memory, for another SM that asked
// first. The order of execution knows no times, and sees some of them only: where others ask for what is missed, an SM that
// finds its data has waited less than those, catches up with them turn by turn, and waits with them from there on. Where
// each asks for lines of its own choice (few for each that is missed), it does not.
double coming_share(const struct rates *r, const struct sim_site *s)
{
    double sectors = (double)s->l2_sectors, hits = (double)s->l2_hit_sectors,
           coming = (double)s->l2_coming_sectors;
    if (sectors <= 0 || hits <= 0 || coming <= 0)
        return 0;
    if (r->step_power >= 1 || coming < r->step_followers * (sectors - hits))
        return coming / sectors;
    return pow(sooner(1, coming / hits), r->step_power) * hits / sectors;
}

// … or are not there at all.
double far_share(const struct rates *r, const struct sim_site *s)
{
    return missed_share(s) + coming_share(r, s);
}

// … of which so many miss: of the others as many are coming in each stage.
static double far_now(const struct replay *p, uint32_t site, double missed)
{
    double mean = missed_share(&p->in->stats[site]), far = p->far_share[site];
    return mean < 1 ? missed + (1 - missed) * (far - mean) / (1 - mean) : far;
}

// When the SMs that are ahead are where this one is.
static double others_at(const struct replay *p, double at)
{
    return later(0, at * (1 - p->apart) - p->apart_first);
}

// A slice's time for a request: atomics wait there, too.
static void slices_take(struct replay *p, double at, double cycles)
{
    server_take(&p->flits, at, cycles);
    if (p->hot_turn > 0)
        server_take(&p->atomic, others_at(p, at), cycles);
}

struct request { // of lines that are not in L1
    uint32_t first_line, lines, sectors;
};

static void fill_note(struct replay *p, uint32_t line, double sectors, double arrives)
{
    double before = line_seen(p, line) ? (double)fill_slot(p, line)->sectors : 0;
    *fill_slot(p, line) =
        (struct fill){.line = line, .sectors = (float)(before + sectors), .arrives = arrives};
}

// What missed L2 passes the cache in front of device memory, where the chip has one. Returns when it would be there from it.
static double memory_cache_take(struct replay *p, double bytes, double at)
{
    if (p->r.memory_cache_bytes <= 0)
        return 0;
    double cost = bytes / p->r.memory_cache_bytes;
    return server_take(&p->memory_cache, at, cost) + cost + p->r.memory_cache_latency;
}

// Is the next line found there? As often as the cache model found it.
static bool memory_cache_hits(struct replay *p)
{
    p->memory_cache_owed += p->in->memory_cache_share;
    bool hit = p->memory_cache_owed >= 1;
    p->memory_cache_owed -= hit;
    return hit;
}

// Is the next line that needs nothing behind L2 in the array's L1? As often as the cache model found it.
static bool array_cache_hits(struct replay *p)
{
    p->array_cache_owed += p->in->array_cache_share;
    bool hit = p->array_cache_owed >= 1;
    p->array_cache_owed -= hit;
    return hit;
}

enum source {
    FROM_L2,
    FROM_MEMORY,
    COMING,
    ASKED_FOR
}; // the last: by this SM, in a granule that may be on its way

// A request of less than a granule of each line: its sectors are owed as many misses of L2, and as many hits on what is still coming
// there, as its site has in the mean; of the latter, what no line of the request can take is forgotten.
static void sources_owe(struct replay *p, uint32_t site, double sectors)
{
    if (p->in->stats[site].l2_sectors == 0)
        return;
    double missed = missed_now(p, site);
    p->miss_credit[site] += sectors * missed;
    p->coming_credit[site] =
        sooner(p->coming_credit[site], sectors) + sectors * far_now(p, site, missed);
}

static bool credit_take(double *credit, double sectors, double beyond)
{
    if (*credit + 1e-9 < sectors + beyond)
        return false;
    *credit -= sectors;
    return true;
}

// Does a request bring what no other of this SM has brought? Device memory sends granules of several sectors: of those that walk
// through a line sector by sector only the first of a granule waits for it (docs/h200-rates.md, section 2).
static bool is_new_granule(struct replay *p, uint32_t line, double sectors)
{
    static const double half = 0.5;
    if (!line_seen(p, line))
        return true;
    double begun = fmod((double)fill_slot(p, line)->sectors, p->r.granule);
    return begun < half || begun + sectors > p->r.granule + half;
}

// Where a line's sectors are found: what is owed falls on those of new granules, and on others where too much is owed.
static enum source line_source(struct replay *p, uint32_t site, uint32_t line, double sectors)
{
    enum { MUCH = 8 }; // sectors
    bool is_new = is_new_granule(p, line, sectors);
    if (credit_take(&p->miss_credit[site], sectors, is_new ? 0 : MUCH)) {
        p->coming_credit[site] -= sectors; // none is both
        return FROM_MEMORY;
    }
    if (!is_new)
        return ASKED_FOR;
    return credit_take(&p->coming_credit[site], sectors, 0) ? COMING : FROM_L2;
}

// How many lines of a request of whole ones are coming, of which so many miss: none is both.
static double lines_coming(struct replay *p, uint32_t site, const struct request *q, double each,
                           double missed)
{
    if (p->coming_credit == NULL)
        return 0;
    p->coming_credit[site] += q->sectors * far_now(p, site, missed_now(p, site));
    double owed = sooner(q->lines, floor(p->coming_credit[site] / each + 1e-9));
    double far = later(missed, owed);
    p->coming_credit[site] -= far * each;
    return far - missed;
}

// Lines that are not in L1, one by one through the port, L2 and, as often as this site's do, device
// memory. Returns when the slowest is there.
static double lines_fetch(struct replay *p, uint32_t site, struct request q, double at)
{
    const struct rates *r = &p->r;
    q.lines = q.lines > 0 ? q.lines : 1;
    uint32_t lines = q.lines;
    double missed = q.sectors * (double)SECTOR_BYTES;
    double each = q.sectors / (double)lines;
    bool in_part = p->miss_credit != NULL && each < r->granule;
    double from_dram = 0, coming = 0; // lines
    if (in_part) {
        sources_owe(p, site, q.sectors);
    } else {
        from_dram = l2_misses(p, site, q.first_line, q.sectors, lines, each);
        coming = from_dram + lines_coming(p, site, &q, each, from_dram);
    }
    double arrives = 0, latency = r->array_cache_latency;
    for (uint32_t i = 0; i < lines; i++) {
        double leaves = port_requests(1) / r->port_lines;
        double sent = server_take(&p->port, at, leaves) + leaves;
        uint32_t line = q.first_line + i;
        enum source from = in_part               ? line_source(p, site, line, each)
                           : i + 0.5 < from_dram ? FROM_MEMORY
                           : i + 0.5 < coming    ? COMING
                                                 : FROM_L2;
        if (from != FROM_MEMORY && array_cache_hits(p)) {
            fill_note(p, line, each, sent + r->array_cache_latency);
            arrives = later(arrives, sent + r->array_cache_latency);
            continue;
        }
        latency = r->l2_latency;
        if (!p->turns)
            slices_take(p, sent, 1 / r->l2_flits);
        double read = missed / lines / r->l2_read_bytes;
        double l2 = server_take(&p->l2, sent, read) + read;
        double there = l2 + l2_line_latency(p, line);
        if (from == FROM_MEMORY) {
            double bytes = missed / lines * p->fetched;
            double cached = memory_cache_take(p, bytes, l2);
            there = later(there, cached);
            if (memory_cache_hits(p)) {
                fill_note(p, line, each, there);
                arrives = later(arrives, there);
                continue;
            }
            double cost = bytes / r->dram_read_bytes * p->scattered;
            memory_count(p, sent, bytes);
            double dram = server_take(&p->dram, l2, cost) + cost;
            there = later(there, dram + dram_line_latency(p, line, false));
        } else if (from == COMING) {
            there = later(there, l2 + dram_line_latency(p, line, q.lines == 1 && q.sectors == 1));
        } else if (from == ASKED_FOR) {
            there = later(there, fill_slot(p, line)->arrives);
        }
        fill_note(p, line, each, there);
        arrives = later(arrives, there);
    }
    double fill = missed / r->fill_bytes;
    double filled = server_take(&p->fill, at, fill) + fill + latency;
    return later(arrives, filled);
}

// A line that is hit may still be on its way.
static double lines_wait(struct replay *p, const struct trace_op *op, double arrives)
{
    for (uint32_t i = 0; i < op->lines; i++) {
        const struct fill *f = fill_slot(p, first_line(op) + i);
        if (f->line == first_line(op) + i && f->arrives > arrives)
            arrives = f->arrives;
    }
    return arrives;
}

// Where L2's hits are not known otherwise: it has the lines now.
static void lines_mark(struct replay *p, const struct trace_op *op, double at)
{
    for (uint32_t i = 0; i < op->lines && p->miss_credit == NULL; i++)
        *fill_slot(p, first_line(op) + i) =
            (struct fill){.line = first_line(op) + i, .arrives = at};
}

/* ---- who comes first to a line ------------------------------------------------------------------ */

enum { ORDER_LINES = 4 }; // of operations with more lines the trace has only the first one's place

static struct line_order *order_of(const struct replay *p, uint32_t line)
{
    uint32_t at = line_hash(line) & p->order_mask;
    while (p->order[at].line != 0 && p->order[at].line != line + 1)
        at = (at + 1) & p->order_mask;
    return &p->order[at];
}

static bool op_misses(const struct replay *p, const struct trace_op *op)
{
    return op->miss > 0 && op->lines <= ORDER_LINES && op->lanes > 0 &&
           p->costs[op->site].unit == UNIT_LOAD;
}

static void order_enter(struct replay *p, const struct trace_op *op)
{
    for (uint32_t i = 0; i < op->miss_lines; i++)
        order_of(p, first_line(op) + i)->line = first_line(op) + i + 1;
}

void order_init(struct replay *p)
{
    const struct trace *t = p->in->trace;
    size_t lines = 0, room = 64;
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < t->block_count; b++)
            for (int w = 0; w < t->blocks[b].warp_count; w++)
                for (size_t i = 0; i < t->blocks[b].warps[w].count; i++) {
                    const struct trace_op *op = &t->blocks[b].warps[w].ops[i];
                    if (!op_misses(p, op))
                        continue;
                    lines += op->miss_lines;
                    if (pass == 1)
                        order_enter(p, op);
                }
        while (pass == 0 && room < 2 * lines)
            room *= 2;
        if (pass == 0) {
            p->order = spare_take_zeros(p->in->spare, room * sizeof *p->order);
            p->order_mask = (uint32_t)room - 1;
        }
    }
}

// The operation as the replay meets it: it misses lines that nobody has asked for yet though another warp did when it was
// traced, and finds those that others came to before.
static struct trace_op op_met(struct replay *p, const struct trace_op *traced)
{
    struct trace_op op = *traced;
    if (p->order == NULL || op.lines > ORDER_LINES || op.lanes == 0)
        return op;
    bool misses = op.miss > 0;
    uint32_t count = misses ? op.miss_lines : op.lines, changed = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct line_order *o = order_of(p, first_line(&op) + i);
        if (o->line == 0)
            continue;
        struct first_touch *f =
            op.sectors == 1 ? &o->sector[op.first_sector % SECTORS_PER_LINE] : &o->whole;
        if (misses && f->early > 0) {
            f->early--;
            changed++;
        } else if (!misses && !f->met) {
            f->early++;
            changed++;
        }
        f->met = true;
    }
    if (changed == 0)
        return op;
    uint32_t lines = misses ? count - changed : changed;
    op.miss = (uint8_t)(misses ? op.miss * lines / count : op.sectors * lines / op.lines);
    op.miss_lines = (uint8_t)lines;
    return op;
}

// Passes through the tags: where lines share a bank, one after the other.
static double tag_passes(const struct replay *p, const struct trace_op *op)
{
    double apart = op->lines / p->r.lines;
    return later(apart, sooner(op->tags, op->lines)); // a counterfactual has fewer lines
}

// A load that finds its lines: through the data stage, and its scheduler's own way there, which takes longer for each pass. Returns
// when its data begin to come.
static double found_pass(struct replay *p, const struct trace_op *op, double cycles, double at)
{
    double own = op->wavefronts > 1 ? op->wavefronts * p->r.own_pass : 0, taken = 0;
    double start = server_take(&p->pipe[SERVER_LSU], at, cycles);
    (void)stage_take(p->stage, start, cycles, &taken);
    if (own <= cycles)
        return start + cycles;
    return server_take(&p->own[p->scheduler], start, own) + own;
}

// A load whose lines come later, which others may wait for too: its data pass when the last of them is there, after those that
// came before. It has been at the tags twice.
static double late_pass(struct replay *p, const struct trace_op *op, double cycles, double at)
{
    double begun = 0, passes = later(cycles, 2 * op->lines / p->r.lines);
    p->pipe[SERVER_LSU].busy += cycles;
    return later(at, stage_take(p->stage, at, passes, &begun) - p->r.lsu_issue);
}

static double load_pass(struct replay *p, const struct trace_op *op, const struct site_cost *c,
                        double cycles, double at)
{
    static const double word = 4; // bytes
    const struct rates *r = &p->r;
    double coming = op->miss_lines < op->lines ? lines_wait(p, op, 0) : 0;
    double latency = c->latency + r->word * later(p->in->sites[op->site].bytes / word - 1, 0);
    double tags = later(r->lsu_issue, tag_passes(p, op));
    double start = p->stage != NULL ? server_take(&p->tags, at, tags)
                                    : server_take(&p->pipe[SERVER_LSU], at, cycles);
    bool late = op->miss > 0 || coming > start + cycles + latency;
    double passed = p->stage == NULL ? start + cycles
                    : late           ? start + tags
                                     : found_pass(p, op, cycles, start);
    double arrives = later(coming, passed + latency);
    struct request q = {first_line(op), op->miss_lines, op->miss};
    if (op->miss > 0)
        arrives = later(arrives, lines_fetch(p, op->site, q, start));
    return late && p->stage != NULL ? late_pass(p, op, cycles, arrives) : arrives;
}

double load_global(struct replay *p, const struct trace_op *traced, const struct site_cost *c,
                   double at)
{
    const struct rates *r = &p->r;
    const struct trace_op met = op_met(p, traced), *op = &met;
    const struct timing_site *t = &p->in->sites[op->site];
    double bytes = (double)op->lanes * t->bytes;
    double cycles = later(later(r->lsu_issue, bytes / r->l1_bytes),
                          later(tag_passes(p, op), op->wavefronts * r->wavefront));
    cycles = later(cycles, side_by_side_cycles(op->lines, op->sectors));
    return load_pass(p, op, c, cycles, at);
}

// Flits of so many sectors, from `start`. Returns when they have left the SM.
static double flits_send(struct replay *p, double flits, double sectors, double start)
{
    static const double in_front = 3. / 8; // of what waits for L2, reads do not overtake
    const struct rates *r = &p->r;
    double room = later(start, p->flits.free_at - r->flit_queue);
    double leaves = flits / r->port_lines;
    double sent = server_take(p->turns ? &p->stores : &p->port, room, leaves) + leaves;
    double taken = flits / r->l2_flits + sectors * p->write_lone;
    double l2 = server_take(&p->flits, sent - leaves, taken) + taken;
    double bytes = sectors * SECTOR_BYTES * p->write_share;
    if (bytes > 0) {
        memory_count(p, sent, bytes);
        server_take(&p->dram, p->turns ? start + (l2 - start) * in_front : l2,
                    bytes / r->dram_write_bytes);
    }
    return sent;
}

// How long a store keeps the loads behind it: its flits pass the data stage as they pass the port. Of each bank of tags some lines
// have a place where they wait for the port; further ones wait in the tags' stage, until all are sent at the latest.
static double store_pass(const struct replay *p, const struct trace_op *op, double flits)
{
    double pass = flits * p->r.store_pass, tags = tag_passes(p, op);
    if (p->r.store_places <= 0 || tags <= p->r.store_places)
        return pass;
    double waits = pass + (tags - p->r.store_places) * p->r.store_place;
    return later(pass, sooner(waits, flits / p->r.port_lines));
}

// (With turns: of those behind one that has its turn at the port soon; samples have loads overtake stores that wait there.) Returns
// when the store has left the SM.
double store_global(struct replay *p, const struct trace_op *op, double at)
{
    double flits = port_store_flits(op->lines, op->sectors, op->miss); // `miss`: written in part
    bool waits = p->turns && p->stores.free_at > at + p->r.load_queue;
    double pass = waits ? 0 : store_pass(p, op, flits);
    double start = lsu_take(p, at, later(p->r.lsu_store, pass));
    double sent = flits_send(p, flits, op->sectors, start);
    lines_mark(p, op, sent);
    return sent;
}

// A bulk copy: one instruction of one thread, whose bytes take the way of an ordinary load's or store's past L1. What the
// copy engine itself costs was not measured: its start is taken as a load's. Returns when the bytes are there, those
// written when they have left the SM.
double copy_bulk(struct replay *p, const struct trace_op *op, const struct site_cost *c, double at)
{
    const struct rates *r = &p->r;
    const struct trace_sync *s = syncs_of(p, op);
    double start = lsu_take(p, at, r->lsu_issue);
    double begun = start + r->lsu_issue + c->latency;
    if (s == NULL || s->phase != NO_PHASE)
        return begun; // between shared memories
    if (s->touch == TOUCH_READ)
        return later(begun, lines_fetch(p, op->site,
                                        (struct request){s->first_sector / SECTORS_PER_LINE,
                                                         s->lines, s->sectors},
                                        begun));
    double sent = flits_send(p, s->sectors, s->sectors, start);
    if (s->touch == TOUCH_ATOMIC)
        server_take(&p->atomic, sent, s->sectors / r->l2_atomics);
    return sent;
}

// What sectors cost that go back to device memory, beside whole lines: those of an atomic that has one of each line are
// alone when they go. (A store's may have been joined by others' in L2 until then: a transpose's columns.)
static double lone_writes(const struct replay *p, const struct trace_op *op)
{
    double lines = op->lines > 0 ? op->lines : 1, whole = LINE_BYTES / SECTOR_BYTES;
    double lone = later(0, whole * lines - op->sectors) / (whole * lines - lines);
    return 1 + sooner(lone, 1) * (p->scattered_writes - 1);
}

// An atomic whose sector is not in L2 brings it there first.
double atomic_global(struct replay *p, const struct trace_op *op, const struct site_cost *c,
                     double at)
{
    const struct rates *r = &p->r;
    double start = lsu_take(p, at, r->lsu_issue);
    double flits = op->sectors / r->port_lines; // word, mask and address are one
    double sent = server_take(&p->port, start, flits) + flits;
    double depth = op->wavefronts > 0 ? op->wavefronts : 1, turns = op->sectors * p->atomic_turns;
    double work = later(turns / r->l2_atomics, op->sectors * p->hot_turn / r->l2_atomics_same);
    work = later(work, depth > 1 ? depth / (r->l2_atomics_same * p->sms) : 0);
    if (p->turns)
        work = later(work, p->hot_turns / r->l2_atomics_same);
    if (c->pipe == PIPE_GLOBAL_ATOMIC)
        work *= 1 + (r->atomic_return - 1) * p->hot_apart;
    if (!p->turns)
        server_take(&p->flits, sent, turns / r->l2_atomics);
    double done = later(sent, server_take(&p->atomic, others_at(p, sent), work)) + work;
    p->atomics_done = later(p->atomics_done, done);
    double missed =
        l2_misses(p, op->site, first_line(op), op->miss, op->miss, 1) * SECTOR_BYTES * p->fetched;
    double bytes = op->sectors * (double)SECTOR_BYTES * p->write_share;
    if (bytes > 0) { // what it leaves dirty goes some time
        memory_count(p, sent, bytes);
        server_take(&p->dram, sent, bytes / r->dram_write_bytes * lone_writes(p, op));
    }
    if (missed > 0) {
        double cost = missed / r->dram_read_bytes * p->scattered;
        memory_count(p, sent, missed);
        done =
            later(done, server_take(&p->dram, sent, cost) + cost + r->dram_latency - r->l2_latency);
    }
    lines_mark(p, op, done);
    return done + c->latency;
}

// A loop that loads, adds, compares and swaps, one turn after the other. As many turns as the banks have passes, less what wide
// words take anyway: lanes on a word take turns. Where all the lanes are on one word they take them behind the lanes that another
// warp of the block has at it.
static double swap_in_shared(struct replay *p, const struct trace_op *op, double at)
{
    static const double bank_bytes = 4;
    double wide = p->in->sites[op->site].bytes / bank_bytes - 1;
    double turns = later(1, op->wavefronts - later(wide, 0));
    double cycles = turns * p->r.swap_cycles;
    double start = lsu_take(p, at, cycles);
    p->shared_only.busy += cycles;
    double took = later(cycles, turns * p->r.swap_latency);
    if (op->first_sector == 0 || turns < op->lanes)
        return start + took;
    struct block_slot *s = &p->slots[p->slot];
    s->swaps_end = (s->swapped == op->first_sector ? later(start, s->swaps_end) : start) + took;
    s->swapped = op->first_sector;
    return s->swaps_end;
}

double access_shared(struct replay *p, const struct trace_op *op, const struct site_cost *c,
                     double at)
{
    if (is_swap_loop(c, op))
        return swap_in_shared(p, op, at);
    double passes = op->wavefronts > 0 ? op->wavefronts : 1;
    double cycles = op->lanes > 0 ? later(p->r.lsu_issue, passes * p->r.wavefront) : 0;
    double start = pipe_take(p, &p->pipe[c->first], at, cycles);
    p->shared_only.busy += cycles;
    return start + later(cycles - 1, 0) + c->latency;
}
