// Step of a wave with a damped border, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void minimod_ref(float *next, const float *u, const float *prev, const float *speed,
                 const float *damping, int side)
{
    static const double weights[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    int row = side + 8, plane = row * row;
    for (int i = 0; i < side * side * side; i++) {
        int x = i % side, y = i / side % side, z = i / side / side;
        const float *own = u + (z + 4) * plane + (y + 4) * row + x + 4;
        double sum = 3 * weights[0] * own[0], e = 0;
        for (int k = 1; k <= 4; k++)
            sum += weights[k] * ((double)own[k] + own[-k] + own[k * row] + own[-k * row] +
                                 own[k * plane] + own[-k * plane]);
        if (x < 6 || y < 6 || z < 6 || x >= side - 6 || y >= side - 6 || z >= side - 6)
            e = damping[i];
        next[i] = (float)(((2 - e * e) * own[0] - (1 - e) * prev[i] + speed[i] * sum) / (1 + e));
    }
}
