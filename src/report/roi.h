// report: what an optimization was worth, and what to do next.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_ROI_H
#define RIDGE_REPORT_ROI_H

#include "report/report.h"
#include "roi/roi.h"

// style NULL: as Markdown.
void report_roi(const struct roi *r, const struct report_style *style, struct text *out);
json_t *report_roi_json(const struct roi *r); // a new reference

struct roi_ranking {
    const char *suite, *currency;
    double gpu_hour_price;
    const struct roi_candidate *items;
    int count;
};
void report_ranking(const struct roi_ranking *k, const struct report_style *style,
                    struct text *out);
json_t *report_ranking_json(const struct roi_ranking *k);

#endif
