// Min-sum decoding, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void ldpc_ref(float *out, const float *likely, const int *edge, int words)
{
    for (int word = 0; word < words; word++, likely += 1024, out += 1024) {
        float message[3072];
        for (int i = 0; i < 3072; i++)
            message[i] = likely[i / 3];
        for (int round = 0; round < 6; round++) {
            for (int check = 0; check < 512; check++) {
                float to[6];
                for (int k = 0; k < 6; k++) {
                    float least = 1e30f;
                    int odd = 0;
                    for (int j = 0; j < 6; j++) {
                        float v = message[edge[6 * check + j]];
                        if (j != k) {
                            least = fminf(least, fabsf(v));
                            odd ^= v < 0;
                        }
                    }
                    to[k] = 0.75f * (odd ? -least : least);
                }
                for (int k = 0; k < 6; k++)
                    message[edge[6 * check + k]] = to[k];
            }
            for (int i = 0; i < 1024; i++) {
                float *m = message + 3 * i;
                out[i] = likely[i] + m[0] + m[1] + m[2];
                for (int k = 0; k < 3; k++)
                    m[k] = out[i] - m[k];
            }
        }
    }
}
