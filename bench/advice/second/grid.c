// References of grid.cu.
// SPDX-License-Identifier: Apache-2.0
static unsigned cell(const unsigned *in, int words, int h, int x, int y)
{
    x &= 32 * words - 1;
    y = (y + h) % h;
    return in[y * words + x / 32] >> x % 32 & 1;
}

void life_ref(unsigned *out, const unsigned *in, int words, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < 32 * words; x++) {
            unsigned around = 0, *word = &out[y * words + x / 32];
            for (int k = 0; k < 9; k++)
                around += k == 4 ? 0 : cell(in, words, h, x + k % 3 - 1, y + k / 3 - 1);
            unsigned lives = around == 3 || (around == 2 && cell(in, words, h, x, y));
            *word = (x % 32 == 0 ? 0 : *word) | lives << x % 32;
        }
}

void lbm_ref(float *out, const float *f, int w, int h, float rate)
{
    static const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double v[9], rho = 0, ux = 0, uy = 0;
            for (int q = 0; q < 9; q++) {
                v[q] = f[(q * h + (y - ey[q] + h) % h) * w + (x - ex[q] + w) % w];
                rho += v[q];
                ux += ex[q] * v[q];
                uy += ey[q] * v[q];
            }
            ux /= rho;
            uy /= rho;
            for (int q = 0; q < 9; q++) {
                double weight = q == 0  ? 4.0 / 9
                                : q < 5 ? 1.0 / 9
                                        : 1.0 / 36,
                       along = ex[q] * ux + ey[q] * uy;
                double rest = weight * rho *
                              (1 + 3 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
                out[(q * h + y) * w + x] = (float)(v[q] + rate * (rest - v[q]));
            }
        }
}

void deposit_ref(float *charge, const float *x, int n, int cells)
{
    for (int c = 0; c < cells + 2; c++)
        charge[c] = 0;
    for (int i = 0; i < n; i++) {
        int c = (int)x[i];
        charge[c] += 1 - (x[i] - (float)c);
        charge[c + 1] += x[i] - (float)c;
    }
}

void heat_ref(float *a, float *b, int n)
{
    for (int s = 0; s < 16; s++) {
        float *in = s % 2 ? b : a, *out = s % 2 ? a : b;
        for (int i = 0; i < n * n; i++) {
            int x = i % n, y = i / n, edge = x == 0 || y == 0 || x == n - 1 || y == n - 1;
            out[i] =
                edge ? in[i]
                     : in[i] + 0.2f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4 * in[i]);
        }
    }
}

void thomas_ref(float *x, const float *a, const float *b, const float *c, const float *d,
                int systems)
{
    for (int s = 0; s < systems; s++, x += 256, a += 256, b += 256, c += 256, d += 256) {
        double up[256], right[256];
        for (int i = 0; i < 256; i++) {
            double per = 1 / (b[i] - (i ? a[i] * up[i - 1] : 0));
            up[i] = c[i] * per;
            right[i] = (d[i] - (i ? a[i] * right[i - 1] : 0)) * per;
        }
        for (int i = 254; i >= 0; i--)
            right[i] -= up[i] * right[i + 1];
        for (int i = 0; i < 256; i++)
            x[i] = (float)right[i];
    }
}
