// ridge scale: one job over several devices; a line per round as it goes, the shares and their balance at the end.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "fleet/fleet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pct_per_one = 100, ns_per_s = 1e9;
static const double taken_in = 0.9; // of a change: what weights are explained by

struct scaling {
    const struct options *o;
    const struct fleet_report *report;
    bool quiet;
};

/* ---- while it works -------------------------------------------------------------------------------- */

static void on_round(void *context, const struct deal_round *r, int index)
{
    const struct scaling *s = context;
    char time[32];
    if (s->quiet)
        return;
    cli_say("round %d: %s, imbalance %.1f %%\n", index + 1, format_time_ns(r->time_ns, time),
            pct_per_one * r->imbalance);
}

static void on_warning(void *context, const char *text)
{
    (void)context;
    cli_warn(text);
}

/* ---- figures of the report --------------------------------------------------------------------------- */

static const struct deal_round *last_round(const struct fleet_report *r)
{
    return &r->deal.rounds[r->deal.round_count - 1];
}

// What kind of time a device's is; the whole is measured only where all are.
static const char *time_kind(const struct part_time *t)
{
    return t->by_bounds ? "modelled by its largest bound" : provenance_name(t->ns.provenance);
}

static bool all_measured(const struct fleet_report *r)
{
    bool all = true;
    for (int i = 0; i < r->device_count; i++)
        all = all && (r->deal.why[i] || r->devices[i].time.ns.provenance == PROVENANCE_MEASURED);
    return all;
}

// Measured, modelled, and modelled by bounds are not the same clock.
static bool kinds_differ(const struct fleet_report *r)
{
    const struct part_time *first = NULL;
    bool differ = false;
    for (int i = 0; i < r->device_count; i++) {
        const struct part_time *t = &r->devices[i].time;
        if (t->ns.provenance == PROVENANCE_ABSENT)
            continue;
        first = first ? first : t;
        differ =
            differ || t->ns.provenance != first->ns.provenance || t->by_bounds != first->by_bounds;
    }
    return differ;
}

static double units_per_s(const struct deal_turn *t)
{
    return t->time_ns > 0 ? (double)t->units / t->time_ns * ns_per_s : 0;
}

// One granule more or less on a device, as a share of its time: no division is closer than about that.
static double granule_share(const struct fleet_report *r)
{
    const struct deal_round *last = last_round(r);
    double least = (double)INFINITY;
    for (int i = 0; i < r->device_count; i++)
        if (last->turns[i].units > 0)
            least = fmin(least, (double)last->turns[i].units);
    return (double)r->split.granule / least;
}

static int lost_count(const struct fleet_report *r)
{
    int count = 0;
    for (int i = 0; i < r->device_count; i++)
        count += r->deal.why[i] != NULL;
    return count;
}

/* ---- JSON -------------------------------------------------------------------------------------------------- */

static json_t *device_json(const struct fleet_report *r, int i)
{
    const struct fleet_device *d = &r->devices[i];
    const struct deal_turn *t = &last_round(r)->turns[i];
    return json_pack("{s:s, s:s, s:s?, s:I, s:I, s:f, s:s, s:b, s:f, s:f}", "id", d->info->id,
                     "name", d->info->name, "lost", r->deal.why[i], "units", (json_int_t)t->units,
                     "units_most", (json_int_t)d->most, "time_ns", t->time_ns, "provenance",
                     provenance_name(d->time.ns.provenance), "by_bounds", (int)d->time.by_bounds,
                     "units_per_s", units_per_s(t), "gain", r->deal.split.devices[i].gain);
}

static json_t *round_json(const struct fleet_report *r, const struct deal_round *round)
{
    json_t *units = json_array(), *times = json_array();
    for (int i = 0; i < r->device_count; i++) {
        json_array_append_new(units, json_integer((json_int_t)round->turns[i].units));
        json_array_append_new(times, json_real(round->turns[i].time_ns));
    }
    return json_pack("{s:f, s:f, s:i, s:o, s:o}", "time_ns", round->time_ns, "imbalance",
                     round->imbalance, "waves", round->waves, "units", units, "times_ns", times);
}

