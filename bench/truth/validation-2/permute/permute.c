// Channels last to channels first, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void permute_ref(unsigned short *out, const unsigned short *in, int batch, int pixels, int channels)
{
    for (int b = 0; b < batch; b++)
        for (int p = 0; p < pixels; p++)
            for (int c = 0; c < channels; c++)
                out[(b * channels + c) * pixels + p] = in[(b * pixels + p) * channels + c];
}
