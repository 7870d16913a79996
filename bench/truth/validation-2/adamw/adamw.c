// A step of AdamW, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

struct rates {
    float rate, beta1, beta2, epsilon, decay, correct1, correct2;
};

void adamw_ref(float *w, float *m, float *v, const unsigned short *gradient, struct rates r, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned bits = (unsigned)gradient[i] << 16;
        float g;
        memcpy(&g, &bits, sizeof g);
        m[i] = r.beta1 * m[i] + (1 - r.beta1) * g;
        v[i] = r.beta2 * v[i] + (1 - r.beta2) * g * g;
        w[i] -=
            r.rate * (m[i] * r.correct1 / (sqrtf(v[i] * r.correct2) + r.epsilon) + r.decay * w[i]);
    }
}
