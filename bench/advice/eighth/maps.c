// References of maps.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void gelu_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++) {
        float x = in[i];
        out[i] = 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    }
}

static float widened(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

static uint16_t narrowed(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void swiglu_ref(uint16_t *out, const uint16_t *gate, const uint16_t *up, int n)
{
    for (int i = 0; i < n; i++) {
        float g = widened(gate[i]);
        out[i] = narrowed(g / (1 + expf(-g)) * widened(up[i]));
    }
}

void blend_ref(uint8_t *out, const uint8_t *top, const uint8_t *below, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (uint8_t)((top[i] * top[i | 3] + below[i] * (255 - top[i | 3]) + 127) / 255);
}

void quantised_ref(int8_t *out, const float *in, float per, int n)
{
    for (int i = 0; i < n; i++) {
        float v = in[i] * per;
        out[i] = (int8_t)rintf(v < -127 ? -127 : v > 127 ? 127 : v);
    }
}

void heads_ref(float *out, const float *in, int B, int T, int H, int D)
{
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int t = 0; t < T; t++, out += D)
                memcpy(out,
                       in + (((size_t)b * (size_t)T + (size_t)t) * (size_t)H + (size_t)h) *
                                (size_t)D,
                       sizeof *out * (size_t)D);
}

void upsample_ref(float *out, const float *in, int channels, int h, int w, int scale)
{
    for (int c = 0; c < channels; c++)
        for (int y = 0; y < h * scale; y++)
            for (int x = 0; x < w * scale; x++)
                *out++ = in[((size_t)c * (size_t)h + (size_t)(y / scale)) * (size_t)w +
                            (size_t)(x / scale)];
}

void chain4_ref(float *out, const float *x, const float *bias, const float *residual, float scale,
                int cols, int rows)
{
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t c = 0; c < (size_t)cols; c++) {
            size_t i = r * (size_t)cols + c;
            float v = x[i] + bias[c];
            out[i] = (v > 0 ? v : 0) * scale + residual[i];
        }
}

void sigmoid_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = 1 / (1 + expf(-in[i]));
}

void tenth_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] * 0.1f;
}

void gain_ref(float *out, const float *gain, const float *x, const float *y, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = gain[0] * x[i] + y[i];
}

void estrin_ref(float *out, const float *in, int n)
{
    static const float factors[] = {-0.0456f, 0.0789f, -0.1234f, 0.2345f,
                                    -0.3456f, 0.4567f, -0.5678f, 1};
    for (int i = 0; i < n; i++) {
        float v = 0.0123f;
        for (int k = 0; k < 8; k++)
            v = v * in[i] + factors[k];
        out[i] = v;
    }
}

void odd_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = 2 * in[i] + 1;
}

void axpby_ref(float *z, float a, const float *x, float b, const float *y, int n)
{
    for (int i = 0; i < n; i++)
        z[i] = a * x[i] + b * y[i];
}

void palette_ref(float *out, const int32_t *index, const float *colours, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = colours[index[i]];
}
