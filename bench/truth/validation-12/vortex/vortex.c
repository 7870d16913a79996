// Point vortices, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

void vortex_ref(float *u, const float *p, int n)
{
    for (int i = 0; i < n; i++) {
        double vx = 0, vy = 0;
        for (int j = 0; j < n; j++) {
            float dx = p[4 * i] - p[4 * j], dy = p[4 * i + 1] - p[4 * j + 1];
            float by = p[4 * j + 2] / (dx * dx + dy * dy + 0.0004f);
            vx -= (double)(by * dy);
            vy += (double)(by * dx);
        }
        u[2 * i] = (float)(vx * 0.15915494309189535);
        u[2 * i + 1] = (float)(vy * 0.15915494309189535);
    }
}
