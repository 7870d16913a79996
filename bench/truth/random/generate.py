#!/usr/bin/env python3
"""Kernels written by chance, for the model of time (README.md).

  bench/truth/random/generate.py SEED GROUPS EACH FOLDER

Writes GROUPS experiments of EACH kernels into FOLDER, as CUDA C (to be compiled: nvcc -arch=sm_90 -ptx), and kinds.csv.
SPDX-License-Identifier: Apache-2.0
"""
import random, sys, os, math

def expr_f32(r, live, depth=0):
    a = r.choice(live); b = r.choice(live); c = r.choice(live)
    k = r.random()
    if k < .34: return f"fmaf({a}, {b}, {c})"
    if k < .48: return f"{a} * {b} + {c}"
    if k < .60: return f"({a} - {b}) * {r.choice(['0.5f','1.25f','0.9f'])}"
    if k < .68: return f"fmaxf({a}, {b})"
    if k < .74: return f"({a} > {b} ? {a} : {c} * 0.5f)"
    if k < .79: return f"__expf(-fabsf({a}))"
    if k < .83: return f"expf(-fabsf({a}))"
    if k < .87: return f"sqrtf(fabsf({a}))"
    if k < .90: return f"rsqrtf({a} * {a} + 1.0f)"
    if k < .93: return f"{a} / ({b} * {b} + 1.0f)"
    if k < .95: return f"1.0f / (fabsf({a}) + 1.0f)"
    if k < .97: return f"logf(fabsf({a}) + 1.0f)"
    if k < .985: return f"tanhf({a})"
    return f"floorf({a})"

def expr_i32(r, live):
    a = r.choice(live); b = r.choice(live)
    k = r.random()
    s = r.randint(1, 13)
    if k < .18: return f"{a} + {b}"
    if k < .32: return f"{a} ^ {b}"
    if k < .44: return f"({a} << {s}) | ({b} >> {32-s})"
    if k < .54: return f"{a} * {b}"
    if k < .64: return f"{a} * {r.choice([3,5,9,2654435761,1664525,1103515245])}u + 12345u"
    if k < .70: return f"({a} & {b}) | (~{a} & {r.choice(live)})"
    if k < .76: return f"min({a}, {b})"
    if k < .81: return f"__popc({a} ^ {b})"
    if k < .85: return f"__umulhi({a}, {b})"
    if k < .89: return f"({a} > {b} ? {a} - {b} : {b})"
    if k < .92: return f"{a} / {r.choice([3,7,10,100])}u"
    if k < .95: return f"{a} % {r.choice([3,10,1000,17])}u"
    if k < .97: return f"(unsigned)__clz({a} | 1u)"
    return f"({a} % ({b} & 255u | 1u))"

def expr_f64(r, live):
    a = r.choice(live); b = r.choice(live); c = r.choice(live)
    k = r.random()
    if k < .5: return f"fma({a}, {b}, {c})"
    if k < .7: return f"{a} + {b}"
    if k < .85: return f"{a} * 0.75 - {b}"
    if k < .92: return f"fmax({a}, {b})"
    if k < .96: return f"{a} / ({b} * {b} + 1.0)"
    return f"sqrt(fabs({a}))"

def expr_i64(r, live):
    a = r.choice(live); b = r.choice(live); s = r.randint(1, 40)
    k = r.random()
    if k < .3: return f"{a} + {b}"
    if k < .5: return f"{a} ^ {b}"
    if k < .7: return f"{a} * {b}"
    if k < .85: return f"({a} << {s}) ^ ({b} >> {s//2+1})"
    return f"{a} * 6364136223846793005ull + 1442695040888963407ull"

EXPR = {'float': expr_f32, 'unsigned': expr_i32, 'double': expr_f64, 'unsigned long long': expr_i64}
def zero(t): return {'float':'0.0f','unsigned':'0u','double':'0.0','unsigned long long':'0ull'}[t]
SIZE = {'float':4,'unsigned':4,'double':8,'unsigned long long':8}

