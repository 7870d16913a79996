// Branches, calls and exits. Lanes that part become paths: the path that branched waits at the
// branch's immediate post-dominator, its children run there one after the other, and the last to
// arrive hands back. A path that loops while others wait gives way to them now and then, so that a
// lane that spins on what another lane of its warp does comes to an end.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"

/* ---- paths --------------------------------------------------------------------------------- */

static struct path *path_new(struct warp *w, struct path *parent, uint32_t mask,
                             const struct uop *pc, const struct uop *reconverge)
{
    struct core *core = w->core;
    struct path *p = core->free_paths;
    if (p != NULL)
        core->free_paths = p->next_free;
    else
        p = ARENA_NEW(&core->arena, struct path);
    *p = (struct path){.parent = parent,
                       .mask = mask,
                       .pc = pc,
                       .reconverge = reconverge,
                       .frame = w->frame,
                       .base_frame = w->frame,
                       .barrier = -1};
    if (parent != NULL)
        parent->children++;
    return p;
}

static void path_free(struct warp *w, struct path *p)
{
    if (p == &w->root_path)
        return;
    p->next_free = w->core->free_paths;
    w->core->free_paths = p;
}

static void path_save(struct warp *w, const struct uop *pc)
{
    struct path *p = w->path;
    p->pc = pc;
    p->mask = w->mask;
    p->reconverge = w->reconverge;
    p->frame = w->frame;
}

static const struct uop *path_load(struct warp *w, struct path *p)
{
    w->path = p;
    w->mask = p->mask;
    w->reconverge = p->reconverge;
    w->frame = p->frame;
    w->regs = p->frame->regs;
    w->pc = p->pc;
    w->backward = 0;
    return p->pc;
}

// The last of the other paths that can go on; false: all wait.
static bool path_ready(struct warp *w)
{
    for (int i = w->other_count; i-- > 0;) {
        struct path *p = w->others[i];
        if (p->barrier >= 0)
            continue;
        if (i + 1 < w->other_count)
            memmove(&w->others[i], &w->others[i + 1],
                    (size_t)(w->other_count - i - 1) * sizeof(struct path *));
        w->other_count--;
        path_load(w, p);
        return true;
    }
    return false;
}

bool path_pick(struct warp *w)
{
    if (path_ready(w))
        return true;
    // Lanes of a warp instruction that never come: the others go on without them.
    for (int i = 0; i < w->other_count && !w->block->sm->stopped; i++)
        if (w->others[i]->barrier == WAIT_WARP) {
            w->others[i]->barrier = -1;
            w->forced = true;
            return path_pick(w);
        }
    w->path = NULL;
    w->waiting = w->other_count > 0;
    return false;
}

static void frames_free(struct warp *w, struct frame *from, const struct frame *to)
{
    while (from != to && from != NULL) {
        struct frame *caller = from->caller;
        frame_free(w, from);
        from = caller;
    }
}

