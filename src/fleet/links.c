// Hockney's model of a message, a hop and its bytes (Parallel Computing 20(3), 1994), under the algorithms of Thakur,
// Rabenseifner and Gropp (IJHPCA 19(1), 2005) as NCCL lays them over nodes: rings in parallel, one for each network adapter;
// a chain in the node and a tree between nodes. What is least is taken, as NCCL does: of ring and tree, of its protocols for
// large messages and for small ones.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures --------------------------------------------------------------------------------------- */

static void take_slowest(struct links *l, const struct node *n)
{
    l->per_node = l->per_node < (int)NODE(n, gpus) ? l->per_node : (int)NODE(n, gpus);
    l->start_ns = fmax(l->start_ns, NODE(n, start_ns));
    l->link_gbps = fmin(l->link_gbps, NODE(n, link_gbps));
    l->hop_ns[LINKS_LARGE] = fmax(l->hop_ns[LINKS_LARGE], NODE(n, link_hop_ns));
    l->hop_ns[LINKS_SMALL] = fmax(l->hop_ns[LINKS_SMALL], NODE(n, link_hop_small_ns));
    l->share[LINKS_SMALL] = fmin(l->share[LINKS_SMALL], NODE(n, small_share));
    // One without a network leaves none: fmin and fmax would drop its NAN.
    bool network = !isnan(l->network_gbps) && !isnan(NODE(n, network_gbps));
    l->network_gbps = network ? fmin(l->network_gbps, NODE(n, network_gbps)) : (double)NAN;
    l->network_hop_ns[LINKS_LARGE] = fmax(l->network_hop_ns[LINKS_LARGE], NODE(n, network_hop_ns));
    l->network_hop_ns[LINKS_SMALL] =
        fmax(l->network_hop_ns[LINKS_SMALL], NODE(n, network_hop_small_ns));
}

bool links_make(const struct node *const *kinds, int kind_count, int devices, struct links *out,
                struct error *err)
{
    *out = (struct links){.devices = devices,
                          .per_node = devices,
                          .link_gbps = (double)INFINITY,
                          .network_gbps = (double)INFINITY,
                          .share = {1, 1},
                          .name = kinds[0]->name,
                          .kinds = kind_count,
                          .validated_devices = NODE(kinds[0], validated_gpus),
                          .validated_error_pct = NODE(kinds[0], validated_error_pct)};
    for (int i = 0; i < kind_count; i++)
        take_slowest(out, kinds[i]);
    if (kind_count > 1)
        out->validated_devices = out->validated_error_pct = (double)NAN;
    out->nodes = (devices + out->per_node - 1) / out->per_node;
    out->rails = devices % out->per_node ? devices % out->per_node : out->per_node;
    return out->nodes == 1 || !isnan(out->network_gbps) ||
           fail(err, NOWHERE,
                "%s has %d GPUs and its file no network to other nodes: %d are too many", out->name,
                out->per_node, devices);
}

static bool is_among(const struct node *const *kinds, int count, const struct node *n)
{
    for (int i = 0; i < count; i++)
        if (strcmp(kinds[i]->id, n->id) == 0)
            return true;
    return false;
}

bool links_of(struct arena *a, const struct device_info *const *infos, int count, struct links *out,
              const char **why, struct error *err)
{
    const struct node **kinds = ARENA_ARRAY(a, const struct node *, count + 1);
    struct error said = {0};
    int kind_count = 0;
    *why = NULL;
    for (int i = 0; i < count; i++) {
        struct node *n = NULL;
        if (i > 0 && infos[i]->chip == infos[i - 1]->chip)
            continue;
        if (!infos[i]->chip) {
            *why = arena_printf(
                a, "The chip of %s is not known here, so that its exchange is not modelled.",
                infos[i]->id);
            return true;
        }
        if (!node_of_chip(a, infos[i]->chip->id, &n, err))
            return false;
        if (!n) {
            *why = arena_printf(a,
                                "No file of gpus/nodes says how GPUs of the type %s are linked, so "
                                "that their exchange is not modelled.",
                                infos[i]->chip->id);
            return true;
        }
        if (!is_among(kinds, kind_count, n))
            kinds[kind_count++] = n;
    }
    if (!links_make(kinds, kind_count, count, out, &said))
        *why = arena_printf(a, "The exchange is not modelled: %s.", said.message);
    return true;
}

/* ---- messages ---------------------------------------------------------------------------------------- */

