// The same with the header of cooperative groups, which comes with the toolkit.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void smooth(float *y, float *other, int n, int rounds)
{
    cg::grid_group g = cg::this_grid();
    for (int r = 0; r < rounds; r++) {
        const float *from = r % 2 == 0 ? y : other;
        float *to = r % 2 == 0 ? other : y;
        for (int i = g.thread_rank(); i < n; i += g.size())
            to[i] = 0.5f * (from[i] + from[(i + 1) % n]);
        g.sync();
    }
}