static void work_note(struct grid_work *work, const struct block *b, bool alone)
{
    struct work_sum *g = &work->groups[b->linear / work->group_blocks];
    if (alone || work->group_blocks == 1) { // else the host waits for each
        g->blocks++;
        g->executed += b->executed;
        g->longest += b->longest;
        g->longest_most = b->longest > g->longest_most ? b->longest : g->longest_most;
        return;
    }
    (void)__atomic_fetch_add(&g->blocks, 1, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&g->executed, b->executed, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&g->longest, b->longest, __ATOMIC_RELAXED);
    uint64_t most = __atomic_load_n(&g->longest_most, __ATOMIC_RELAXED);
    while (b->longest > most &&
           !__atomic_compare_exchange_n(&g->longest_most, &most, b->longest, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
}

static void warp_finish(struct warp *w)
{
    w->done = true;
    w->path = NULL;
    w->block->sm->changes++;
    w->block->executed += w->executed;
    if (w->executed > w->block->longest)
        w->block->longest = w->executed;
    if (--w->block->warps_left == 0) {
        struct core *c = w->core;
        c->blocks_executed += w->block->executed;
        if (w->block->executed > c->block_executed_max)
            c->block_executed_max = w->block->executed;
        work_note(&c->launch->work, w->block, c->launch->core_count == 1);
        w->block->live = false;
        w->block->sm->blocks_left--;
        w->core->blocks_done++;
    }
}

const struct uop *path_end(struct warp *w)
{
    struct path *p = w->path;
    p->frame = w->frame;
    for (;;) {
        struct path *parent = p->parent;
        frames_free(w, p->frame, p->base_frame);
        path_free(w, p);
        if (parent == NULL) {
            warp_finish(w);
            return NULL;
        }
        if (--parent->children > 0)
            break;
        parent->mask &= ~w->exited;
        if (parent->mask != 0)
            return path_load(w, parent);
        p = parent;
    }
    return path_pick(w) ? w->pc : NULL;
}

const struct uop *path_block(struct warp *w, int barrier, const struct uop *resume,
                             const struct uop *result)
{
    path_save(w, resume);
    w->path->barrier = barrier;
    w->path->barrier_uop = result;
    w->others[w->other_count++] = w->path;
    if (w->other_count == 1 && barrier < BARRIERS) { // nothing of it can go on
        w->path = NULL;
        w->waiting = true;
        return NULL;
    }
    return path_pick(w) ? w->pc : NULL;
}

void path_merge(struct warp *w, int other)
{
    struct path *p = w->others[other];
    if (p->parent == NULL || p->parent != w->path->parent || p->reconverge != w->reconverge ||
        p->frame != w->frame || p->base_frame != w->path->base_frame || p == &w->root_path)
        return;
    w->mask |= p->mask;
    w->path->mask |= p->mask;
    p->parent->children--;
    memmove(&w->others[other], &w->others[other + 1],
            (size_t)(w->other_count - other - 1) * sizeof(struct path *));
    w->other_count--;
    path_free(w, p);
}

// The running path steps behind all others. Those that wait for its lanes go on waiting: it may come yet.
static const struct uop *path_rotate(struct warp *w, const struct uop *resume)
{
    struct path *p = w->path;
    path_save(w, resume);
    if (!path_ready(w))
        return path_load(w, p);
    memmove(&w->others[1], &w->others[0], (size_t)w->other_count * sizeof(struct path *));
    w->others[0] = p;
    w->other_count++;
    return w->pc;
}

// Those that diverged within a loop and stay in it go on together from here. Who comes first waits for the others, if they can come.
bool path_meets(struct warp *w, const struct uop *u)
{
    bool wait = false;
    for (int i = w->other_count; i-- > 0;) {
        const struct path *p = w->others[i];
        if (p->meet != u || p->barrier >= 0 || p->parent != w->path->parent)
            continue;
        if (p->pc == u)
            path_merge(w, i);
        else
            wait = true;
    }
    if (wait)
        (void)path_rotate(w, u);
    return wait;
}

const struct uop *path_yield(struct warp *w, const struct uop *u)
{
    w->pc = u;
    return w->other_count > 0 ? path_rotate(w, u) : NULL;
}

/* ---- standstill -------------------------------------------------------------------------------- */

static const struct uop *kernel_end(const struct warp *w)
{
    return w->root.function->uops + w->root.function->uop_count - 1;
}

// The outermost path is about to get a sibling: both end at the kernel's end, under a new one.
static void root_split(struct warp *w, struct path *root)
{
    const struct uop *end = kernel_end(w);
    struct path *super = path_new(w, NULL, root->mask, end, NULL);
    super->frame = super->base_frame = &w->root;
    super->children = 1;
    super->below = super->mask;
    root->parent = super;
    root->reconverge = end;
}

static void lanes_gone(struct warp *w, uint32_t mask)
{
    w->exited |= mask;
    w->block->threads_left -= (uint32_t)lane_count(mask);
    w->block->exited += (uint32_t)lane_count(mask);
    w->block->cluster->left -= (uint32_t)lane_count(mask);
    cluster_check(w->block);
}

// Those that wait at a path's own reconvergence are below its parents too.
static void lanes_below(struct warp *w, struct path *leaf)
{
    for (struct path *p = leaf; p->parent != NULL; p = p->parent)
        p->parent->below |= p->mask & ~w->exited;
}

static bool ends_at_once(const struct warp *w, const struct uop *u)
{
    for (int steps = 0; steps < 8 && (u->run == op_segment || u->run == op_branch_uniform); steps++)
        u += u->run == op_segment ? 1 : (int32_t)u->d;
    return u == kernel_end(w) || (u->run == op_exit && u->guard == ALWAYS && u->guard_flip == 0);
}

// Lanes that have arrived at their reconvergence become a path of their own from there on; those at
// the kernel's end exit.
static bool arrived_release(struct warp *w, struct path *leaf)
{
    bool any = false;
    for (struct path *p = leaf->parent; p != NULL; p = p->parent) {
        uint32_t arrived = p->mask & ~w->exited & ~p->below;
        // Paths can't share a called function's frame: each would return from it.
        if (arrived == 0 || p->frame != p->base_frame)
            continue;
        any = true;
        if (p->pc == kernel_end(w)) {
            lanes_gone(w, arrived);
            p->mask &= ~arrived;
            continue;
        }
        if (leaf->barrier >= 0 && !ends_at_once(w, p->pc)) // the others have gone past it
            barrier_in_pieces(w, leaf->pc - 1, leaf->mask);
        if (p->parent == NULL)
            root_split(w, p);
        struct path *free_lanes = path_new(w, p->parent, arrived, p->pc, p->reconverge);
        free_lanes->frame = free_lanes->base_frame = p->frame;
        p->mask &= ~arrived;
        w->others[w->other_count++] = free_lanes;
        warp_released(w);
    }
    return any;
}

bool paths_release(struct warp *w)
{
    struct path *leaves[LANES];
    int count = 0;
    if (w->path != NULL) {
        path_save(w, w->pc);
        leaves[count++] = w->path;
    }
    for (int i = 0; i < w->other_count; i++)
        leaves[count++] = w->others[i];
    for (int i = 0; i < count; i++)
        for (struct path *p = leaves[i]->parent; p != NULL; p = p->parent)
            p->below = 0;
    for (int i = 0; i < count; i++)
        lanes_below(w, leaves[i]);
    int before = w->other_count;
    bool any = false;
    for (int i = 0; i < count; i++)
        any |= arrived_release(w, leaves[i]);
    if (any)
        barriers_recheck(w->block);
    if (w->other_count == before || w->path == NULL)
        return any;
    memmove(&w->others[1], &w->others[0], (size_t)w->other_count * sizeof(struct path *));
    w->others[0] = w->path;
    w->other_count++;
    (void)path_pick(w);
    return true;
}

/* ---- branches ------------------------------------------------------------------------------ */

// The running lanes part for several targets. Lanes bound for the reconvergence itself just wait.
static const struct uop *path_split(struct warp *w, const struct uop *reconverge,
                                    const struct uop *meet, int count,
                                    const struct uop *const *targets, const uint32_t *masks)
{
    struct path *parent = w->path;
    if (reconverge == w->reconverge) { // waits in our parent already: we become one of its children
        parent = w->path->parent;
        parent->children--;
        path_free(w, w->path);
    } else {
        path_save(w, reconverge);
    }
    for (int i = 0; i < count; i++)
        if (targets[i] != reconverge) {
            struct path *p = path_new(w, parent, masks[i], targets[i], reconverge);
            p->meet = meet;
            w->others[w->other_count++] = p;
        }
    (void)path_pick(w); // there is one that does not wait: those just made
    return w->pc;
}

static const struct uop *branch_to(struct warp *w, const struct uop *u, const struct uop *target)
{
    if (target <= u && w->other_count > 0 && ++w->backward > SPIN_BRANCHES) {
        w->path->meet = NULL; // it may wait for what those do that wait for it
        return path_rotate(w, target);
    }
    return target;
}

// d: the target, a: the reconvergence; both relative to u.
const struct uop *op_branch(struct warp *w, const struct uop *u)
{
    uint32_t taken = guard_mask(w, u), rest = w->mask & ~taken;
    const struct uop *target = u + (int32_t)u->d;
    if (rest == 0 || target == u + 1) // to the next instruction: nobody parts
        return branch_to(w, u, target);
    if (taken == 0)
        return u + 1;
    event_divergence(w, u, w->mask, taken);
    const struct uop *reconverge = u + (int32_t)u->a;
    if (reconverge == w->reconverge && target == reconverge) {
        w->mask = rest; // the usual loop exit: no paths to make
        w->path->mask = rest;
        return u + 1;
    }
    if (reconverge == w->reconverge && u + 1 == reconverge) {
        w->mask = taken;
        w->path->mask = taken;
        return branch_to(w, u, target);
    }
    // The lanes that fall through run first: the winner of a lock goes on before the others spin.
    const struct uop *meet = u->b != 0 ? u + (int32_t)u->b : NULL;
    return path_split(w, reconverge, meet, 2, (const struct uop *const[]){target, u + 1},
                      (const uint32_t[]){taken, rest});
}

const struct uop *op_branch_uniform(struct warp *w, const struct uop *u)
{
    return branch_to(w, u, u + (int32_t)u->d);
}

// brx.idx: b: the index; a: the reconvergence; extra: struct branch.
const struct uop *op_branch_table(struct warp *w, const struct uop *u)
{
    const struct branch *table = &w->core->launch->program->branches[u->extra];
    const uint32_t *index = row32(w, u->b);
    uint32_t left = guard_mask(w, u), rest = w->mask & ~left;
    const struct uop *targets[LANES + 1];
    uint32_t masks[LANES + 1];
    int count = 0;
    while (left != 0) {
        uint32_t lane = (uint32_t)lane_first(left), mask = 0, want = index[lane];
        if (want >= (uint32_t)table->table_count) {
            violation_add(w, SIM_TRAP, u->site, lane, 0, "branches by index %u of a table of %d",
                          want, table->table_count);
            return warp_stop(w, u);
        }
        EACH_LANE(other, left)
        {
            if (index[other] < (uint32_t)table->table_count &&
                table->table[index[other]] == table->table[want])
                mask |= 1u << other;
        }
        targets[count] = u + table->table[want];
        masks[count++] = mask;
        left &= ~mask;
    }
    if (rest != 0) {
        targets[count] = u + 1;
        masks[count++] = rest;
    }
    if (count == 1)
        return branch_to(w, u, targets[0]);
    event_divergence(w, u, w->mask, masks[0]);
    return path_split(w, u + (int32_t)u->a, NULL, count, targets, masks);
}

/* ---- leaving ------------------------------------------------------------------------------- */

void warp_leaves(struct warp *w)
{
    lanes_gone(w, w->mask);
    w->mask = w->root_path.mask = 0;
    warp_finish(w);
}

const struct uop *lanes_exit(struct warp *w, uint32_t mask, const struct uop *next)
{
    struct block *b = w->block;
    if (w->mask == mask && warp_is_whole(w)) { // what follows is for the others
        warp_leaves(w);
        return NULL;
    }
    lanes_gone(w, mask);
    w->mask &= ~mask;
    w->path->mask = w->mask;
    const struct uop *u = w->mask != 0 ? next : path_end(w);
    if (b->threads_waiting > 0)
        barriers_recheck(b);
    if (u == NULL && !w->done && w->path == NULL && path_pick(w))
        return w->pc; // the recheck let one of our own paths go
    return u;
}

const struct uop *op_exit(struct warp *w, const struct uop *u)
{
    uint32_t mask = guard_mask(w, u);
    return mask == 0 ? u + 1 : lanes_exit(w, mask, u + 1);
}

// Copies rows of local memory: bytes of the running lanes from one offset to another.
static void local_copy(struct warp *w, uint32_t to, uint32_t from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i += 4)
        w->core->lanes->blend32((uint32_t *)(void *)(w->local + (size_t)(to + i) / 4 * ROW32),
                                (uint32_t *)(void *)(w->local + (size_t)(from + i) / 4 * ROW32),
                                w->mask);
}

// d = a + b of so many bits as small says, all lanes.
const struct uop *op_add_rows(struct warp *w, const struct uop *u)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (u->small == 64)
            row64(w, u->d)[lane] = row64(w, u->a)[lane] + row64(w, u->b)[lane];
        else
            row32(w, u->d)[lane] = row32(w, u->a)[lane] + row32(w, u->b)[lane];
    }
    return u + 1;
}

