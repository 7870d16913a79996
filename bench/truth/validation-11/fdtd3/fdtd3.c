// A step of Maxwell's equations, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
static void half(float *to, const float *from, const float *f, int side, int step)
{
    for (int part = 0; part < 3; part++)
        for (int i = 0; i < side * side * side; i++) {
            int stride[3] = {1, side, side * side}, slopes[2] = {(part + 1) % 3, (part + 2) % 3};
            double curl = 0;
            for (int k = 0; k < 2; k++) {
                int along = slopes[k], x = i / stride[along] % side + step;
                const float *other = f + slopes[1 - k] * side * side * side + i;
                double next = x >= 0 && x < side ? other[step * stride[along]] : 0;
                curl += (k ? -1 : 1) * (next - *other);
            }
            to[part * side * side * side + i] =
                (float)(from[part * side * side * side + i] - curl / 2);
        }
}

void fdtd3_ref(float *h1, float *e1, const float *h, const float *e, int side)
{
    half(h1, h, e, side, 1);
    half(e1, e, h1, side, -1);
}