class Gen:
    def __init__(s, r): s.r = r; s.n = 0
    def name(s, p='t'): s.n += 1; return f"{p}{s.n}"
    def steps(s, t, live, k, ind):
        """k statements; returns code and the live names"""
        out = []
        live = list(live)
        for _ in range(k):
            if s.r.random() < .65 or len(live) < 2:
                v = s.name('v'); out.append(f"{ind}{t} {v} = {EXPR[t](s.r, live[-6:])};"); live.append(v)
            else:
                v = s.r.choice(live[-4:])
                if v.startswith('v') or v.startswith('acc'): out.append(f"{ind}{v} = {EXPR[t](s.r, live[-6:])};")
                else:
                    w = s.name('v'); out.append(f"{ind}{t} {w} = {EXPR[t](s.r, live[-6:])};"); live.append(w)
        return out, live

def pick_type(r): return r.choices(['float','unsigned','double','unsigned long long'],[6,2.2,1.2,.7])[0]
TOTAL = 1 << 22   # elements of 4 bytes of a, b, index, out

def block_of(r, lo=32): return r.choice([x for x in (32,64,96,128,128,192,256,256,256,320,384,512,512,768,1024) if x >= lo])
def log_int(r, lo, hi): return int(round(math.exp(r.uniform(math.log(lo), math.log(hi)))))

def head(r, name, t, extra=''):
    rs = ' __restrict__' if r.random() < .6 else ''
    co = 'const '
    lb = f" __launch_bounds__({extra})" if extra else ''
    return f'extern "C" __global__ void{lb} {name}({t} *{rs} out, {co}{t} *{rs} a, {co}{t} *{rs} b, const int *{rs} index, int n, int m)\n{{'

def ld(r, arr, i): return f"{arr}[{i}]"

