// Colours of three bytes to hue, saturation and value, turned by 30 degrees, and back. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void hsv_bytes(unsigned char *out, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float r = in[3 * i] / 255.0f, g = in[3 * i + 1] / 255.0f, b = in[3 * i + 2] / 255.0f;
    float top = fmaxf(r, fmaxf(g, b)), low = fminf(r, fminf(g, b)), d = top - low, h = 0.0f;
    if (d > 0.0f) {
        if (top == r)
            h = (g - b) / d;
        else if (top == g)
            h = (b - r) / d + 2.0f;
        else
            h = (r - g) / d + 4.0f;
        if (h < 0.0f)
            h += 6.0f;
    }
    float s = top > 0.0f ? d / top : 0.0f;
    h += 0.5f;
    if (h >= 6.0f)
        h -= 6.0f;
    int sector = (int)h;
    float f = h - sector, p = top * (1.0f - s), q = top * (1.0f - s * f), t = top * (1.0f - s * (1.0f - f));
    switch (sector) {
    case 0:
        r = top, g = t, b = p;
        break;
    case 1:
        r = q, g = top, b = p;
        break;
    case 2:
        r = p, g = top, b = t;
        break;
    case 3:
        r = p, g = q, b = top;
        break;
    case 4:
        r = t, g = p, b = top;
        break;
    default:
        r = top, g = p, b = q;
    }
    out[3 * i] = (unsigned char)(r * 255.0f + 0.5f);
    out[3 * i + 1] = (unsigned char)(g * 255.0f + 0.5f);
    out[3 * i + 2] = (unsigned char)(b * 255.0f + 0.5f);
}

// A channel at hue h, in sixths.
__device__ float channel(float h, float shift, float top, float d)
{
    float k = h + shift;
    k = k >= 6.0f ? k - 6.0f : k;
    return top - d * __saturatef(fminf(k, 4.0f - k));
}

__device__ unsigned turned(unsigned pixel)
{
    float r = pixel & 255, g = pixel >> 8 & 255, b = pixel >> 16 & 255;
    float top = fmaxf(r, fmaxf(g, b)), d = top - fminf(r, fminf(g, b)), inverse = d > 0.0f ? __fdividef(1.0f, d) : 0.0f;
    float h = top == r ? (g - b) * inverse : top == g ? (b - r) * inverse + 2.0f : (r - g) * inverse + 4.0f;
    h += h < -0.5f ? 6.5f : 0.5f;
    h = h >= 6.0f ? h - 6.0f : h;
    unsigned x = __float2uint_rn(channel(h, 5.0f, top, d)), y = __float2uint_rn(channel(h, 3.0f, top, d));
    return x | y << 8 | __float2uint_rn(channel(h, 1.0f, top, d)) << 16;
}

// Four pixels, three words.
extern "C" __global__ void hsv_words(unsigned *__restrict__ out, const unsigned *__restrict__ in, int fours)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= fours)
        return;
    unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    unsigned p = turned(a), q = turned(__funnelshift_r(a, b, 24)), r = turned(__funnelshift_r(b, c, 16)), s = turned(c >> 8);
    out[3 * i] = p | q << 24;
    out[3 * i + 1] = q >> 8 | r << 16;
    out[3 * i + 2] = r >> 16 | s << 8;
}
