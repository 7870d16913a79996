// html: what the page and the drawings share. Text is escaped unless it is said to be markup: writers
// use html_printf, whose %s are escaped; text_add takes markup. text_printf is not at hand here.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_HTML_H
#define RIDGE_REPORT_HTML_H

#include "report/walk.h"

// For text and for attributes in double quotes; control characters become U+FFFD; NULL is "-".
void html_escape(struct text *out, const char *s);
// Markup with text in it: every %s is escaped.
void html_printf(struct text *out, const char *fmt, ...) PRINTF_LIKE(2, 3);
#pragma GCC poison text_printf text_vprintf
// "time expected -50%, actual -61% held".
void html_expectation(struct text *out, const struct expectation_result *e);
// class="WHAT s3": the colour of the case's variant of that number. Eight come from the style sheet, further
// ones are turned by the golden angle: none is like another.
void html_colour(struct text *out, const char *what, int number);
// A group of a drawing that stands for a variant, up to its title, whose text goes on.
void html_mark_begin(struct text *out, const char *variant, int number);
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
