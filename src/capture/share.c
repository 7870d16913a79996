// How long and where in its period a window lies.
// SPDX-License-Identifier: Apache-2.0
#include "capture/share.h"
#include "base/base.h"

static const double period_ns = 100e6, period_spread_ns = 40e6; // 60 to 140 ms
static const double window_least_ns = 2e6;
static const double whole = 0.9;     // of a period: then all of it
static const double fading = 0.5;    // per period
static const double paid_back = 0.2; // of what is owed, per period

static double drawn(struct share *s)
{
    uint32_t words[4];
    philox(s->seed, 0, s->draws++, words);
    return philox_uniform(words[0]);
}

// What the window may last in a period of that length.
static double window_ns(const struct share *s, double length_ns)
{
    double per_ns = s->listened_ns > 0 ? s->cost_ns / s->listened_ns : 0;
    double allowed_ns = s->budget * length_ns - paid_back * s->owed_ns;
    bool first = s->first_ns == 0 || s->now_ns - s->first_ns < SHARE_FIRST_NS;
    if (first || allowed_ns >= per_ns * length_ns * whole)
        return length_ns;
    double window = allowed_ns / per_ns;
    return window < window_least_ns ? window_least_ns : window;
}

// Settles the last period: what it cost against what it was allowed.
static void settle(struct share *s)
{
    double room_ns = s->budget * period_ns;
    s->owed_ns += s->came_ns - s->budget * (double)(s->now_ns - s->from_ns);
    s->owed_ns = s->owed_ns < -room_ns ? -room_ns : s->owed_ns;
    s->cost_ns = fading * s->cost_ns + s->came_ns;
    s->listened_ns = fading * s->listened_ns + s->heard_ns;
    s->came_ns = s->heard_ns = 0;
}

static void begin_period(struct share *s)
{
    double length_ns = period_ns + period_spread_ns * (2 * drawn(s) - 1);
    double window = window_ns(s, length_ns);
    s->period++;
    s->from_ns = s->now_ns;
    s->until_ns = s->now_ns + (uint64_t)length_ns;
    s->start_ns = s->now_ns + (uint64_t)(drawn(s) * (length_ns - window));
    s->end_ns = window < length_ns ? s->start_ns + (uint64_t)window : s->until_ns;
    s->opened = false;
}

// Who wakes up late still listens for as long.
static void open_window(struct share *s)
{
    uint64_t late_ns = s->now_ns - s->start_ns;
    s->opened = true;
    s->start_ns += late_ns;
    s->end_ns += late_ns;
    s->until_ns = s->until_ns < s->end_ns ? s->end_ns : s->until_ns;
}

void share_begin(struct share *s, double budget, uint64_t seed, uint64_t now_ns)
{
    *s = (struct share){.budget = budget, .seed = seed, .now_ns = now_ns, .on = true};
    begin_period(s);
    open_window(s);
}

struct share_step share_next(struct share *s, uint64_t now_ns, double cost_ns)
{
    s->heard_ns += s->on && now_ns > s->now_ns ? (double)(now_ns - s->now_ns) : 0;
    s->came_ns += cost_ns;
    s->now_ns = now_ns > s->now_ns ? now_ns : s->now_ns;
    if (cost_ns > 0 && s->first_ns == 0)
        s->first_ns = s->now_ns;
    if (s->now_ns >= s->until_ns) {
        settle(s);
        begin_period(s);
    }
    if (!s->opened && s->now_ns >= s->start_ns)
        open_window(s);
    s->on = s->opened && s->now_ns < s->end_ns;
    return (struct share_step){s->on,
                               !s->opened ? s->start_ns
                               : s->on    ? s->end_ns
                                          : s->until_ns,
                               s->period};
}
