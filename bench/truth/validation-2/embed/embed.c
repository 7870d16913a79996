// Token and position embeddings, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void embed_ref(float *out, const int *token, const float *table, const float *position, int tokens,
               int context, int width)
{
    for (long t = 0; t < tokens; t++)
        for (int c = 0; c < width; c++)
            out[t * width + c] =
                table[(long)token[t] * width + c] + position[t % context * width + c];
}