static json_t *number_json(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *summary_json(const struct summary *s)
{
    return json_pack("{s:f, s:f, s:f, s:I}", "median", s->median, "low", s->low, "high", s->high,
                     "samples", (json_int_t)s->count);
}

// The finding: what the exchange costs of a round, and what would bring how much of it back.
static const char communication_class[] = "multi-GPU communication";
struct communication {
    bool found;   // it is worth a finding
    double share; // of a round: kernels, then exchange
    double round_ns;
    double together_ns, half_halo_ns; // a round with that done; NAN = it would bring nothing
};

static struct communication communication_of(const struct exchange_report *x)
{
    static const double least_share = 0.03, worth = 0.99; // of a round
    double compute = x->compute_ns.median, round = compute + x->exchange_ns.median;
    double half = compute + x->half_halo_ns, together = x->together_ns.median;
    double share = x->exchange_ns.median / round;
    return (struct communication){.found = share >= least_share,
                                  .share = share,
                                  .round_ns = round,
                                  .together_ns = together < worth * round ? together : (double)NAN,
                                  .half_halo_ns = half < worth * round ? half : (double)NAN};
}

static const char *exchange_kind(const struct exchange_report *x)
{
    return x->modelled ? "modelled" : "measured";
}

static json_t *finding_json(const struct exchange_report *x)
{
    struct communication c = communication_of(x);
    if (!c.found)
        return json_null();
    json_t *fixes = json_array();
    const struct {
        const char *fix;
        double time_ns;
    } all[] = {{"exchange beside the kernels instead of after them", c.together_ns},
               {"half the halo", c.half_halo_ns}};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (!isnan(all[i].time_ns))
            json_array_append_new(fixes, json_pack("{s:s, s:f, s:s}", "fix", all[i].fix, "time_ns",
                                                   all[i].time_ns, "provenance", exchange_kind(x)));
    return json_pack("{s:s, s:f, s:f, s:o}", "class", communication_class, "share", c.share,
                     "time_ns", c.round_ns, "fixes", fixes);
}

static json_t *links_json(const struct exchange_report *x)
{
    json_t *links = json_array();
    for (int i = 0; i < x->link_count; i++) {
        const struct exchange_link *l = &x->links[i];
        json_array_append_new(links,
                              json_pack("{s:f, s:f, s:f, s:f}", "bytes", l->size_bytes, "there_ns",
                                        l->there_ns, "back_ns", l->back_ns, "both_ns", l->both_ns));
    }
    return links;
}

// null: nothing was measured, and nothing modelled.
static json_t *exchange_json(const struct fleet_report *r)
{
    const struct exchange_report *x = r->exchange.report;
    if (!x || !x->done)
        return json_null();
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o, "
                     "s:o, s:o, s:o, s:o, s:o}",
                     "way", x->modelled ? "model" : exchange_way_name(x->by.way), "version",
                     x->by.version, "instead", x->by.instead, "provenance", exchange_kind(x),
                     "verified", (int)(r->checked && !x->modelled), "reduced_bytes",
                     x->reduced_bytes, "gathered_bytes", x->gathered_bytes, "broadcast_bytes",
                     x->broadcast_bytes, "panel_bytes", x->panel_bytes, "turned_bytes",
                     x->turned_bytes, "halo_bytes", x->halo_bytes, "received_bytes",
                     x->received_bytes, "compute_ns", summary_json(&x->compute_ns), "exchange_ns",
                     summary_json(&x->exchange_ns), "together_ns", summary_json(&x->together_ns),
                     "half_halo_ns", number_json(x->half_halo_ns), "links", links_json(x),
                     "finding", finding_json(x), "nvlink_gbps", number_json(r->exchange.link_gbps),
                     "model", r->exchange.links ? cli_links_json(r->exchange.links) : json_null());
}

