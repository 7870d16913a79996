// The score of the best path of hidden states, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
static float step(const float *best, const float *move, int state)
{
    float most = best[0] + move[state];
    for (int from = 1; from < 32; from++)
        if (best[from] + move[32 * from + state] > most)
            most = best[from] + move[32 * from + state];
    return most;
}

void viterbi_ref(float *score, const unsigned char *symbols, const float *move, const float *emit,
                 int sequences)
{
    for (int s = 0; s < sequences; s++, symbols += 32) {
        float best[32], next[32];
        for (int state = 0; state < 32; state++)
            best[state] = emit[16 * state + symbols[0]];
        for (int t = 1; t < 32; t++) {
            for (int state = 0; state < 32; state++)
                next[state] = step(best, move, state) + emit[16 * state + symbols[t]];
            for (int state = 0; state < 32; state++)
                best[state] = next[state];
        }
        score[s] = best[0];
        for (int state = 1; state < 32; state++)
            score[s] = best[state] > score[s] ? best[state] : score[s];
    }
}