def k_map(g, name):
    r, t = g.r, pick_type(g.r); per = TOTAL*4//SIZE[t]
    block = block_of(r); grid = min(log_int(r, 24, 16384), per//block); n = grid*block - r.choice([0,0,0,5,block//2])
    kind = r.choice(['unit','unit','vec','stride','gather','two'])
    L=[head(r,name,t), "    int i = blockIdx.x * blockDim.x + threadIdx.x;"]
    L.append("    if (i >= n) return;" if r.random()<.6 else "    if (i < n) {")
    close = 1 if L[-1].endswith('{') else 0
    if kind=='gather': L.append(f"    {t} x = a[index[i]], y = b[i];")
    elif kind=='stride': L.append(f"    {t} x = a[(i * {r.choice([3,7,33,17])}) & (n - 1 | 1023)], y = b[i];"); 
    elif kind=='two': L.append(f"    {t} x = a[i], y = b[i ^ 1];")
    elif kind=='vec' and SIZE[t]==4:
        T={'float':'float4','unsigned':'uint4'}[t]
        n = n//4; L.append(f"    {T} q = reinterpret_cast<const {T} *>(a)[i];"); L.append(f"    {t} x = q.x + q.z, y = q.y - q.w;")
        L[2]= L[2]  # the bound is n threads
    else: L.append(f"    {t} x = a[i], y = b[i];")
    c, live = g.steps(t, ['x','y'], r.choice([1,2,3,5,8,14,24]), '    '); L+=c
    L.append(f"    out[i] = {live[-1]} + {live[len(live)//2]};")
    if close: L.append("    }")
    L.append("}")
    if kind=='stride': L=[x.replace('(n - 1 | 1023)', str((1<<int(math.log2(per)))-1)) for x in L]
    return dict(code=L, grid=grid, block=block, n=n, m=0, type=t, kind='map-'+kind)

def k_loop(g, name):
    """grid-stride loops"""
    r, t = g.r, pick_type(g.r); per = TOTAL*4//SIZE[t]
    block = block_of(r); grid = r.choice([1,8,33,66,132,132,264,264,528,1056,2000]); turns = log_int(r, 2, 64)
    n = min(per, grid*block*turns); 
    loads = r.choice(['one','two','two','gather'])
    unroll = r.choice(['','','','    #pragma unroll 1\n','    #pragma unroll 2\n','    #pragma unroll 8\n'])
    acc = r.random() < .6
    L=[head(r,name,t, str(block) if r.random()<.3 else '')]
    L.append("    int stride = gridDim.x * blockDim.x;")
    if acc: L.append(f"    {t} acc = {zero(t)};")
    L.append(unroll + "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {")
    L.append("        %s x = a[%s];" % (t, 'index[i]' if loads=='gather' else 'i'))
    live=['x']
    if loads=='two': L.append(f"        {t} y = b[i];"); live.append('y')
    if acc: live.append('acc')
    c, live = g.steps(t, live, r.choice([0,1,2,4,8,16]), '        '); L+=c
    if acc: L.append(f"        acc = acc {r.choice(['+','+','+','*']) if t!='unsigned' else r.choice(['+','^'])} {live[-1]};")
    else: L.append(f"        out[i] = {live[-1]};")
    L.append("    }")
    if acc: L.append("    out[blockIdx.x * blockDim.x + threadIdx.x] = acc;")
    L.append("}")
    return dict(code=L, grid=grid, block=block, n=n, m=0, type=t, kind='loop-'+loads+('-acc' if acc else ''))

def reduce_code(r, t, block, how, v):
    L=[]
    if how=='warp':
        for o in (16,8,4,2,1): L.append(f"    {v} += __shfl_{r.choice(['xor','down'])}_sync(0xffffffffu, {v}, {o});")
        return L
    if how=='tree':
        L.append(f"    __shared__ {t} part[1024];"); L.append(f"    part[threadIdx.x] = {v};"); L.append("    __syncthreads();")
        L.append("    for (int s = blockDim.x / 2; s > 0; s >>= 1) {"); L.append("        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];")
        L.append("        __syncthreads();"); L.append("    }"); L.append(f"    {v} = part[0];"); return L
    L.append(f"    __shared__ {t} part[32];")
    L.append("    for (int o = 16; o > 0; o >>= 1) "+f"{v} += __shfl_down_sync(0xffffffffu, {v}, o);")
    L.append(f"    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = {v};"); L.append("    __syncthreads();")
    L.append(f"    if (threadIdx.x < 32) {{"); L.append(f"        {v} = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : {zero(t)};")
    L.append(f"        for (int o = 16; o > 0; o >>= 1) {v} += __shfl_down_sync(0xffffffffu, {v}, o);")
    L.append(f"        if (threadIdx.x == 0) part[0] = {v};"); L.append("    }"); L.append("    __syncthreads();"); L.append(f"    {v} = part[0];")
    return L

def k_row(g, name):
    """a block per row of m: a pass, a reduction, perhaps a second pass"""
    r, t = g.r, pick_type(g.r); per = TOTAL*4//SIZE[t]
    how=r.choice(['tree','tree','shuffle','shuffle','warp'])
    block = r.choice([64,128,256,512,1024]) if how!='warp' else 32
    rows = log_int(r, 24, 6000); m = min(log_int(r, 64, 8192), per//rows)
    second = r.random() < .5
    L=[head(r,name,t)]
    L.append(f"    const {t} *row = a + (size_t)blockIdx.x * m;"); L.append(f"    {t} acc = {zero(t)};")
    L.append("    for (int j = threadIdx.x; j < m; j += blockDim.x) {"); L.append(f"        {t} x = row[j];")
    live=['x']
    if r.random()<.4: L.append(f"        {t} y = b[j];"); live.append('y')
    c, live = g.steps(t, live, r.choice([0,1,2,4,8]), '        '); L+=c
    L.append(f"        acc += {live[-1]};"); L.append("    }")
    L+=reduce_code(r,t,block,how,'acc')
    if second:
        L.append("    for (int j = threadIdx.x; j < m; j += blockDim.x)"); L.append(f"        out[(size_t)blockIdx.x * m + j] = row[j] * acc + {('b[j]' if r.random()<.4 else zero(t))};")
    else: L.append("    if (threadIdx.x == 0) out[blockIdx.x] = acc;")
    L.append("}")
    return dict(code=L, grid=rows, block=block, n=0, m=m, type=t, kind='row-'+how+('-second' if second else ''))

def k_walk(g, name):
    """a thread per row (strided lines) or per column"""
    r, t = g.r, pick_type(g.r); per = TOTAL*4//SIZE[t]
    block = block_of(r); m = log_int(r, 12, 700); threads = min(log_int(r, 2000, 400000), per//m); grid=max(1,threads//block); threads=min(grid*block, per//m)
    col = r.random()<.6
    unroll = r.choice(['','','    #pragma unroll 4\n','    #pragma unroll 1\n'])
    two = r.random()<.4
    L=[head(r,name,t)]
    L.append("    int i = blockIdx.x * blockDim.x + threadIdx.x;"); L.append("    if (i >= n) return;")
    L.append(f"    {t} acc = {zero(t)};")
    L.append(unroll+"    for (int j = 0; j < m; j++) {"); L.append(f"        {t} x = {'a[j * n + i]' if col else 'a[i * m + j]'};"); live=['x','acc']
    if two: L.append(f"        {t} y = {r.choice(['b[j]','b[i]','b[j * n + i]' if col else 'b[i * m + j]'])};"); live.insert(0,'y')
    c, live = g.steps(t, live, r.choice([0,0,1,2,5]), '        '); L+=c
    L.append(f"        acc = {live[-1]} + acc * {'0.5f' if t=='float' else '3'};"); 
    st = r.random()<.25
    if st: L.append(f"        out[{'j * n + i' if col else 'i * m + j'}] = acc;")
    L.append("    }")
    if not st: L.append("    out[i] = acc;")
    L.append("}")
    return dict(code=L, grid=grid, block=block, n=threads, m=m, type=t, kind='walk-'+('col' if col else 'row')+('-store' if st else ''))

def k_tile(g, name):
    """product of tiles through shared memory; C of size n x n, depth m"""
    r, t = g.r, r_type(g.r); T = r.choice([8,16,16,32])
    per = TOTAL*4//SIZE[t]
    side = r.choice([4,6,8,12,16,24,32,40]) * T
    while side*side > per: side//=2
    m = T * r.choice([1,2,4,8,16])
    while m*side > per: m//=2
    pad = r.choice([0,0,1]); reg = r.choice([1,1,2,4]) if side % (T*4)==0 else 1
    L=[head(r,name,t)]
    L.append(f"    __shared__ {t} as[{T*reg}][{T+pad}], bs[{T}][{T+pad}];")
    L.append(f"    int x = threadIdx.x, y = threadIdx.y; int row = blockIdx.y * {T*reg} + y, col = blockIdx.x * {T} + x;")
    L.append(f"    {t} acc[{reg}] = {{}};")
    L.append(f"    for (int k = 0; k < m; k += {T}) {{")
    L.append(f"        for (int q = 0; q < {reg}; q++) as[y + q * {T}][x] = a[(row + q * {T}) * m + k + x];")
    L.append(f"        bs[{'y][x' if r.random()<.75 else 'x][y'}] = b[(k + y) * n + col];"); L.append("        __syncthreads();")
    bs = 'bs[z][x]' if 'bs[y][x]' in L[-2] else 'bs[x][z]'
    L.append(f"        for (int z = 0; z < {T}; z++)"); L.append(f"            for (int q = 0; q < {reg}; q++) acc[q] += as[y + q * {T}][z] * {bs};")
    L.append("        __syncthreads();"); L.append("    }")
    L.append(f"    for (int q = 0; q < {reg}; q++) out[(row + q * {T}) * n + col] = acc[q];"); L.append("}")
    return dict(code=L, grid=[side//T, side//(T*reg)], block=[T,T], n=side, m=m, type=t, kind=f'tile-{T}-{reg}')
def r_type(r): return r.choices(['float','unsigned','double'],[5,1,2])[0]

def k_stencil(g, name):
    r, t = g.r, r_type(g.r); per=TOTAL*4//SIZE[t]
    w = r.choice([64,256,1000,1024,2048]); h=min(log_int(r,16,4096), per//w)
    bx,by = r.choice([(32,4),(32,8),(16,16),(64,4),(128,1),(256,1),(32,32),(8,8)])
    pts = r.choice([3,5,5,9]); rad=r.choice([1,1,2])
    shared = r.random()<.35
    L=[head(r,name,t)]
    L.append(f"    int x = blockIdx.x * {bx} + threadIdx.x, y = blockIdx.y * {by} + threadIdx.y;")
    if not shared:
        L.append(f"    if (x < {rad} || y < {rad} || x >= m - {rad} || y >= n - {rad}) return;")
        offs={3:[(0,0),(-1,0),(1,0)],5:[(0,0),(-1,0),(1,0),(0,-1),(0,1)],9:[(i,j) for i in(-1,0,1) for j in (-1,0,1)]}[pts]
        L.append(f"    {t} s = {zero(t)};")
        for (i,j) in offs: L.append(f"    s += a[(y + {j*rad}) * m + x + {i*rad}] * {r.choice(['2','3','b[%d]'%abs(i*3+j)])};")
        c, live = g.steps(t, ['s'], r.choice([0,1,4]), '    '); L+=c
        L.append(f"    out[y * m + x] = {live[-1]};")
    else:
        L.append(f"    __shared__ {t} tile[{by+2*rad}][{bx+2*rad}];")
        L.append(f"    for (int j = threadIdx.y; j < {by+2*rad}; j += {by})"); L.append(f"        for (int i = threadIdx.x; i < {bx+2*rad}; i += {bx}) {{")
        L.append(f"            int u = min(max(int(blockIdx.x) * {bx} + i - {rad}, 0), m - 1), v = min(max(int(blockIdx.y) * {by} + j - {rad}, 0), n - 1);")
        L.append("            tile[j][i] = a[v * m + u];"); L.append("        }"); L.append("    __syncthreads();")
        L.append("    if (x >= m || y >= n) return;"); L.append(f"    {t} s = {zero(t)};")
        L.append(f"    for (int j = 0; j <= {2*rad}; j++) for (int i = 0; i <= {2*rad}; i++) s += tile[threadIdx.y + j][threadIdx.x + i] * b[j * {2*rad+1} + i];")
        L.append("    out[y * m + x] = s;")
    L.append("}")
    return dict(code=L, grid=[(w+bx-1)//bx,(h+by-1)//by], block=[bx,by], n=h, m=w, type=t, kind='stencil-'+('shared' if shared else str(pts)))

def k_atomic(g, name):
    r, t = g.r, r.choice(['unsigned','unsigned','float']) if (r:=g.r) else None
    block=block_of(r,64); grid=log_int(r,4,2048); turns=r.choice([1,1,4,16]); n=min(TOTAL, grid*block*turns); bins=r.choice([1,16,64,256,1024,65536])
    shared = bins<=1024 and r.random()<.5
    it='unsigned'
    L=[head(r,name,t)]
    if shared: L += [f"    __shared__ {t} bin[{bins}];", f"    for (int i = threadIdx.x; i < {bins}; i += blockDim.x) bin[i] = 0;", "    __syncthreads();"]
    L.append("    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {")
    L.append(f"        unsigned k = (unsigned)index[i] {r.choice(['','* 2654435761u >> 7'])};")
    L.append(f"        atomicAdd(&{'bin' if shared else 'out'}[k % {bins}u], {r.choice(['(%s)1'%t,'a[i]'])});"); L.append("    }")
    if shared: L += ["    __syncthreads();", f"    for (int i = threadIdx.x; i < {bins}; i += blockDim.x) if (bin[i] != 0) atomicAdd(&out[i], bin[i]);"]
    L.append("}")
    return dict(code=L, grid=grid, block=block, n=n, m=0, type=t, kind='atomic-'+('shared' if shared else 'global'), atomic=True)

def k_compute(g, name):
    """registers only: chains, with or without a fixed number of turns, of several chains"""
    r, t = g.r, pick_type(g.r); per=TOTAL*4//SIZE[t]
    block=block_of(r); grid=min(log_int(r,20,6000), per//block); m=log_int(r,8,400)
    chains=r.choice([1,1,2,4]); diverge=r.random()<.3
    L=[head(r,name,t)]
    L.append("    int i = blockIdx.x * blockDim.x + threadIdx.x;"); L.append(f"    {t} x = a[i], y = b[i];")
    acc=[]
    for c in range(chains): L.append(f"    {t} acc{c} = x + ({t}){c};"); acc.append(f"acc{c}")
    if diverge: L.append(f"    int turns = m / 2 + ((index[i] & 1023) * m >> 10);")
    L.append(r.choice(['','','    #pragma unroll 1\n','    #pragma unroll 4\n'])+f"    for (int j = 0; j < {'turns' if diverge else ('m' if r.random()<.7 else m)}; j++) {{")
    for c in acc:
        k=r.choice([1,2,3,6]); code, live=g.steps(t, ['y',c], k, '        '); L+=code
        L.append(f"        {c} = {live[-1]} {'*' if t in('float','double') else '^'} {c} + y;" if t in('float','double') else f"        {c} = {live[-1]} ^ ({c} + y);")
        if t in('float','double'): L.append(f"        {c} = {c} > 4 ? {c} * ({t})0.125 : {c};" if r.random()<.5 else f"        {c} *= ({t})0.25;")
    L.append("    }"); L.append("    out[i] = "+' + '.join(acc)+";"); L.append("}")
    return dict(code=L, grid=grid, block=block, n=0, m=m, type=t, kind='compute'+('-diverge' if diverge else ''))

def k_phases(g, name):
    """a block's data in shared memory, several steps with barriers"""
    r, t = g.r, pick_type(g.r); per=TOTAL*4//SIZE[t]
    block=r.choice([64,128,256,512,1024]); grid=min(log_int(r,20,6000), per//block)
    kind=r.choice(['butterfly','scan','sort','rotate'])
    L=[head(r,name,t)]
    L.append(f"    __shared__ {t} s[{2 if kind=='scan' else 1}][{block}];"); L.append("    int i = blockIdx.x * blockDim.x + threadIdx.x, x = threadIdx.x;"); L.append("    s[0][x] = a[i];"); L.append("    __syncthreads();")
    if kind=='butterfly':
        L.append(f"    for (int d = 1; d < {block}; d *= 2) {{"); L.append(f"        {t} u = s[0][x], v = s[0][x ^ d];"); L.append("        __syncthreads();")
        c, live=g.steps(t,['u','v'],r.choice([1,2,4]),'        '); L+=c; L.append(f"        s[0][x] = {live[-1]};"); L.append("        __syncthreads();"); L.append("    }"); L.append("    out[i] = s[0][x];")
    elif kind=='scan':
        L.append("    int f = 0;"); L.append(f"    for (int d = 1; d < {block}; d *= 2) {{"); L.append("        s[1 - f][x] = x >= d ? s[f][x] + s[f][x - d] : s[f][x];"); L.append("        f = 1 - f;"); L.append("        __syncthreads();"); L.append("    }"); L.append("    out[i] = s[f][x];")
    elif kind=='sort':
        L.append(f"    for (int k = 2; k <= {min(block,256)}; k *= 2)"); L.append("        for (int j = k / 2; j > 0; j /= 2) {"); L.append("            int p = x ^ j;")
        L.append("            if (p > x) {"); L.append(f"                {t} u = s[0][x], v = s[0][p];"); L.append("                if ((u > v) == ((x & k) == 0)) { s[0][x] = v; s[0][p] = u; }"); L.append("            }"); L.append("            __syncthreads();"); L.append("        }"); L.append("    out[i] = s[0][x];")
    else:
        k=r.choice([4,8,32]); step=r.choice([1,2,3,8,32,33])
        L.append(f"    {t} acc = {zero(t)};"); L.append(f"    for (int j = 0; j < {k}; j++) {{"); L.append(f"        {t} u = s[0][(x * {r.choice([1,1,2,4])} + j * {step}) & {block-1}];")
        c, live=g.steps(t,['u','acc'],r.choice([0,1,3]),'        '); L+=c; L.append(f"        acc += {live[-1]};"); L.append("    }"); L.append("    out[i] = acc;")
    L.append("}")
    return dict(code=L, grid=grid, block=block, n=0, m=0, type=t, kind='phases-'+kind)

def k_nested(g, name):
    """data-dependent inner loops: rows of random length (CSR like), or a search"""
    r, t = g.r, r_type(g.r); per=TOTAL*4//SIZE[t]
    kind=r.choice(['csr','search','chase','branch'])
    block=block_of(r); grid=min(log_int(r,20,4096), per//block)
    L=[head(r,name,t)]
    L.append("    int i = blockIdx.x * blockDim.x + threadIdx.x;")
    m=0
    if kind=='csr':
        m=r.choice([4,16,64]); 
        L.append(f"    int lo = (i * m) & {per-1}, len = index[i] % m;"); L.append(f"    {t} acc = {zero(t)};"); L.append(f"    for (int j = lo; j < lo + len; j++) acc += a[j & {per-1}] * b[index[j & {per-1}]];" if r.random()<.5 else f"    for (int j = lo; j < lo + len; j++) acc += a[j & {per-1}];"); L.append("    out[i] = acc;")
    elif kind=='search':
        L.append(f"    int key = index[i] & {per-1}, lo = 0, hi = {per};"); L.append("    while (lo < hi) {"); L.append("        int mid = (lo + hi) / 2;"); L.append(f"        if (a[mid] > ({t})(-1) && mid < key) lo = mid + 1; else hi = mid;"); L.append("    }"); L.append(f"    out[i] = ({t})lo;")
    elif kind=='chase':
        m=r.choice([2,4,8,16]); L.append(f"    int p = index[i] & {per-1};"); L.append(f"    for (int j = 0; j < m; j++) p = index[(p + j * 77) & {per-1}] & {per-1};"); L.append(f"    out[i] = a[p];")
    else:
        L.append(f"    {t} x = a[i], y = b[i];"); L.append(f"    int k = index[i] & {r.choice([1,3,7])};")
        c1,l1=g.steps(t,['x','y'],r.choice([4,12,20]),'        '); c2,l2=g.steps(t,['y','x'],r.choice([4,12]),'        ')
        L.append("    if (k == 0) {"); L+=c1; L.append(f"        x = {l1[-1]};"); L.append("    } else {"); L+=c2; L.append(f"        y = {l2[-1]};"); L.append("    }"); L.append("    out[i] = x + y;")
    L.append("}")
    return dict(code=L, grid=grid, block=block, n=0, m=m, type=t, kind='nested-'+kind)

KINDS=[(k_map,3),(k_loop,4),(k_row,3),(k_walk,3),(k_tile,2),(k_stencil,2),(k_atomic,1.2),(k_compute,2.5),(k_phases,2.2),(k_nested,2.2)]

def main():
    seed, groups, per, folder = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    r=random.Random(seed); os.makedirs(folder,exist_ok=True)
    meta=open(f"{folder}/kinds.csv","w")
    for q in range(groups):
        ks=[]; used=set()
        for i in range(per):
            g=Gen(r); f=r.choices([k for k,_ in KINDS],[w for _,w in KINDS])[0]
            name=f"r{q:02d}k{i:02d}"; k=f(g,name); k['name']=name; ks.append(k)
        gn=f"random{q:02d}"
        os.makedirs(f"{folder}/{gn}",exist_ok=True)
        with open(f"{folder}/{gn}/{gn}.cu","w") as o:
            for k in ks: o.write(f"// {k['kind']}\n"+"\n".join(k['code'])+"\n\n")
        y=[f"experiment: {gn}","title: random kernels",f"source: {gn}.ptx","verify: self","params: {one: [1]}","buffers:"]
        for ty,yt,cnt in (('float','f32',TOTAL),('unsigned','u32',TOTAL),('double','f64',TOTAL//2),('unsigned long long','u64',TOTAL//2)):
            if not any(k['type']==ty for k in ks): continue
            s=yt
            fill={'f32':'"uniform(0,1)"','f64':'"uniform(0,1)"','u32':'"integers(0,1000000)"','u64':'"integers(0,1000000)"'}[yt]
            y.append(f"  a{s}: {{type: {yt}, count: {cnt}, fill: {fill}}}"); y.append(f"  b{s}: {{type: {yt}, count: {cnt}, fill: {fill}}}")
            fl=', fill: "constant(0)"' if any(k.get('atomic') and k['type']==ty for k in ks) else ''
            if fl: y.append(f"  z{s}: {{type: {yt}, count: 65536, output: true, written: some, fill: \"constant(0)\", tolerance: {{rel: 1, abs: 1000000}}}}")
            y.append(f"  o{s}: {{type: {yt}, count: {cnt}, output: true, written: some, tolerance: {{rel: 1, abs: 1000000}}}}")
        y.append(f"  index: {{type: i32, count: {TOTAL}, fill: \"integers(0,{TOTAL//2-1})\"}}")
        y.append("variants:")
        for k in ks:
            s={'float':'f32','unsigned':'u32','double':'f64','unsigned long long':'u64'}[k['type']]
            y.append(f"  - {{name: {k['name']}, kernel: {k['name']}, grid: {k['grid']}, block: {k['block']}, args: [{'z' if k.get('atomic') else 'o'}{s}, a{s}, b{s}, index, {k['n']}, {k['m']}]}}")
            meta.write(f"{gn},{k['name']},{k['kind']},{k['type']},{k['grid']},{k['block']},{k['n']},{k['m']}\n".replace(', ','x').replace('[','').replace(']',''))
        open(f"{folder}/{gn}/experiment.yaml","w").write("\n".join(y)+"\n")
main()
