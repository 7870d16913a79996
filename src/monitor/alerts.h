// alerts: what a monitor found that somebody should know, and the command that tells them.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_MONITOR_ALERTS_H
#define RIDGE_MONITOR_ALERTS_H

#include "monitor/internal.h"

// Under the lock. over: it is no longer so. The words are a sentence without its end.
void alert_raise(struct monitor *m, const struct monitor_gpu *g, enum alert_kind kind, bool over,
                 const char *name, const char *fmt, ...) PRINTF_LIKE(6, 7);
const char *alert_kind_name(enum alert_kind kind);

#endif
