// A variant's space as a T1 file: its axes, its conditions in Python with the case's parameters as numbers, and what
// the format wants to know of the kernel.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/internal.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

// Parameters become their values.
static const char *with_values(struct arena *a, const struct experiment *e,
                               const struct case_point *point, const char *text)
{
    struct text t = {0};
    for (const char *s = text; *s;) {
        size_t n = 0;
        while (is_word(s[n]))
            n++;
        int p = 0;
        while (p < e->param_count &&
               (strlen(e->params[p].name) != n || strncmp(e->params[p].name, s, n) != 0))
            p++;
        if (n > 0 && p < e->param_count) {
            const struct value *v = &point->values[p];
            if (v->is_integer)
                text_printf(&t, "%lld", (long long)v->i);
            else
                text_printf(&t, "%.17g", v->d);
        } else {
            n += n == 0;
            text_addn(&t, s, n);
        }
        s += n + (n == 0);
    }
    const char *out = arena_strdup(a, text_str(&t));
    text_release(&t);
    return out;
}

// Written as they stand where Python has no such expression: nobody computes from these.
static const char *size_text(struct arena *a, const struct experiment *e,
                             const struct case_point *point, const struct expression *x)
{
    const char *out = NULL;
    if (!x)
        return NULL;
    const char *text = with_values(a, e, point, expression_text(x));
    return t1_expression(a, text, &out) ? out : text;
}

bool tuner_t1(struct arena *a, const struct tuner_plan *plan, const struct tuner_job *job,
              json_t **out, struct error *err)
{
    const struct experiment *e = plan->experiment;
    const struct variant_spec *v = &e->variants[job->variant];
    const char **conditions = ARENA_ARRAY(a, const char *, v->where_count + 1);
    struct axis *axes = ARENA_ARRAY(a, struct axis, v->axis_count + 1);
    const struct launch_spec *launch = NULL;
    for (int i = 0; i < v->launch_count && !launch; i++)
        launch = v->launches[i].kind == LAUNCH_KERNEL ? &v->launches[i] : NULL;
    for (int i = 0; i < v->axis_count; i++)
        axes[i] = (struct axis){v->axes[i].name, v->axes[i].texts, v->axes[i].value_count,
                                v->axes[i].values != NULL};
    for (int i = 0; i < v->where_count; i++) {
        const char *text = with_values(a, e, job->point, expression_text(v->where[i]));
        if (!t1_expression(a, text, &conditions[i]) || strstr(text, "device."))
            return fail(err, v->at,
                        "the condition '%s' of variant '%s' cannot be written in a T1 file, whose "
                        "conditions are Python's",
                        expression_text(v->where[i]), v->name);
    }
    struct text flags = {0};
    for (int i = 0; i < v->flags.count; i++)
        text_printf(&flags, "%s%s", i > 0 ? " " : "", v->flags.items[i]);
    struct t1_kernel k = {.benchmark = e->name,
                          .kernel = !launch                  ? ""
                                    : launch->kernel_pattern ? launch->kernel_pattern
                                                             : launch->kernel,
                          .file = v->source   ? v->source
                                  : e->source ? e->source
                                              : "",
                          .compiler_options = arena_strdup(a, text_str(&flags)),
                          .conditions = conditions,
                          .condition_count = v->where_count};
    text_release(&flags);
    for (int i = 0; i < 3 && launch; i++) {
        k.grid[i] = size_text(a, e, job->point, launch->grid[i]);
        k.block[i] = size_text(a, e, job->point, launch->block[i]);
    }
    *out = t1_to_json(axes, v->axis_count, &k);
    return true;
}
