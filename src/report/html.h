// html: what the page and the drawings share. Text from outside always goes through html_escape.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_HTML_H
#define RIDGE_REPORT_HTML_H

#include "report/walk.h"

// For text and for attributes in double quotes; control characters become U+FFFD; NULL is "-".
void html_escape(struct text *out, const char *s);
// "time expected -50%, actual -61% held".
void html_expectation(struct text *out, const struct expectation_result *e);
// class="WHAT s3": the colour of the case's variant of that number. Eight come from the style sheet, further
// ones are turned by the golden angle: none is like another.
void html_colour(struct text *out, const char *what, int number);
// A page that holds everything itself around what `body` writes. Fails only if ridge's own style
// sheet or script is not installed.
bool html_page(const char *title, void (*body)(const void *context, struct text *out),
               const void *context, struct text *out, struct error *err) CHECK_RESULT;
// false: nothing to draw (no variant of the case with a time and counters). style: a style sheet to
// put inside, for a file of its own; NULL within a page.
bool svg_roofline(const struct report_case *c, const char *style, struct text *out);
// The distributions of a case's samples; false: no variant has more than one.
bool svg_violins(const struct report_case *c, struct text *out);

#endif