// a: a register; imm: offset in the frame's local memory; small: bytes, 0 = a predicate, kept as a word.
const struct uop *op_row_to_local(struct warp *w, const struct uop *u)
{
    EACH_LANE(lane, w->mask)
    {
        uint32_t word = *row32(w, u->a) >> lane & 1;
        const void *from = u->small == 0   ? (const void *)&word
                           : u->small == 8 ? (const void *)&row64(w, u->a)[lane]
                                           : (const void *)&row32(w, u->a)[lane];
        const uint8_t *bytes = from;
        for (unsigned i = 0; i < (u->small > 0 ? u->small : 4u); i++)
            *local_at(w, w->frame->local_base + u->imm + i, lane) = bytes[i];
    }
    return u + 1;
}

// In the opposite direction: d is the register.
const struct uop *op_local_to_row(struct warp *w, const struct uop *u)
{
    EACH_LANE(lane, w->mask)
    {
        uint64_t value = 0;
        for (unsigned i = 0; i < (u->small > 0 ? u->small : 4u); i++)
            value |= (uint64_t)*local_at(w, w->frame->local_base + u->imm + i, lane) << 8 * i;
        if (u->small == 0)
            *row32(w, u->d) = (*row32(w, u->d) & ~(1u << lane)) | (uint32_t)(value & 1) << lane;
        else if (u->small == 8)
            row64(w, u->d)[lane] = value;
        else
            row32(w, u->d)[lane] = (uint32_t)value;
    }
    return u + 1;
}

