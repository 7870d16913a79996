// Two colours and indices of 4 x 4 pixels, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
void bc1_ref(unsigned *out, const unsigned *image, int height)
{
    for (int b = 0; b < 64 * height; b++) {
        int low[3] = {255, 255, 255}, high[3] = {0}, p[16][3], far[16][4] = {{0}};
        for (int i = 0; i < 16; i++)
            for (int c = 0; c < 3; c++) {
                int v = image[(b / 256 * 4 + i / 4) * 1024 + b % 256 * 4 + i % 4] >> 8 * c & 255;
                p[i][c] = v;
                low[c] = v < low[c] ? v : low[c];
                high[c] = v > high[c] ? v : high[c];
            }
        unsigned first = 0, second = 0, indices = 0;
        for (int c = 0; c < 3; c++) {
            int bits = c == 1 ? 6 : 5, inset = (high[c] - low[c]) / 16;
            int e = (high[c] - inset) >> (8 - bits), f = (low[c] + inset) >> (8 - bits);
            first = first << bits | (unsigned)e;
            second = second << bits | (unsigned)f;
            e = e << (8 - bits) | e >> (2 * bits - 8);
            f = f << (8 - bits) | f >> (2 * bits - 8);
            int palette[4] = {e, f, (2 * e + f) / 3, (e + 2 * f) / 3};
            for (int i = 0; i < 16; i++)
                for (int k = 0; k < 4; k++)
                    far[i][k] += (p[i][c] - palette[k]) * (p[i][c] - palette[k]);
        }
        for (int i = 0; i < 16; i++) {
            unsigned best = 0;
            for (unsigned k = 1; k < 4; k++)
                if (far[i][k] < far[i][best])
                    best = k;
            indices |= best << 2 * i;
        }
        *out++ = first | second << 16;
        *out++ = indices;
    }
}
