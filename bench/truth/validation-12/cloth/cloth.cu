// Steps of a cloth: springs to neighbours one apart, two apart and along diagonals, gravity and damping. Numbers are moves from a lattice in the plane. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__constant__ int sides[12][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}, {2, 0}, {-2, 0}, {0, 2}, {0, -2}};

extern "C" __global__ void cloth_mass(float4 *po, float4 *vo, const float4 *p, const float4 *v, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % n, y = i / n;
    if (y >= n)
        return;
    float fx = 0.0f, fy = 0.0f, fz = -1.0f;
    for (int k = 0; k < 12; k++) {
        int u = x + sides[k][0], w = y + sides[k][1];
        if (u < 0 || u >= n || w < 0 || w >= n)
            continue;
        float4 q = p[w * n + u];
        float dx = sides[k][0] + q.x - p[i].x, dy = sides[k][1] + q.y - p[i].y, dz = q.z - p[i].z;
        float rest = sqrtf(sides[k][0] * sides[k][0] + sides[k][1] * sides[k][1]), length = sqrtf(dx * dx + dy * dy + dz * dz);
        float pull = 8.0f * (length - rest) / length;
        fx += pull * dx;
        fy += pull * dy;
        fz += pull * dz;
    }
    float4 speed = v[i];
    speed.x = 0.99f * speed.x + dt * fx;
    speed.y = 0.99f * speed.y + dt * fy;
    speed.z = 0.99f * speed.z + dt * fz;
    vo[i] = speed;
    po[i] = make_float4(p[i].x + dt * speed.x, p[i].y + dt * speed.y, p[i].z + dt * speed.z, 0.0f);
}

// Springs that are not there have no strength.
extern "C" __global__ void __launch_bounds__(256) cloth_tile(float4 *__restrict__ po, float4 *__restrict__ vo, const float4 *__restrict__ p,
                                                             const float4 *__restrict__ v, int n)
{
    __shared__ float4 s[20][20];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 16 - 2, y0 = blockIdx.y * 16 - 2;
    for (int k = ty * 16 + tx; k < 400; k += 256) {
        int x = x0 + k % 20, y = y0 + k / 20;
        bool in = (unsigned)x < n && (unsigned)y < n;
        float4 q = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (in)
            q = p[y * n + x];
        q.w = in ? 8.0f : 0.0f;
        s[k / 20][k % 20] = q;
    }
    int i = (y0 + 2 + ty) * n + x0 + 2 + tx;
    float4 speed = v[i];
    __syncthreads();
    float4 own = s[ty + 2][tx + 2];
    float fx = 0.0f, fy = 0.0f, fz = -1.0f;
#pragma unroll
    for (int dy = -2; dy <= 2; dy++)
#pragma unroll
        for (int dx = -2; dx <= 2; dx++) {
            int far = dx * dx + dy * dy;
            if (far == 0 || far == 5 || far == 8)
                continue;
            float4 q = s[ty + 2 + dy][tx + 2 + dx];
            float x = dx + q.x - own.x, y = dy + q.y - own.y, z = q.z - own.z;
            float rest = far == 1 ? 1.0f : far == 2 ? 1.41421356f : 2.0f, pull = q.w * (1.0f - rest * rsqrtf(x * x + y * y + z * z));
            fx += pull * x;
            fy += pull * y;
            fz += pull * z;
        }
    speed.x = 0.99f * speed.x + 0.05f * fx;
    speed.y = 0.99f * speed.y + 0.05f * fy;
    speed.z = 0.99f * speed.z + 0.05f * fz;
    vo[i] = speed;
    po[i] = make_float4(own.x + 0.05f * speed.x, own.y + 0.05f * speed.y, own.z + 0.05f * speed.z, 0.0f);
}