// Paths that diverged in a function reconverge here, before its results are passed on.
const struct uop *op_meet(struct warp *w, const struct uop *u)
{
    return u == w->reconverge ? path_end(w) : u + 1;
}

// The end of a function: where its returns lead.
const struct uop *op_end(struct warp *w, const struct uop *u)
{
    if (u == w->reconverge)
        return path_end(w);
    struct frame *f = w->frame, *caller = f->caller;
    if (caller == NULL)
        return lanes_exit(w, w->mask, NULL);
    const struct call *call = f->call;
    const struct function *fn = f->function;
    for (int i = 0; i < call->result_count && i < fn->return_count; i++)
        local_copy(w, caller->local_base + call->results[i], f->local_base + fn->returns[i],
                   call->result_sizes[i] < fn->return_sizes[i] ? call->result_sizes[i]
                                                               : fn->return_sizes[i]);
    w->frame = caller;
    w->regs = caller->regs;
    w->reconverge = f->caller_reconverge;
    const struct uop *resume = f->resume;
    frame_free(w, f);
    return resume;
}

/* ---- calls --------------------------------------------------------------------------------- */

// Makes the callee's frame the running path's.
static const struct uop *frame_enter(struct warp *w, const struct uop *u, const struct call *call,
                                     int function)
{
    const struct launch *l = w->core->launch;
    const struct function *fn = &l->program->functions[function];
    struct frame *caller = w->frame;
    uint64_t top = (uint64_t)caller->local_base + caller->function->local_bytes +
                   caller->local_more + fn->local_bytes;
    if (top > l->local_bytes) {
        violation_add(w, SIM_OUT_OF_BOUNDS, u->site, (uint32_t)lane_first(w->mask), top,
                      "calls '%s' too deep: the stack of %llu bytes per thread is used up",
                      fn->ptx->name, (unsigned long long)l->local_bytes);
        return warp_stop(w, u);
    }
    struct frame *f = frame_new(w, function, caller);
    f->call = call;
    f->resume = u + 1;
    f->caller_reconverge = w->reconverge;
    for (int i = 0; i < call->arg_count && i < fn->formal_count; i++)
        local_copy(w, f->local_base + fn->formals[i], caller->local_base + call->args[i],
                   call->arg_sizes[i] < fn->formal_sizes[i] ? call->arg_sizes[i]
                                                            : fn->formal_sizes[i]);
    w->frame = f;
    w->regs = f->regs;
    w->reconverge = NULL;
    return fn->uops;
}

