// The caches' ear: lines of global and local accesses go through the SM's L1 (loads; stores leave their
// bytes there) and on to the log for L2, which is replayed later. Notes for those that listen after it
// what was found.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/turns.h"
#include "sim/observe/events.h"

static bool caches_wanted(const struct launch *l)
{
    return !l->options->no_caches;
}

static enum l2_kind l2_kind_of(enum touch touch)
{
    return touch == TOUCH_READ ? L2_READ : touch == TOUCH_WRITE ? L2_WRITE : L2_ATOMIC;
}

void bytes_of_lines(const struct access *access, uint64_t base, const uint64_t *address,
                    uint32_t mask, unsigned bytes, struct line_bytes *out)
{
    int count = access->line_count, at = 0;
    memset(out, 0, (size_t)count * sizeof(*out));
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        uint64_t a = address[__builtin_ctz(rest)], line = a / LINE_BYTES * LINE_BYTES - base;
        // Neighbouring lanes have neighbouring lines, or the same.
        for (int tried = 0; access->line[at].address != line && tried < count; tried++)
            at = at + 1 < count ? at + 1 : 0;
        uint64_t piece = (((uint64_t)1 << bytes) - 1) << a % (LINE_BYTES / 2);
        out[at].half[a % LINE_BYTES / (LINE_BYTES / 2)] |= piece;
    }
}

// Bytes of an access's lines, worked out when first wanted.
struct touched {
    const struct access *access;
    const struct line_bytes *written; // they are known
    const uint64_t *address;
    uint64_t more; // to be added to each
    uint64_t base;
    uint32_t mask;
    unsigned bytes;
    bool known;
    struct line_bytes line[COUNT_OF(((struct access *)0)->line)];
};

// The array stays as it is: most accesses never look at it.
static void touched_init(struct touched *t, const struct event *e, const uint64_t *address,
                         uint64_t base, unsigned bytes)
{
    t->access = e->access;
    t->written = e->written;
    t->address = address;
    t->more = 0;
    t->base = base;
    t->mask = e->mask;
    t->bytes = bytes;
    t->known = false;
}

static const struct line_bytes *touched_bytes(struct touched *t, int line)
{
    if (!t->known) {
        uint64_t address[LANES];
        for (unsigned i = 0; i < LANES; i++)
            address[i] = t->address[i] + t->more;
        bytes_of_lines(t->access, t->base, address, t->mask, t->bytes, t->line);
    }
    t->known = true;
    return &t->line[line];
}

static uint8_t line_load(struct l1 *l1, struct touched *t, int i)
{
    const struct access_line *a = &t->access->line[i];
    uint64_t address = t->base + a->address;
    if (t->address != NULL && (l1_in_part(l1, address) & a->sectors) != 0)
        return l1_load_bytes(l1, address, a->sectors, touched_bytes(t, i));
    return l1_load(l1, address, a->sectors);
}

// Returns the sectors that were readable before.
static uint8_t line_store(struct l1 *l1, struct touched *t, int i)
{
    const struct access_line *a = &t->access->line[i];
    uint64_t address = t->base + a->address;
    if (t->address == NULL || a->full_sectors == a->sectors)
        return l1_store(l1, address, a->full_sectors);
    return l1_store_bytes(l1, address, touched_bytes(t, i));
}

static const struct line_bytes *all_bytes(void *context)
{
    const struct touched *t = context;
    return t->written != NULL ? t->written : touched_bytes(context, 0);
}

// Through L1, and on to the log.
static inline void lines_ask(struct sm *sm, const struct l1_question *q, struct l1_answer *answer)
{
    const struct store_plan *plan = q->plan;
    if (plan != NULL && plan->row) {
        l1_store_row(sm->l1, plan, q->lines.access, q->lines.base, q->bytes(q->context));
        l2_log_row(&sm->log, plan, q->lines.base);
        *answer = (struct l1_answer){
            .requests = plan->requests, .sent = plan->sent, .partial = plan->partial};
        return;
    }
    l1_ask(sm->l1, q, l2_log_room(&sm->log, (size_t)q->lines.access->line_count), answer);
    sm->log.single_count += answer->requests;
    sm->log.count += answer->requests;
}

