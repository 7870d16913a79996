// Order statistics that the files of stats share. Private to stats.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_STATS_INTERNAL_H
#define RIDGE_STATS_INTERNAL_H

#include "stats/stats.h"

void doubles_sort(double *values, size_t count);
double *doubles_sorted(const double *values, size_t count); // a copy; caller frees
double sorted_quantile(const double *sorted, size_t count, double q);
double sorted_median(const double *sorted, size_t count);

#endif
