// Attention scores with a bias by distance, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
void relbias_ref(float *s, const float *q, const float *k, const float *bias, int n)
{
    for (int h = 0; h < 4; h++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int distance = x - y < -32 ? -32 : x - y > 32 ? 32 : x - y;
                double sum = 0;
                for (int c = 0; c < 64; c++)
                    sum += (double)q[(h * n + y) * 64 + c] * k[(h * n + x) * 64 + c];
                s[((long)h * n + y) * n + x] = (float)(0.125 * sum + bias[65 * h + 32 + distance]);
            }
}