static json_t *scale_json(const struct fleet_report *r)
{
    const struct split *s = &r->deal.split;
    json_t *devices = json_array(), *rounds = json_array();
    for (int i = 0; i < r->device_count; i++)
        json_array_append_new(devices, device_json(r, i));
    for (int i = 0; i < r->deal.round_count; i++)
        json_array_append_new(rounds, round_json(r, &r->deal.rounds[i]));
    const char *why = r->exchange.why;
    if (r->exchange.report && !r->exchange.report->done)
        why = r->exchange.report->why;
    return json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:b, s:b, s:f, s:b, s:s, s:b, "
        "s:o, s:o, s:o, s:s?}",
        "ridge", RIDGE_VERSION, "schema", 1, "experiment", r->experiment, "variant", r->variant,
        "case", r->case_label, "divided", r->param, "units", (json_int_t)r->split.units, "granule",
        (json_int_t)r->split.granule, "halo", (json_int_t)r->split.halo, "seed",
        (json_int_t)r->seed, "verified", (int)r->checked, "sampled", (int)r->sampled, "weight",
        s->weight > 0 ? s->weight : SPLIT_WEIGHT, "adaptive", (int)s->adaptive, "provenance",
        all_measured(r) ? "measured" : "modelled", "settled", (int)r->deal.settled, "devices",
        devices, "rounds", rounds, "exchange", exchange_json(r), "exchange_note", why);
}

/* ---- text --------------------------------------------------------------------------------------------------- */

// Devices from `first` on that are one simulated chip with as many units.
static int alike(const struct fleet_report *r, int first)
{
    const struct deal_turn *turns = last_round(r)->turns;
    int end = first + 1;
    while (r->sampled && end < r->device_count && r->devices[end].info == r->devices[first].info &&
           turns[end].units == turns[first].units)
        end++;
    return end - first;
}

// Ranks' names are longer: "rank 1: sim:h200".
static int name_width(const struct fleet_report *r)
{
    enum { LEAST = 12 };
    size_t width = LEAST;
    for (int i = 0; i < r->device_count; i++)
        width = strlen(r->devices[i].info->id) > width ? strlen(r->devices[i].info->id) : width;
    return (int)width;
}

static void print_devices(const struct fleet_report *r, struct text *out)
{
    char time[32], rate[32];
    int width = name_width(r);
    text_printf(out, "  %-*s %12s %8s %10s  %s\n", width, "device", "units", "share", "time",
                "throughput");
    for (int i = 0, many = 1; i < r->device_count; i += many) {
        const struct deal_turn *t = &last_round(r)->turns[i];
        many = alike(r, i);
        if (r->deal.why[i])
            text_printf(out, "  %-*s lost: %s\n", width, r->devices[i].info->id, r->deal.why[i]);
        if (t->units == 0)
            continue;
        text_printf(out, "  %-*s %12llu %6.1f %% %10s  %s units/s, %s%s", width,
                    r->devices[i].info->id, (unsigned long long)t->units,
                    pct_per_one * (double)t->units / (double)r->split.units,
                    format_time_ns(t->time_ns, time), format_count(units_per_s(t), rate),
                    time_kind(&r->devices[i].time),
                    r->devices[i].most < r->split.units ? "; its memory is the limit" : "");
        text_printf(out, many > 1 ? "; %d alike\n" : "\n", many);
    }
}

static void print_range(const struct fleet_report *r, const struct deal_round *round,
                        struct text *out)
{
    uint64_t least = round->turns[0].units, most = least;
    for (int k = 1; k < r->device_count; k++) {
        least = round->turns[k].units < least ? round->turns[k].units : least;
        most = round->turns[k].units > most ? round->turns[k].units : most;
    }
    text_printf(out, least == most ? " %llu each" : " %llu to %llu", (unsigned long long)least,
                (unsigned long long)most);
}

