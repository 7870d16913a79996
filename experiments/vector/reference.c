// The step in double, for 3*n floats: the layout does not matter to the arithmetic.
// SPDX-License-Identifier: Apache-2.0
void step_ref(float *p, const float *v, int n)
{
    for (int i = 0; i < 3 * n; i++)
        p[i] = (float)((double)p[i] + 0.5 * (double)v[i]);
}
