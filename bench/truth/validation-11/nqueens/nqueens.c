// Boards of queens counted, for the eleventh validation list.
// SPDX-License-Identifier: Apache-2.0
static int count(unsigned full, unsigned column, unsigned left, unsigned right)
{
    if (column == full)
        return 1;
    int found = 0;
    for (unsigned open = full & ~(column | left | right); open; open &= open - 1) {
        unsigned bit = open & -open;
        found += count(full, column | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

void nqueens_ref(int *out, int queens)
{
    unsigned full = (1u << queens) - 1;
    for (int a = 0; a < queens; a++)
        for (int b = 0; b < queens; b++)
            for (int c = 0; c < queens; c++) {
                int place[3] = {a, b, c}, fits = 1;
                unsigned column = 0, left = 0, right = 0;
                for (int row = 0; row < 3; row++) {
                    unsigned bit = 1u << place[row];
                    fits = fits && !(bit & (column | left | right));
                    column |= bit;
                    left = (left | bit) << 1;
                    right = (right | bit) >> 1;
                }
                *out++ = fits ? count(full, column, left, right) : 0;
            }
}
