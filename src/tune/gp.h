// gp: a Gaussian process over points of a space: what is expected of a point that was not evaluated, and how sure
// that is. Matérn 5/2 with a length per axis, chosen by the marginal likelihood (Rasmussen and Williams, Gaussian
// Processes for Machine Learning, 2006, eq. 2.30, 4.17, 5.8). Values are standardised.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TUNE_GP_H
#define RIDGE_TUNE_GP_H

#include "tune/tune.h"

struct gp;
struct gp *gp_open(const struct search_space *s);
// The points and their values; count >= 2, at most GP_POINTS_MAX. Chooses the lengths anew if asked to.
enum { GP_POINTS_MAX = 200 };
void gp_fit(struct gp *g, const int *points, const double *values, int count, bool choose_lengths);
void gp_predict(const struct gp *g, int point, double *mean,
                double *deviation);                     // in the values' unit
double gp_similarity(const struct gp *g, int a, int b); // 0..1
void gp_close(struct gp *g);

#endif
