// Energies of a ligand's poses (three turns, a shift) in a protein: overlap, charge and what shuns water, by pairs of atoms. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
struct Kind {
    float radius, charge, hydrophobic;
};

extern "C" __global__ void bude_pose(float *energies, const float *poses, const float *ligand, const float *protein, const int *kinds, const Kind *field, int n, int ligand_atoms, int protein_atoms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sx = sinf(poses[i]), cx = cosf(poses[i]), sy = sinf(poses[n + i]), cy = cosf(poses[n + i]), sz = sinf(poses[2 * n + i]), cz = cosf(poses[2 * n + i]);
    float m[3][4] = {{cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz, poses[3 * n + i]},
                     {cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz, poses[4 * n + i]},
                     {-sy, sx * cy, cx * cy, poses[5 * n + i]}};
    float energy = 0.0f;
    for (int l = 0; l < ligand_atoms; l++) {
        Kind own = field[kinds[protein_atoms + l]];
        float u = ligand[3 * l], v = ligand[3 * l + 1], w = ligand[3 * l + 2];
        float x = m[0][0] * u + m[0][1] * v + m[0][2] * w + m[0][3];
        float y = m[1][0] * u + m[1][1] * v + m[1][2] * w + m[1][3];
        float z = m[2][0] * u + m[2][1] * v + m[2][2] * w + m[2][3];
        for (int p = 0; p < protein_atoms; p++) {
            Kind other = field[kinds[p]];
            float dx = x - protein[3 * p], dy = y - protein[3 * p + 1], dz = z - protein[3 * p + 2];
            float d = sqrtf(dx * dx + dy * dy + dz * dz), radii = own.radius + other.radius, gap = d - radii;
            if (gap < 0.0f)
                energy += 38.0f * (1.0f - d / radii);
            if (gap < 4.0f)
                energy += 4.5f * (own.charge - 1.25f) * (other.charge - 1.25f) * (gap < 0.0f ? 1.0f : 1.0f - gap / 4.0f);
            if (gap < 5.5f)
                energy -= own.hydrophobic * other.hydrophobic * (gap < 0.0f ? 1.0f : 1.0f - gap / 5.5f);
        }
    }
    energies[i] = 0.5f * energy;
}

struct Pose {
    float m[3][4], energy;
};

__device__ __forceinline__ void place(Pose &p, const float *poses, int n, int i)
{
    float sx, cx, sy, cy, sz, cz;
    __sincosf(poses[i], &sx, &cx);
    __sincosf(poses[n + i], &sy, &cy);
    __sincosf(poses[2 * n + i], &sz, &cz);
    p = {{{cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz, poses[3 * n + i]},
          {cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz, poses[4 * n + i]},
          {-sy, sx * cy, cx * cy, poses[5 * n + i]}},
         0.0f};
}

__device__ __forceinline__ float3 moved(const Pose &p, float4 a)
{
    return make_float3(fmaf(p.m[0][0], a.x, fmaf(p.m[0][1], a.y, fmaf(p.m[0][2], a.z, p.m[0][3]))), fmaf(p.m[1][0], a.x, fmaf(p.m[1][1], a.y, fmaf(p.m[1][2], a.z, p.m[1][3]))),
                       fmaf(p.m[2][0], a.x, fmaf(p.m[2][1], a.y, fmaf(p.m[2][2], a.z, p.m[2][3]))));
}

__device__ __forceinline__ float pair(float3 a, float4 b, float radii, float by, float charge, float hydrophobic)
{
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, square = fmaf(dx, dx, fmaf(dy, dy, dz * dz)), d;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(d) : "f"(square));
    float gap = d - radii, overlap = fmaxf(fmaf(-d, by, 1.0f), 0.0f);
    return fmaf(38.0f, overlap, charge * __saturatef(fmaf(-0.25f, gap, 1.0f)) - hydrophobic * __saturatef(fmaf(-0.181818182f, gap, 1.0f)));
}

// Atoms with what their kinds are in shared memory, poses i and i + 64 of a block's 128 a thread.
extern "C" __global__ void __launch_bounds__(64) bude_shared(float *__restrict__ energies, const float *__restrict__ poses, const float *__restrict__ ligand,
                                                             const float *__restrict__ protein, const int *__restrict__ kinds, const float *__restrict__ field, int n)
{
    __shared__ float4 atoms[144];
    __shared__ float2 kind[144];
    int t = threadIdx.x, u = blockIdx.x * 128 + t, v = u + 64;
    for (int a = t; a < 144; a += 64) {
        const float *from = a < 128 ? protein + 3 * a : ligand + 3 * (a - 128), *k = field + 3 * kinds[a];
        atoms[a] = make_float4(from[0], from[1], from[2], k[0]);
        kind[a] = make_float2(k[1] - 1.25f, k[2]);
    }
    __syncthreads();
    Pose p, q;
    place(p, poses, n, min(u, n - 1));
    place(q, poses, n, min(v, n - 1));
#pragma unroll 1
    for (int l = 128; l < 144; l++) {
        float4 own = atoms[l];
        float2 k = kind[l];
        float3 a = moved(p, own), b = moved(q, own);
        k.x *= 4.5f;
#pragma unroll 4
        for (int o = 0; o < 128; o++) {
            float4 other = atoms[o];
            float radii = own.w + other.w, by = __fdividef(1.0f, radii), charge = k.x * kind[o].x, hydrophobic = k.y * kind[o].y;
            p.energy += pair(a, other, radii, by, charge, hydrophobic);
            q.energy += pair(b, other, radii, by, charge, hydrophobic);
        }
    }
    if (u < n)
        energies[u] = 0.5f * p.energy;
    if (v < n)
        energies[v] = 0.5f * q.energy;
}