// Which of a store's lines join what the warp's last one left to be sent, a bit each: where it was to the same lines and by
// another instruction, and these are few enough to be there still.
static uint64_t lines_merged(struct warp *w, const struct access *a, uint64_t base, uint32_t site)
{
    struct store_waiting *s = &w->stored;
    uint32_t count = (uint32_t)a->line_count, sectors = 0;
    uint64_t merged = 0, in_part = 0, differs = 0;
    if (count > w->core->launch->turn.merge_lines) {
        s->count = 0;
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct access_line *line = &a->line[i];
        uint32_t stored = (uint32_t)line->sectors << i * SECTORS_PER_LINE;
        sectors |= stored;
        in_part |= line->sectors & ~(unsigned)line->full_sectors;
        differs |= s->line[i] ^ (base + line->address);
        merged |= (uint64_t)((stored & ~s->sectors) == 0) << i;
        s->line[i] = base + line->address;
    }
    bool joins = in_part != 0 && differs == 0 && s->count == count && site > s->site;
    s->sectors = sectors | (joins ? s->sectors : 0);
    s->count = in_part != 0 ? count : 0;
    s->site = site;
    return joins ? merged : 0;
}

// Of a warp that executes its next access.
static inline uint8_t stage_of(struct warp *w, enum touch touch)
{
    w->loads += touch == TOUCH_READ;
    return (uint8_t)l2_stage(w->loads, w->core->launch->wave_first == 0);
}

static void hear_global(struct warp *w, struct event *e)
{
    struct sm *sm = w->block->sm;
    struct mem_state *s = &w->core->mem[e->u->extra];
    struct touched t;
    // Of a texture it is not known which lane touches which of its lines: sectors count whole.
    bool lanes_known = e->kind == EVENT_GLOBAL;
    touched_init(&t, e, lanes_known ? e->address : NULL, e->line_base, e->bytes);
    const struct l1_question q = {
        .lines = {.access = e->access,
                  .base = e->line_base,
                  .next = 2 * e->line_base - s->line_base,
                  .site = e->u->site,
                  .sm_partition = (uint8_t)(sm->index & 1),
                  .stage = stage_of(w, e->touch)},
        .bytes = lanes_known ? all_bytes : NULL,
        .context = &t,
        .plan = e->plan,
        .merged =
            e->touch == TOUCH_WRITE ? lines_merged(w, e->access, e->line_base, e->u->site) : 0,
        .touch = e->touch,
        .bypass = w->core->launch->program->mem_ops[e->u->extra].bypass_l1,
    };
    struct l1_answer answer;
    lines_ask(sm, &q, &answer);
    s->line_base = e->line_base;
    s->l1_hit_sectors += answer.hits;
    s->l2_sectors += answer.sent;
    e->hit_sectors = answer.hits;
    e->sent_lines = (unsigned)answer.requests;
    e->sent_sectors = answer.sent;
    e->partial_sectors = answer.partial;
    if (q.merged != 0)
        e->merged_sectors = e->sectors - answer.sent;
}

void caches_store_row(struct warp *w, const struct uop *u, struct mem_state *s, uint64_t base)
{
    const struct launch *l = w->core->launch;
    const struct phase *p = s->phase;
    const struct turn_take take = {p->stages, p->port, p->memory, false,
                                   l->program->mem_ops[u->extra].ordered};
    struct sm *sm = w->block->sm;
    l1_store_row(sm->l1, p->plan, &p->access, base, p->written);
    l2_log_row(&sm->log, p->plan, base);
    s->line_base = base;
    s->l2_sectors += p->plan->sent;
    turn_taken(w, &l->turn, &take, true);
    if (w->trace != NULL)
        trace_lines(w, u->site, p, base, p->plan->sent, p->plan->partial, p->plan->requests);
}

