// Stiffness of tetrahedra applied to numbers at the nodes. Nodes lie near those of a lattice; a cube of it has six tetrahedra. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// Corners of a cube's tetrahedra: bit 0 is along x, bit 1 along y, bit 2 along z.
__constant__ int corners[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};

__device__ int node(int x, int y, int z, int corner, int nodes)
{
    return ((z + (corner >> 2)) * nodes + y + (corner >> 1 & 1)) * nodes + x + (corner & 1);
}

struct vector {
    double x, y, z;
};

__device__ vector cross(vector a, vector b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

__device__ double dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// What a tetrahedron adds at its corners.
__device__ void element(double (&out)[4], int (&at)[4], const double *u, const double *move, double k, int x, int y, int z, int t, int nodes)
{
    vector p[4];
    for (int j = 0; j < 4; j++) {
        int c = corners[t][j];
        at[j] = node(x, y, z, c, nodes);
        p[j] = {(c & 1) + move[3 * at[j]], (c >> 1 & 1) + move[3 * at[j] + 1], (c >> 2) + move[3 * at[j] + 2]};
    }
    for (int j = 1; j < 4; j++)
        p[j] = {p[j].x - p[0].x, p[j].y - p[0].y, p[j].z - p[0].z};
    vector g1 = cross(p[2], p[3]), g2 = cross(p[3], p[1]), g3 = cross(p[1], p[2]);
    double volume6 = dot(p[1], g1), by = k / (6.0 * fabs(volume6));
    double u0 = u[at[0]], d1 = u[at[1]] - u0, d2 = u[at[2]] - u0, d3 = u[at[3]] - u0;
    vector slope = {d1 * g1.x + d2 * g2.x + d3 * g3.x, d1 * g1.y + d2 * g2.y + d3 * g3.y, d1 * g1.z + d2 * g2.z + d3 * g3.z};
    out[1] = by * dot(slope, g1);
    out[2] = by * dot(slope, g2);
    out[3] = by * dot(slope, g3);
    out[0] = -(out[1] + out[2] + out[3]);
}

extern "C" __global__ void fem_atomics(double *y, const double *u, const double *move, const double *k, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, cube = i / 6, at[4];
    if (cube >= side * side * side)
        return;
    double out[4];
    element(out, at, u, move, k[i], cube % side, cube / side % side, cube / (side * side), i % 6, side + 1);
    for (int j = 0; j < 4; j++)
        atomicAdd(&y[at[j]], out[j]);
}

// Cubes of one colour have no node in common.
extern "C" __global__ void fem_coloured(double *y, const double *u, const double *move, const double *k, int side, int colour)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, half = side / 2;
    if (i >= half * half * half)
        return;
    int cx = i % half * 2 + (colour & 1), cy = i / half % half * 2 + (colour >> 1 & 1), cz = i / (half * half) * 2 + (colour >> 2);
    for (int t = 0; t < 6; t++) {
        double out[4];
        int at[4];
        element(out, at, u, move, k[6 * ((cz * side + cy) * side + cx) + t], cx, cy, cz, t, side + 1);
        for (int j = 0; j < 4; j++)
            y[at[j]] += out[j];
    }
}

// A node takes its part of the tetrahedra in the cubes around it.
extern "C" __global__ void __launch_bounds__(96) fem_gathered(double *__restrict__ y, const double *__restrict__ u, const double *__restrict__ move,
                                                              const double *__restrict__ k, int side)
{
    int nodes = side + 1, i = blockIdx.x * 96 + threadIdx.x;
    if (i >= nodes * nodes * nodes)
        return;
    int nx = i % nodes, ny = i / nodes % nodes, nz = i / (nodes * nodes);
    double sum = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        int cx = nx - (corner & 1), cy = ny - (corner >> 1 & 1), cz = nz - (corner >> 2);
        if ((unsigned)cx >= side || (unsigned)cy >= side || (unsigned)cz >= side)
            continue;
        const double *own = k + 6 * ((cz * side + cy) * side + cx);
        for (int t = 0; t < 6; t++) {
            if (corner != corners[t][0] && corner != corners[t][1] && corner != corners[t][2] && corner != corners[t][3])
                continue;
            double out[4];
            int at[4];
            element(out, at, u, move, own[t], cx, cy, cz, t, nodes);
            sum += at[0] == i ? out[0] : at[1] == i ? out[1] : at[2] == i ? out[2] : out[3];
        }
    }
    y[i] = sum;
}
