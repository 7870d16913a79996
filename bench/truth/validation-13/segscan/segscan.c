// Sums that start anew, for the thirteenth validation list.
// SPDX-License-Identifier: Apache-2.0

void segscan_ref(int *out, const int *x, const unsigned char *flags, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum = flags[i] == 0 ? x[i] : sum + x[i];
        out[i] = sum;
    }
}
