// Rows of 4-bit codes times a vector, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
static const float values[16] = {-1.0f,    -0.6962f, -0.5251f, -0.3949f, -0.2844f, -0.1848f,
                                 -0.0911f, 0.0f,     0.0796f,  0.1609f,  0.2461f,  0.3379f,
                                 0.4407f,  0.5626f,  0.7230f,  1.0f};

void nf4_ref(float *y, const unsigned char *codes, const float *scales, const float *x, int rows)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = 0; i < 2048; i++) {
            int code = codes[1024 * r + i / 2] >> 4 * (i % 2) & 15;
            sum += (double)values[code] * scales[32 * r + i / 64] * x[i];
        }
        y[r] = (float)sum;
    }
}
