// How many boards of queens that do not meet begin with three in given columns. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void nqueens_local(int *out, int queens)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x, columns[16], found = 0;
    if (at >= queens * queens * queens)
        return;
    columns[0] = at / (queens * queens);
    columns[1] = at / queens % queens;
    columns[2] = at % queens;
    bool fits = true;
    for (int row = 1; row < 3; row++)
        for (int above = 0; above < row; above++) {
            int apart = abs(columns[row] - columns[above]);
            if (apart == 0 || apart == row - above)
                fits = false;
        }
    if (fits) {
        int row = 3;
        columns[3] = -1;
        while (row >= 3) {
            columns[row]++;
            if (columns[row] == queens) {
                row--;
                continue;
            }
            bool free = true;
            for (int above = 0; above < row && free; above++) {
                int apart = abs(columns[row] - columns[above]);
                free = apart != 0 && apart != row - above;
            }
            if (!free)
                continue;
            if (row == queens - 1)
                found++;
            else
                columns[++row] = -1;
        }
    }
    out[at] = found;
}

// Columns and diagonals as bits; what is still to be tried in a row lies on a stack.
extern "C" __global__ void __launch_bounds__(32) nqueens_shared(int *out, int queens)
{
    __shared__ uint4 stack[16][32];
    int lane = threadIdx.x, at = blockIdx.x * 32 + lane, found = 0, depth = 0;
    if (at >= queens * queens * queens)
        return;
    unsigned full = (1u << queens) - 1, column = 0, left = 0, right = 0;
    bool fits = true;
    int place[3] = {at / (queens * queens), at / queens % queens, at % queens};
#pragma unroll
    for (int row = 0; row < 3; row++) {
        unsigned bit = 1u << place[row];
        fits = fits && !(bit & (column | left | right));
        column |= bit;
        left = (left | bit) << 1;
        right = (right | bit) >> 1;
    }
    unsigned open = fits ? full & ~(column | left | right) : 0;
    while (true) {
        if (open == 0) {
            if (depth == 0)
                break;
            uint4 top = stack[--depth][lane];
            column = top.x;
            left = top.y;
            right = top.z;
            open = top.w;
            continue;
        }
        unsigned bit = open & -open;
        open ^= bit;
        if ((column | bit) == full) {
            found++;
            continue;
        }
        if (open)
            stack[depth++][lane] = make_uint4(column, left, right, open);
        column |= bit;
        left = (left | bit) << 1;
        right = (right | bit) >> 1;
        open = full & ~(column | left | right);
    }
    out[at] = found;
}