static void print_rounds(const struct fleet_report *r, struct text *out)
{
    const struct split *s = &r->deal.split;
    double weight = s->weight > 0 ? s->weight : SPLIT_WEIGHT;
    char time[32];
    if (s->adaptive)
        text_add(out, "\nRounds (the weight of the newest throughput follows noise and drift)\n");
    else
        text_printf(out,
                    "\nRounds (the newest throughput weighs %g: 90 %% of a change are taken in "
                    "after %d)\n",
                    weight, split_updates(weight, taken_in));
    text_printf(out, "  %5s %10s %10s  %s\n", "", "time", "imbalance", "units");
    for (int i = 0; i < r->deal.round_count; i++) {
        const struct deal_round *round = &r->deal.rounds[i];
        text_printf(out, "  %5d %10s %8.1f %% ", i + 1, format_time_ns(round->time_ns, time),
                    pct_per_one * round->imbalance);
        if (r->sampled)
            print_range(r, round, out);
        for (int k = 0; k < r->device_count && !r->sampled; k++)
            text_printf(out, " %llu", (unsigned long long)round->turns[k].units);
        if (round->waves > 1)
            text_printf(out, "  (in %d turns)", round->waves);
        text_add(out, "\n");
    }
}

static void print_verdict(const struct fleet_report *r, struct text *out)
{
    const struct deal *d = &r->deal;
    text_printf(out,
                "\n%s after %d round%s; residual imbalance %.1f %%, and a granule is %.1f %% "
                "of the smallest share.\n",
                d->settled ? "Settled" : "Not settled", d->round_count, plural(d->round_count),
                pct_per_one * last_round(r)->imbalance, pct_per_one * granule_share(r));
    if (lost_count(r) > 0)
        text_printf(out, "%d device%s lost; what %s had was done by the others.\n", lost_count(r),
                    lost_count(r) == 1 ? " was" : "s were", lost_count(r) == 1 ? "it" : "they");
    if (kinds_differ(r))
        text_add(out, "The devices' times are of different kinds, which cannot be compared: a "
                      "bound leaves out what a "
                      "model of time or a clock sees.\n");
    if (r->sampled)
        text_add(out, "Of equal shares on equal simulated GPUs one was run and stands for all; "
                      "nothing was put together, so that nothing was verified.\n");
    else
        text_add(out, r->checked ? "The outputs, put together, were verified against the reference "
                                   "after every round.\n"
                                 : "Nothing was compared: the experiment has no reference.\n");
}

static double gbps(double bytes, double time_ns)
{
    return bytes / time_ns; // bytes per ns
}

static void print_exchange_time(const char *what, const struct summary *s, struct text *out)
{
    char median[32], low[32], high[32];
    if (s->count == 0) { // modelled
        text_printf(out, "  %-26s %10s\n", what, format_time_ns(s->median, median));
        return;
    }
    text_printf(out, "  %-26s %10s  (%s to %s)\n", what, format_time_ns(s->median, median),
                format_time_ns(s->low, low), format_time_ns(s->high, high));
}

static void print_exchanged(const struct exchange_report *x, struct text *out)
{
    const struct {
        const char *what;
        double bytes;
    } items[] = {{"broadcast", x->broadcast_bytes},
                 {"broadcast in panels, one from each device", x->panel_bytes},
                 {"of halos", x->halo_bytes},
                 {"summed", x->reduced_bytes},
                 {"gathered", x->gathered_bytes},
                 {"turned from columns to rows", x->turned_bytes}};
    char size[32];
    const char *comma = "";
    for (size_t i = 0; i < COUNT_OF(items); i++) {
        if (!(items[i].bytes > 0))
            continue;
        text_printf(out, "%s%s %s", comma, format_bytes(items[i].bytes, size), items[i].what);
        comma = ", ";
    }
}

