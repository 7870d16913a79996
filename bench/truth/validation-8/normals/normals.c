// Philox numbers to normals, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>

void normals_ref(float *out, int n)
{
    for (int i = 0; i < n; i += 4) {
        uint32_t v[4] = {(uint32_t)i / 4, 0, 0, 0}, k0 = 1234, k1 = 5678;
        for (int r = 0; r < 10; r++, k0 += 0x9e3779b9, k1 += 0xbb67ae85) {
            uint64_t a = (uint64_t)0xd2511f53 * v[0], b = (uint64_t)0xcd9e8d57 * v[2];
            v[0] = (uint32_t)(b >> 32) ^ v[1] ^ k0;
            v[1] = (uint32_t)b;
            v[2] = (uint32_t)(a >> 32) ^ v[3] ^ k1;
            v[3] = (uint32_t)a;
        }
        for (int k = 0; k < 4; k += 2) {
            double r = sqrt(-2 * log((v[k] + 0.5) / 0x1p32)), angle = 2 * M_PI * v[k + 1] / 0x1p32;
            out[i + k] = (float)(r * cos(angle));
            out[i + k + 1] = (float)(r * sin(angle));
        }
    }
}