// p: of enum links_protocol. Bytes of a ring, or a tree, over what carries them: all rails at once, as fast as the slower of node and network.
static double ring_gbps(const struct links *l, int p)
{
    double gbps = l->nodes > 1 ? fmin(l->link_gbps, l->rails * l->network_gbps) : l->link_gbps;
    return gbps * l->share[p];
}

static double hops_ns(const struct links *l, int p, double own, double between)
{
    return own * l->hop_ns[p] + (between > 0 ? between * l->network_hop_ns[p] : 0);
}

static double ring_ns(const struct links *l, double rounds, double bytes)
{
    double least = (double)INFINITY, between = l->nodes - 1, own = l->devices - 1 - between;
    for (int p = 0; p < LINKS_PROTOCOLS; p++)
        least =
            fmin(least, hops_ns(l, p, rounds * own, rounds * between) + bytes / ring_gbps(l, p));
    return least;
}

// Up and down: each device sends all of it once on either way.
static double tree_ns(const struct links *l, double bytes)
{
    double least = (double)INFINITY, between = ceil(log2(l->nodes)), own = l->per_node - 1;
    for (int p = 0; p < LINKS_PROTOCOLS; p++)
        least = fmin(least, hops_ns(l, p, 2 * own, 2 * between) + 2 * bytes / ring_gbps(l, p));
    return least;
}

double links_sum_ns(const struct links *l, double bytes)
{
    double share = (double)(l->devices - 1) / l->devices;
    if (l->devices < 2 || !(bytes > 0))
        return 0;
    return fmin(ring_ns(l, 2, 2 * share * bytes), tree_ns(l, bytes));
}

double links_spread_ns(const struct links *l, double bytes)
{
    return l->devices < 2 || !(bytes > 0) ? 0 : ring_ns(l, 1, bytes);
}

struct traffic {                     // of a device, one way
    double own, between;             // messages
    double own_bytes, between_bytes; // of those
};

// Messages one behind the other; links and network carry their bytes at the same time.
static double traffic_ns(const struct links *l, const struct traffic *t)
{
    double least = (double)INFINITY;
    for (int p = 0; p < LINKS_PROTOCOLS; p++) {
        double network = t->between > 0 ? t->between_bytes / (l->network_gbps * l->share[p]) : 0;
        least = fmin(least, hops_ns(l, p, t->own, t->between) +
                                fmax(t->own_bytes / (l->link_gbps * l->share[p]), network));
    }
    return least;
}

static void add_message(struct traffic *t, bool own, double bytes)
{
    *(own ? &t->own : &t->between) += 1;
    *(own ? &t->own_bytes : &t->between_bytes) += bytes;
}

double links_copies_ns(const struct links *l, const struct exchange_copy *copies, int count)
{
    struct traffic *sent = xcalloc((size_t)l->devices, sizeof *sent);
    struct traffic *received = xcalloc((size_t)l->devices, sizeof *received);
    double longest = 0;
    for (int i = 0; i < count; i++) {
        bool own = copies[i].from / l->per_node == copies[i].to / l->per_node;
        add_message(&sent[copies[i].from], own, (double)copies[i].size_bytes);
        add_message(&received[copies[i].to], own, (double)copies[i].size_bytes);
    }
    for (int i = 0; i < l->devices && count > 0; i++)
        longest = fmax(longest, fmax(traffic_ns(l, &sent[i]), traffic_ns(l, &received[i])));
    free(sent);
    free(received);
    return longest;
}

/* ---- an exchange --------------------------------------------------------------------------------------- */

// NCCL runs the broadcasts of a group one behind the other, each around the ring: all bytes pass every link of it, which an
// all-gather's do not (its blocks go around at the same time, and none to whom it came from).
static double spreads_ns(const struct links *l, const struct exchange *e)
{
    double all = 0;
    for (int i = 0; i < e->spread_count; i++)
        all += (double)e->spreads[i].size_bytes;
    return links_spread_ns(l, all);
}

double links_exchange_ns(const struct links *l, const struct exchange *e)
{
    double others = l->devices - 1, time_ns = spreads_ns(l, e);
    for (int i = 0; i < e->sum_count; i++)
        time_ns +=
            links_sum_ns(l, (double)e->sums[i].count * (double)element_bytes(e->sums[i].type));
    if (e->gather)
        time_ns += links_spread_ns(l, others * (double)e->gather->block_bytes);
    if (e->scatter)
        time_ns += links_spread_ns(l, others * (double)e->scatter->block_count *
                                          (double)element_bytes(e->scatter->type));
    time_ns += links_copies_ns(l, e->copies, e->copy_count);
    return time_ns > 0 ? l->start_ns + time_ns : 0;
}