static void print_links(const struct fleet_report *r, struct text *out)
{
    const struct exchange_report *x = r->exchange.report;
    for (int i = 0; i < x->link_count; i++) {
        const struct exchange_link *l = &x->links[i];
        char size[32];
        text_printf(
            out, "  %s to %s: %.4g GB/s, back %.4g GB/s, both at once %.4g GB/s (copies of %s)\n",
            r->devices[i].info->id, r->devices[i + 1].info->id, gbps(l->size_bytes, l->there_ns),
            gbps(l->size_bytes, l->back_ns), gbps(2 * l->size_bytes, l->both_ns),
            format_bytes(l->size_bytes, size));
    }
    if (!isnan(r->exchange.link_gbps))
        text_printf(out,
                    "  The exchange brings a device %.1f %% of what its NVLinks carry one way "
                    "(%.4g GB/s, reported by NVML).\n",
                    pct_per_one * gbps(x->received_bytes, x->exchange_ns.median) /
                        r->exchange.link_gbps,
                    r->exchange.link_gbps);
}

static void print_exchange_finding(const struct exchange_report *x, struct text *out)
{
    struct communication c = communication_of(x);
    char time[32], before[32];
    if (!c.found) {
        text_printf(out, "  %.1f %% of a round is exchange: not what holds this job back.\n",
                    pct_per_one * c.share);
        return;
    }
    text_printf(out, "  %s: exchange is %.1f %% of a round.\n", communication_class,
                pct_per_one * c.share);
    if (!isnan(c.together_ns))
        text_printf(out,
                    "    Exchange beside the kernels instead of after them: %s instead of %s "
                    "(%s, as if neither needed the other).\n",
                    format_time_ns(c.together_ns, time), format_time_ns(c.round_ns, before),
                    x->modelled ? "modelled: the longer of kernels and exchange"
                                : "measured: kernels and exchange at once");
    if (!isnan(c.half_halo_ns))
        text_printf(out, "    Half the halo: %s instead of %s (%s).\n",
                    format_time_ns(c.half_halo_ns, time), format_time_ns(c.round_ns, before),
                    exchange_kind(x));
}

static void print_exchange(const struct fleet_report *r, struct text *out)
{
    const struct exchange_report *x = r->exchange.report;
    if (r->device_count < 2)
        return;
    if (!x || !x->done) {
        text_printf(out, "%s%s\n", x ? "Exchange was not measured: " : "",
                    x ? x->why : r->exchange.why);
        return;
    }
    if (x->modelled)
        text_printf(
            out, "\nExchange of a round by a model (%d node%s of %s): ", r->exchange.links->nodes,
            plural(r->exchange.links->nodes), r->exchange.links->name);
    else
        text_printf(out, "\nExchange of a round %s%s%s%s: ", exchange_way_words(x->by.way),
                    x->by.version[0] ? " (" : "", x->by.version, x->by.version[0] ? ")" : "");
    print_exchanged(x, out);
    if (x->modelled) {
        text_add(out, "; modelled, ");
        cli_print_validated(r->exchange.links, out);
    } else {
        text_printf(out, "; measured%s\n", r->checked ? ", outputs verified after it" : "");
    }
    if (x->by.instead[0])
        text_printf(out, "  Not by a better way: %s\n", x->by.instead);
    print_exchange_time("kernels alone", &x->compute_ns, out);
    print_exchange_time("exchange alone", &x->exchange_ns, out);
    print_exchange_time("both at once", &x->together_ns, out);
    print_links(r, out);
    print_exchange_finding(x, out);
}

static void scale_print(const struct fleet_report *r, struct text *out)
{
    char time[32];
    text_printf(out, "%s: variant '%s', %s, divided by %s in multiples of %llu", r->experiment,
                r->variant, r->case_label, r->param, (unsigned long long)r->split.granule);
    if (r->split.halo > 0)
        text_printf(out, ", with a halo of %llu on each side", (unsigned long long)r->split.halo);
    text_printf(out, "\n%s %s over %d device%s\n\n", format_time_ns(last_round(r)->time_ns, time),
                all_measured(r) ? "measured" : "modelled", r->device_count,
                plural(r->device_count));
    print_devices(r, out);
    print_rounds(r, out);
    print_verdict(r, out);
    print_exchange(r, out);
}

