// Numbers for people: three significant digits and a unit by size. The digits are made from
// integers, so that no locale puts a comma into a report.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <math.h>
#include <stdio.h>

enum { FORMAT_SIZE = 32, MAX_DECIMALS = 3 };

static const double unit_step = 1000.0;
static const double largest_integer = 9e15; // every whole double below prints exactly

// Decimals that leave three significant digits of a value in [0, 1000).
static int decimals_for(double value)
{
    static const double limits[] = {100.0, 10.0, 1.0};
    int decimals = 0;
    while (decimals < MAX_DECIMALS && value < limits[decimals])
        decimals++;
    return decimals;
}

static double power_of_ten(int n)
{
    static const double powers[MAX_DECIMALS + 1] = {1.0, 10.0, 100.0, 1000.0};
    return powers[n];
}

// Rounding may carry into a further digit: 9.996 is 10.0, not 10.00.
static double round_to_three(double value, int *decimals)
{
    *decimals = decimals_for(value);
    double rounded = round(value * power_of_ten(*decimals)) / power_of_ten(*decimals);
    *decimals = decimals_for(rounded);
    return rounded;
}

static char *format_scaled(double value, const char *const *units, size_t count, bool whole,
                           char out[FORMAT_SIZE])
{
    if (!isfinite(value)) {
        (void)snprintf(out, FORMAT_SIZE, "n/a");
        return out;
    }
    const char *sign = value < 0 ? "-" : "";
    value = fabs(value);
    size_t unit = 0;
    int decimals = 0;
    double shown = round_to_three(value, &decimals);
    while (shown >= unit_step && unit + 1 < count) {
        value /= unit_step;
        unit++;
        shown = round_to_three(value, &decimals);
    }
    const char *space = units[unit][0] ? " " : "";
    if (shown > largest_integer) {
        (void)snprintf(out, FORMAT_SIZE, "%s%.2e%s%s", sign, shown, space, units[unit]);
        return out;
    }
    if (shown == 0 || (whole && unit == 0 && value == floor(value)))
        decimals = 0;
    long long scaled = llround(shown * power_of_ten(decimals));
    char fraction[MAX_DECIMALS + 2] = ""; // the point and its digits
    for (int i = decimals; i > 0; i--) {
        fraction[i] = (char)('0' + scaled % 10);
        scaled /= 10;
    }
    if (decimals > 0)
        fraction[0] = '.';
    (void)snprintf(out, FORMAT_SIZE, "%s%lld%s%s%s", sign, scaled, fraction, space, units[unit]);
    return out;
}

char *format_time_ns(double ns, char out[32])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    return format_scaled(ns, units, COUNT_OF(units), false, out);
}

char *format_count(double value, char out[32])
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P"};
    return format_scaled(value, units, COUNT_OF(units), true, out);
}

char *format_bytes(double bytes, char out[32])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    return format_scaled(bytes, units, COUNT_OF(units), true, out);
}