// Of a load where L1 holds no sectors in part.
static inline bool load_ask(struct sm *sm, const struct l1_lines *lines, struct l1_answer *answer)
{
    struct l2_request *out = l2_log_room(&sm->log, (size_t)lines->access->line_count);
    if (!l1_load_lines(sm->l1, lines, out, answer))
        return false;
    sm->log.single_count += answer->requests;
    sm->log.count += answer->requests;
    return true;
}

struct lanes { // of an access
    const uint64_t *address;
    uint64_t more; // to be added to each
    uint32_t mask;
    unsigned bytes;
    enum touch touch;
    bool bypass;
    uint64_t merged; // as a question has it
};

static __attribute__((noinline)) void lanes_ask(struct sm *sm, const struct l1_lines *lines,
                                                const struct phase *p, const struct lanes *l,
                                                struct l1_answer *answer)
{
    struct touched touched; // the array stays as it is
    touched.access = &p->access;
    touched.written = p->written;
    touched.address = l->address;
    touched.more = l->more;
    touched.base = lines->base;
    touched.mask = l->mask;
    touched.bytes = l->bytes;
    touched.known = false;
    const struct l1_question q = {.lines = *lines,
                                  .bytes = all_bytes,
                                  .context = &touched,
                                  .plan = p->planned ? p->plan : NULL,
                                  .merged = l->merged,
                                  .touch = l->touch,
                                  .bypass = l->bypass};
    lines_ask(sm, &q, answer);
}

// What L1 said of a load, for the site, the order of turns and the trace.
static inline void load_taken(struct warp *w, const struct uop *u, struct mem_state *s,
                              uint64_t base, bool ordered, const struct l1_answer *answer)
{
    const struct turn_costs *t = &w->core->launch->turn;
    const struct phase *p = s->phase;
    s->line_base = base;
    s->l1_hit_sectors += answer->hits;
    s->l2_sectors += answer->sent;
    const struct turn_take take = {.stages = p->stages,
                                   .port = t->port_cycles[answer->requests],
                                   .memory = t->memory_cycles[answer->sent],
                                   .reads = true,
                                   .waits = ordered || answer->sent > 0};
    turn_taken(w, t, &take, answer->sent > 0);
    if (w->trace != NULL)
        trace_lines(w, u->site, p, base, (unsigned)p->access.sector_count, answer->sent,
                    answer->requests);
}

static inline void store_taken(struct warp *w, const struct uop *u, struct mem_state *s,
                               uint64_t base, bool ordered, bool merged,
                               const struct l1_answer *answer)
{
    const struct turn_costs *t = &w->core->launch->turn;
    const struct phase *p = s->phase;
    s->line_base = base;
    s->l2_sectors += answer->sent;
    double flits = port_store_flits((unsigned)p->access.line_count, answer->sent, answer->partial);
    const struct turn_take take = {
        .stages = p->stages,
        .port = p->planned && !merged ? p->port : (uint64_t)(flits / t->r.port_lines),
        .memory = t->memory_cycles[answer->sent],
        .waits = ordered};
    turn_taken(w, t, &take, answer->sent > 0);
    if (w->trace != NULL)
        trace_lines(w, u->site, p, base, answer->sent, answer->partial, answer->requests);
}