/* ---- scaling -------------------------------------------------------------------------------------------------- */

static json_t *scaling_json(const struct fleet_scaling *s)
{
    json_t *points = json_array();
    for (int i = 0; i < s->count; i++) {
        const struct fleet_point *p = &s->points[i];
        json_array_append_new(
            points,
            json_pack("{s:i, s:s, s:I, s:f, s:f, s:f, s:f, s:f, s:o, s:o}", "devices", p->devices,
                      "added", p->added, "units", (json_int_t)p->units, "time_ns", p->time_ns,
                      "ideal_ns", p->ideal_ns, "speedup", p->speedup, "efficiency", p->efficiency,
                      "imbalance", p->imbalance, "exchange_ns", number_json(p->exchange_ns),
                      "together_ns", number_json(p->together_ns)));
    }
    json_t *json = scale_json(&s->report);
    json_object_set_new(json, "scaling", json_string(s->weak ? "weak" : "strong"));
    json_object_set_new(json, "points", points);
    return json;
}

// With the exchange after the kernels, and beside them, by device count.
static void print_exchanges(const struct fleet_scaling *s, struct text *out)
{
    bool headed = false;
    for (int i = 0; i < s->count; i++) {
        const struct fleet_point *p = &s->points[i];
        char exchange[32], after[32], beside[32];
        if (isnan(p->exchange_ns))
            continue;
        if (!headed)
            text_printf(out, "\n  %7s  %10s  %14s %10s  %14s %10s\n", "devices", "exchange",
                        "after kernels", "efficiency", "beside them", "efficiency");
        headed = true;
        text_printf(out, "  %7d  %10s  %14s %8.1f %%  %14s %8.1f %%\n", p->devices,
                    format_time_ns(p->exchange_ns, exchange),
                    format_time_ns(p->time_ns + p->exchange_ns, after),
                    pct_per_one * p->ideal_ns / (p->time_ns + p->exchange_ns),
                    format_time_ns(p->together_ns, beside),
                    pct_per_one * p->ideal_ns / p->together_ns);
    }
    print_exchange(&s->report, out);
}

static void scaling_print(const struct fleet_scaling *s, struct text *out)
{
    const struct fleet_report *r = &s->report;
    char time[32], ideal[32];
    text_printf(out, "%s: variant '%s', %s scaling by %s, %s\n\n", r->experiment, r->variant,
                s->weak ? "weak" : "strong", r->param, all_measured(r) ? "measured" : "modelled");
    text_printf(out, "  %7s  %-12s %12s %10s %10s %8s %10s %10s\n", "devices", "added", "units",
                "time", "ideal", "speedup", "efficiency", "imbalance");
    for (int i = 0; i < s->count; i++) {
        const struct fleet_point *p = &s->points[i];
        text_printf(out, "  %7d  %-12s %12llu %10s %10s %7.2fx %8.1f %% %8.1f %%\n", p->devices,
                    p->added, (unsigned long long)p->units, format_time_ns(p->time_ns, time),
                    format_time_ns(p->ideal_ns, ideal), p->speedup, pct_per_one * p->efficiency,
                    pct_per_one * p->imbalance);
    }
    text_add(out,
             "\nIdeal: every device at the throughput that it has alone with the job of one.\n");
    if (kinds_differ(r))
        text_add(out, "The devices' times are of different kinds, which cannot be compared.\n");
    print_exchanges(s, out);
}