// alloca. d: address, a: bytes (each lane gets as many as the most hungry one), imm: alignment, small:
// bits of d.
const struct uop *op_alloca(struct warp *w, const struct uop *u)
{
    struct frame *f = w->frame;
    uint32_t mask = guard_mask(w, u), most = 0, align = u->imm > 8 ? u->imm : 8;
    uint32_t top = f->local_base + f->function->local_bytes + f->local_more;
    EACH_LANE(lane, mask)
    {
        most = row32(w, u->a)[lane] > most ? row32(w, u->a)[lane] : most;
    }
    uint64_t at = ((uint64_t)top + align - 1) / align * align, end = at + most;
    if (mask != 0 && end > w->core->launch->local_bytes) {
        violation_add(w, SIM_OUT_OF_BOUNDS, u->site, (uint32_t)lane_first(mask), end,
                      "takes %u bytes of the stack, of which %llu bytes per thread are used up",
                      most, (unsigned long long)w->core->launch->local_bytes);
        return warp_stop(w, u);
    }
    f->local_more = (uint32_t)((end + 3) / 4 * 4) - f->local_base - f->function->local_bytes;
    EACH_LANE(lane, mask)
    {
        if (u->small == 64)
            row64(w, u->d)[lane] = at;
        else
            row32(w, u->d)[lane] = (uint32_t)at;
    }
    return u + 1;
}

