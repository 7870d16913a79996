// What lies above a bound, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void compact_ref(float *out, unsigned *kept, const float *in, float bound, int n)
{
    *kept = 0;
    for (int i = 0; i < n; i++)
        if (in[i] > bound)
            out[(*kept)++] = in[i];
}
