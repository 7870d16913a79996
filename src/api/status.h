// How errors leave the library: each public function fills a struct error and ends with api_end.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_API_STATUS_H
#define RIDGE_API_STATUS_H

#include "base/base.h"

// The end of a public function: keeps the error for ridge_error, returns the status.
int api_end(bool done, const struct error *err);
void api_forget(void);              // the last error
bool api_failed(struct error *err); // is there one? Then it is in err
// NULL where the function may not have it: the caller's mistake.
bool api_need(const void *pointer, const char *function, const char *what, struct error *err);

#endif
