#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// A line in calls.txt for each call.
static void note(void)
{
    FILE *f = fopen("calls.txt", "a");
    if (f != NULL) {
        fputs("call\n", f);
        fclose(f);
    }
}

static double shared[64]; // two calls at a time in one process would spoil it

static double row_sum(const float *x, int cols)
{
    for (int i = 0; i < 64; i++)
        shared[i] = 0;
    for (int i = 0; i < cols; i++)
        shared[i % 64] += (double)x[i];
    double sum = 0;
    for (int i = 0; i < 64; i++)
        sum += shared[i];
    return sum;
}

void sums_ref(float *y, const float *x, int rows, int cols)
{
    note();
    for (int r = 0; r < rows; r++)
        y[r] = (float)row_sum(x + (size_t)r * (size_t)cols, cols);
}

void slow_ref(float *y, const float *x, int rows, int cols)
{
    usleep(700000);
    sums_ref(y, x, rows, cols);
}

void range_ref(float *y, const float *x, int first, int end, int cols)
{
    note();
    for (int r = first; r < end; r++)
        y[r] = (float)row_sum(x + (size_t)r * (size_t)cols, cols);
}

void crash_ref(float *y, const float *x, int rows, int cols)
{
    if (x[0] > 2)
        return;
    sums_ref(y, x, rows, cols);
    raise(SIGSEGV);
}

void exit_ref(float *y, const float *x, int rows, int cols)
{
    sums_ref(y, x, rows, cols);
    exit(0);
}
