// Moves of a board game, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
static int square(const unsigned *words, int x, int y)
{
    return words[y / 4] >> (y % 4 * 8 + x) & 1;
}

static int turns(const unsigned *b, int x, int y, int dx, int dy)
{
    int count = 0;
    for (x += dx, y += dy; x >= 0 && x < 8 && y >= 0 && y < 8; x += dx, y += dy, count++)
        if (!square(b + 2, x, y))
            return count > 0 && square(b, x, y);
    return 0;
}

void othello_ref(unsigned *moves, const unsigned *boards, int n)
{
    for (int i = 0; i < n; i++) {
        const unsigned *b = boards + 4 * i;
        moves[2 * i] = moves[2 * i + 1] = 0;
        for (int s = 0; s < 64; s++) {
            int x = s % 8, y = s / 8, found = 0;
            if (square(b, x, y) || square(b + 2, x, y))
                continue;
            for (int d = 0; d < 9; d++)
                found |= d != 4 && turns(b, x, y, d % 3 - 1, d / 3 - 1);
            moves[2 * i + s / 32] |= (unsigned)found << s % 32;
        }
    }
}
