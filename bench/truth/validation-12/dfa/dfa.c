// An automaton over lines, for the twelfth validation list.
// SPDX-License-Identifier: Apache-2.0

void dfa_ref(unsigned *out, const unsigned char *text, const unsigned char *moves, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned state = 0, hits = 0;
        for (int k = 0; k < 128; k++) {
            state = moves[256 * state + *text++];
            hits += state >= 28;
        }
        out[i] = state + 256 * hits;
    }
}
