// ridge_adapt_* as a program has it: adapt TABLE SOURCE LOG. What is chosen seems to take a hundred times as long.
// SPDX-License-Identifier: Apache-2.0
#include <ridge.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *sizes[] = {"ROWS=4096", "N=256"}, *other[] = {"ROWS=256", "N=256"};
    ridge *r;
    ridge_adaptive *a;
    int anew = 0;
    if (argc != 4 || ridge_open("sim:h200", NULL, &r) != RIDGE_OK)
        return 3;
    struct ridge_select_query query = {.experiment = "row-sums",
                                       .sizes = sizes,
                                       .size_count = 2,
                                       .source = argv[2],
                                       .table = argv[1]};
    struct ridge_adapt_options options = {.patience = 3, .hold_s = 1e-9, .log = argv[3]};
    if (ridge_adapt_open(r, &query, &options, &a) != RIDGE_OK) {
        fprintf(stderr, "%s\n", ridge_error());
        return 3;
    }
    const struct ridge_selection *s = ridge_adapt_selection(a);
    double promised_ns = s->time_ns;
    printf("first %s\n", s->variant);
    for (int i = 0; i < 9 && !anew; i++)
        if (ridge_adapt_add(a, 1.05 * promised_ns, &anew) != RIDGE_OK)
            return 3;
    printf("within the band: %d\n", anew);
    for (int i = 0; i < 3 && !anew; i++)
        if (ridge_adapt_add(a, 100 * promised_ns, &anew) != RIDGE_OK)
            return 3;
    printf("anew %d %s\n", anew, ridge_adapt_selection(a)->variant);
    if (ridge_adapt_size(a, other, 2, &anew) != RIDGE_OK)
        return 3;
    printf("other size %d %s %s\n", anew, ridge_adapt_selection(a)->variant,
           ridge_adapt_selection(a)->case_label);
    printf("choices %d\n", ridge_adapt_choices(a));
    ridge_adapt_close(a);
    return ridge_close(r);
}