// stacksave and (imm = 1) stackrestore. Lanes elsewhere may use what lies above: then it stays.
const struct uop *op_stack(struct warp *w, const struct uop *u)
{
    struct frame *f = w->frame;
    uint32_t mask = guard_mask(w, u);
    if (u->imm == 1 && mask != 0 && mask == (w->lanes & ~w->exited))
        f->local_more = row32(w, u->d)[lane_first(mask)];
    EACH_LANE(lane, u->imm == 1 ? 0 : mask)
    {
        if (u->small == 64)
            row64(w, u->d)[lane] = f->local_more;
        else
            row32(w, u->d)[lane] = f->local_more;
    }
    return u + 1;
}

// A guarded call is decoded as a branch around it: all running lanes take part.
const struct uop *op_call(struct warp *w, const struct uop *u)
{
    const struct call *call = &w->core->launch->program->calls[u->extra];
    return frame_enter(w, u, call, call->function);
}

const struct uop *op_call_external(struct warp *w, const struct uop *u)
{
    return external_call(w, u, &w->core->launch->program->calls[u->extra], w->mask);
}

// a: the function's address, one per lane. Lanes with other functions wait for their turn: each
// group is a path that joins the others after the call.
const struct uop *op_call_indirect(struct warp *w, const struct uop *u)
{
    const struct program *program = w->core->launch->program;
    const struct call *call = &program->calls[u->extra];
    const uint64_t *address = row64(w, u->a);
    uint32_t lane = (uint32_t)lane_first(w->mask), mask = 0;
    EACH_LANE(other, w->mask)
    {
        if (address[other] == address[lane])
            mask |= 1u << other;
    }
    uint64_t index = (address[lane] - CODE_BASE) / 16;
    int function = -1;
    for (int i = 0; i < program->function_count; i++)
        if (index == (uint64_t)module_function_index(program->module, program->functions[i].ptx))
            function = i;
    if (function < 0 || address[lane] % 16 != 0) {
        violation_add(w, SIM_TRAP, u->site, lane, address[lane],
                      "calls through a pointer that is no function's");
        return warp_stop(w, u);
    }
    if (mask != w->mask) {
        uint32_t rest = w->mask & ~mask;
        event_divergence(w, u, w->mask, mask);
        // Both sides come back to this call, each with one function less, and meet behind it.
        return path_split(w, u + 1, NULL, 2, (const struct uop *const[]){u, u},
                          (const uint32_t[]){rest, mask});
    }
    return frame_enter(w, u, call, function);
}