void caches_plain(struct warp *w, const struct uop *u, struct mem_state *s, uint32_t mask,
                  const uint64_t *address, uint64_t more, unsigned bytes, enum touch touch)
{
    const struct mem_op *m = &w->core->launch->program->mem_ops[u->extra];
    const struct phase *p = s->phase;
    struct sm *sm = w->block->sm;
    uint64_t base = address[lane_first(mask)] + more - s->key, merged = 0;
    const struct l1_lines lines = {.access = &p->access,
                                   .base = base,
                                   .next = 2 * base - s->line_base,
                                   .site = u->site,
                                   .sm_partition = (uint8_t)(sm->index & 1),
                                   .stage = stage_of(w, touch)};
    struct l1_answer answer;
    bool reads = touch == TOUCH_READ;
    if (reads && !m->bypass_l1 && load_ask(sm, &lines, &answer)) {
        load_taken(w, u, s, base, m->ordered, &answer);
        return;
    }
    if (touch == TOUCH_WRITE)
        merged = lines_merged(w, &p->access, base, u->site);
    lanes_ask(sm, &lines, p,
              &(struct lanes){address, more, mask, bytes, touch, m->bypass_l1, merged}, &answer);
    if (reads)
        load_taken(w, u, s, base, m->ordered, &answer);
    else
        store_taken(w, u, s, base, m->ordered, merged != 0, &answer);
}

// Words of local memory go through L1 as those of global memory do: a store goes on to L2 whether L1 has its line or not.
static void hear_local(struct warp *w, struct event *e)
{
    enum { LOCAL_WORD = 4 }; // local memory is laid out by words
    struct mem_state *s = &w->core->mem[e->u->extra];
    struct sm *sm = w->block->sm;
    struct touched t;
    touched_init(&t, e, e->physical, 0, e->bytes < LOCAL_WORD ? e->bytes : LOCAL_WORD);
    bool writes = e->touch == TOUCH_WRITE;
    w->loads += !writes;
    for (int i = 0; i < e->access->line_count; i++) {
        const struct access_line *a = &e->access->line[i];
        uint8_t hit = (writes ? line_store(sm->l1, &t, i) : line_load(sm->l1, &t, i)) & a->sectors;
        uint8_t sent = writes ? a->sectors : (uint8_t)(a->sectors & ~hit);
        e->hit_sectors += sector_count(hit);
        e->sent_sectors += sector_count(sent);
        e->sent_lines += sent != 0;
        if (writes)
            e->partial_sectors += sector_count((uint8_t)(a->sectors & ~a->full_sectors));
        if (sent == 0)
            continue;
        sm_log(sm, a->address, sent, a->full_sectors & sent, l2_kind_of(e->touch), e->u->site);
        s->l2_sectors += sector_count(sent);
    }
}

// The copy engine goes past L1 and is no request of the load/store unit.
static void hear_copy(struct warp *w, struct event *e)
{
    struct mem_state *s = &w->core->mem[e->u->extra];
    uint64_t at = e->copied_from, last = at + e->copied_bytes;
    while (at < last) {
        uint64_t line = at / LINE_BYTES * LINE_BYTES, end = line + LINE_BYTES;
        end = end < last ? end : last;
        unsigned sectors = 0, full = 0;
        for (unsigned i = 0; i < SECTORS_PER_LINE; i++) {
            uint64_t low = line + (uint64_t)i * SECTOR_BYTES, high = low + SECTOR_BYTES;
            sectors |= (unsigned)(low < end && high > at) << i;
            full |= (unsigned)(low >= at && high <= end) << i;
        }
        sm_log(w->block->sm, line, (uint8_t)sectors, (uint8_t)full, l2_kind_of(e->touch),
               e->u->site);
        s->l2_sectors += sector_count(sectors);
        at = end;
    }
}

static void caches_hear(struct warp *w, struct event *e)
{
    if (e->kind == EVENT_GLOBAL || e->kind == EVENT_TEXTURE)
        hear_global(w, e);
    else if (e->kind == EVENT_LOCAL)
        hear_local(w, e);
    else
        hear_copy(w, e);
}

const struct listener caches_listener = {.name = "caches",
                                         .kinds = HEARS(GLOBAL) | HEARS(LOCAL) | HEARS(TEXTURE) |
                                                  HEARS(COPY),
                                         .wanted = caches_wanted,
                                         .hear = caches_hear};
