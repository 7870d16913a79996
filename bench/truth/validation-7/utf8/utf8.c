// Code points of a text counted and checked, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
void utf8_ref(int *counts, const unsigned char *text, int n)
{
    int wanted = 0, points = 0, wrong = 0;
    for (int i = 0; i < n; i++) {
        int first = i > 0 ? text[i - 1] : 0, second = i > 1 ? text[i - 2] : 0;
        int third = i > 2 ? text[i - 3] : 0, more = text[i] >= 0x80 && text[i] < 0xc0;
        wanted = first >= 0xc0 || second >= 0xe0 || third >= 0xf0;
        points += !more;
        wrong += wanted != more || text[i] >= 0xf8;
    }
    counts[0] = points;
    counts[1] = wrong;
}