static bool scaling_command(const struct options *o, const struct fleet_request *q,
                            const struct fleet_events *events, struct arena *a, struct text *out,
                            struct error *err)
{
    struct fleet_scaling s;
    bool weak = strcmp(option_text(o, OPTION_SCALING, ""), "weak") == 0;
    if (!fleet_scaling_run(a, q, events, weak, &s, err))
        return false;
    if (option_given(o, OPTION_JSON))
        return cli_print_json(scaling_json(&s), err);
    scaling_print(&s, out);
    return cli_print(out, err);
}

/* ---- the command ----------------------------------------------------------------------------------------------- */

static bool read_request(const struct options *o, struct arena *a, struct fleet_request *q,
                         struct loop_request *run, struct error *err)
{
    int64_t rounds = 0;
    if (!session_request(o, run, err) ||
        !option_i64(o, OPTION_ROUNDS, 1, 100000, 0, &rounds, err) ||
        !option_double(o, OPTION_WEIGHT, 0, &q->weight, err))
        return false;
    if (option_given(o, OPTION_WEIGHT) && !(q->weight > 0 && q->weight <= 1))
        return fail(err, NOWHERE, "option --weight: give a share above 0 and up to 1: 0.5");
    if (option_given(o, OPTION_WEIGHT) && option_given(o, OPTION_ADAPT))
        return fail(err, NOWHERE,
                    "--weight and --adapt exclude each other: --adapt finds the weight");
    if (o->option[OPTION_VARIANT].count > 1)
        return fail(err, NOWHERE, "`ridge scale` runs one variant: give --variant once");
    run->experiment_path = o->arguments[0];
    run->overrides = o->option[OPTION_PARAM].values;
    run->override_count = (int)o->option[OPTION_PARAM].count;
    const char *scaling = option_text(o, OPTION_SCALING, "strong");
    if (strcmp(scaling, "weak") != 0 &&
        strcmp(scaling, "strong") != 0) // before any rank waits for another
        return fail(err, NOWHERE, "option --scaling: '%s' is neither strong nor weak", scaling);
    q->run = run;
    q->variant = option_text(o, OPTION_VARIANT, NULL);
    q->rounds_most = (int)rounds;
    q->adaptive = option_given(o, OPTION_ADAPT);
    return fleet_devices(a, option_text(o, OPTION_DEVICE, "auto"), &q->devices, err);
}

// One of several ranks: a device each. Rank 0 has the report.
static bool find_ranks(struct arena *a, struct ranks *ranks, struct fleet_request *q,
                       struct error *err)
{
    if (!ranks_find(a, ranks, err) || ranks->count == 1)
        return ranks->count == 1;
    q->ranks = ranks;
    q->folder = user_data_path(a, arena_printf(a, "ranks/%s", ranks->job));
    return ranks_device(a, ranks, q->devices, &q->devices, err);
}

bool command_scale(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct text out = {0};
    struct loop_request run = {0};
    struct fleet_request q = {0};
    struct fleet_report report = {0};
    struct scaling scaling = {o, &report, option_given(o, OPTION_QUIET)};
    struct fleet_events events = {.loop = {.warning = on_warning, .cancel = cli_cancelled},
                                  .round = on_round,
                                  .context = &scaling};
    *status = 0;
    struct ranks ranks = {.count = 1};
    bool done = read_request(o, &a, &q, &run, err) && find_ranks(&a, &ranks, &q, err);
    bool table = option_given(o, OPTION_SCALING), serves = ranks.rank > 0;
    if (done && serves)
        done = fleet_serve(&a, &q, &events, err);
    else if (done && table)
        done = scaling_command(o, &q, &events, &a, &out, err);
    else
        done = done && fleet_run(&a, &q, &events, &report, err);
    if (!done || table || serves) {
        // said, not this one's to say, or failed
    } else if (option_given(o, OPTION_JSON)) {
        done = cli_print_json(scale_json(&report), err);
    } else {
        scale_print(&report, &out);
        done = cli_print(&out, err);
    }
    text_release(&out);
    arena_release(&a);
    return done;
}
