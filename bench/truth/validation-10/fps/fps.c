// Farthest points of clouds, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void fps_ref(int *chosen, const float *p, int clouds)
{
    for (int c = 0; c < clouds; c++, p += 6144) {
        float distance[2048];
        int last = 0;
        for (int i = 0; i < 2048; i++)
            distance[i] = 1e30f;
        for (int k = 0; k < 40; k++) {
            int best = 0;
            *chosen++ = last;
            for (int i = 0; i < 2048; i++) {
                float dx = p[3 * i] - p[3 * last], dy = p[3 * i + 1] - p[3 * last + 1],
                      dz = p[3 * i + 2] - p[3 * last + 2], d = dx * dx + dy * dy + dz * dz;
                if (d < distance[i])
                    distance[i] = d;
                if (distance[i] > distance[best])
                    best = i;
            }
            last = best;
        }
    }
}
