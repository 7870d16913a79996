// y = A x with A sparse, in CSR: row r has the elements starts[r] … starts[r + 1] - 1 of `columns` and `values`.
//   thread_spmv   a thread per row
//   group_spmv    LANES lanes of a warp per row
//   flight_spmv   the same, FLIGHT elements of a lane on their way at once
//   split_spmv    each thread has EACH elements, wherever rows begin and end; a warp joins what its lanes have of a
//                 row, and only rows that cross a warp's end take an atomic. y must be 0 before. With -DGALLOP
//                 empty rows are passed in steps that double
//   prepared_spmv the same; a launch before clears y and finds each block's first row, so that a thread has few to search
//   rounds_spmv   the same as split_spmv; a block takes ROUNDS parts one after the other and finds its row once
//   merge_spmv    each thread has EACH items, an element or the end of a row each (Merrill and Garland, SC 2016), so
//                 that empty rows are work like any other; merge_starts finds where the blocks begin. y must be 0
//   sorted_spmv   the elements of CHUNK rows lie in order of their columns (sort_columns, ahead of time), so that a sector
//                 of x serves several; sums of CHUNK rows are in shared memory. y must be 0
// SPDX-License-Identifier: Apache-2.0
#define WARP 32
#define ALL 0xffffffffu
#ifndef LANES
#define LANES 32
#endif
#ifndef EACH
#define EACH 8
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef FLIGHT
#define FLIGHT 4
#endif
#ifndef WHOLE // prepared_spmv stores rows that a warp has whole
#define WHOLE 0
#endif
#ifndef CHUNK
#define CHUNK 32768
#endif
#ifndef ROUNDS
#define ROUNDS 8
#endif

extern "C" __global__ void thread_spmv(float *y, const int *starts, const int *columns,
                                       const float *values, const float *x, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = starts[r]; i < starts[r + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[r] = sum;
}

extern "C" __global__ void group_spmv(float *y, const int *starts, const int *columns,
                                      const float *values, const float *x, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float sum = 0;
    if (r < rows)
        for (int i = starts[r] + lane; i < starts[r + 1]; i += LANES)
            sum += __ldcs(values + i) * __ldg(x + __ldcs(columns + i));
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        sum += __shfl_xor_sync(ALL, sum, step);
    if (r < rows && lane == 0)
        y[r] = sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    flight_spmv(float *y, const int *starts, const int *columns, const float *values, const float *x, int rows)
{
    int r = (blockIdx.x * BLOCK + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    int from = r < rows ? starts[r] : 0, to = r < rows ? starts[r + 1] : 0;
    float sum = 0;
    for (int i = from + lane; i < to; i += LANES * FLIGHT) {
        int column[FLIGHT];
        float value[FLIGHT];
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            if (i + f * LANES < to) {
                column[f] = __ldcs(columns + i + f * LANES);
                value[f] = __ldcs(values + i + f * LANES);
            }
#pragma unroll
        for (int f = 0; f < FLIGHT; f++)
            if (i + f * LANES < to)
                sum += value[f] * __ldg(x + column[f]);
    }
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        sum += __shfl_xor_sync(ALL, sum, step);
    if (r < rows && lane == 0)
        y[r] = sum;
}

// The row of element i: the last one that begins at or before it.
static __device__ int row_of(const int *starts, int rows, int i)
{
    int low = 0, high = rows; // starts[low] <= i, starts[high] > i
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (starts[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// The same, where row ends at or before i: from there in steps that double, as rows that follow may be empty.
static __device__ int row_later(const int *starts, int rows, int row, int i)
{
    int low = row + 1, step = 1;
    while (low + step < rows && starts[low + step] <= i) {
        low += step;
        step *= 2;
    }
    return low + row_of(starts + low, min(step, rows - low), i);
}

// Products of a block's elements, loaded side by side, read back in runs of EACH by a thread each. A word in
// front of each 32 keeps the runs in different banks.
static __device__ int place(int i)
{
    return i + i / WARP;
}

enum { PRODUCTS = BLOCK * EACH + BLOCK * EACH / WARP }; // words for a block's

// Adds up the products of BLOCK * EACH elements from `first` on. row_at(i): the row of element i. STORED: rows that begin and
// end in a warp are stored, the others take atomics as all do without. Returns the row of the thread's last element.
template <bool STORED, typename Row>
static __device__ __forceinline__ int sum_rows(float *y, const int *starts, const float *products, int first, int rows,
                                               int elements, Row row_at)
{
    int t = threadIdx.x, lane = t % WARP, warp_first = first + t / WARP * (WARP * EACH);
    int from = first + t * EACH, to = min(from + EACH, elements);
    bool any = from < elements;
    int row = any ? row_at(from) : rows, head_row = row;
    float sum = 0, head = 0;
    bool many = false; // it ends a row
    for (int i = from; i < to; i++) {
        if (i >= starts[row + 1]) {
            if (many)
                y[row] = sum; // whole: it began and ended here
            else
                head = sum;
            many = true;
            sum = 0;
#ifdef GALLOP
            row = row_later(starts, rows, row, i);
#else
            do
                row++;
            while (i >= starts[row + 1]);
#endif
        }
        sum += products[place(i - first)];
    }
    // sum is of the last row; what the lanes before have of it is added, as far as they are all of that row.
    float joined = sum;
#pragma unroll
    for (int step = 1; step < WARP; step *= 2) {
        float before = __shfl_up_sync(ALL, joined, step);
        int before_row = __shfl_up_sync(ALL, row, step);
        if (lane >= step && before_row == row && !many)
            joined += before;
    }
    // A lane that ends a row has not been passed: so those behind it took only what it has of its last one.
    float of_left = __shfl_up_sync(ALL, joined, 1);
    int left_row = __shfl_up_sync(ALL, row, 1), next_head = __shfl_down_sync(ALL, head_row, 1);
    if (many) {
        bool continues = lane > 0 && left_row == head_row;
        float whole = head + (continues ? of_left : 0);
        if (STORED && starts[head_row] >= warp_first)
            y[head_row] = whole;
        else
            atomicAdd(&y[head_row], whole);
    }
    // The last lane of a row's run adds what they have together, unless the next one ends the row and has taken it.
    if (any && (lane == WARP - 1 || next_head != row)) {
        if (STORED && starts[row] >= warp_first && starts[row + 1] <= warp_first + WARP * EACH)
            y[row] = joined;
        else
            atomicAdd(&y[row], joined);
    }
    return row;
}

template <bool STORED, typename Row>
static __device__ __forceinline__ void split_rows(float *y, const int *starts, const int *columns, const float *values,
                                                  const float *x, int rows, int elements, Row row_at)
{
    __shared__ float products[PRODUCTS];
    int t = threadIdx.x, first = blockIdx.x * (BLOCK * EACH);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int i = first + e * BLOCK + t;
        products[place(e * BLOCK + t)] =
            i < elements ? __ldcs(values + i) * __ldg(x + __ldcs(columns + i)) : 0;
    }
    __syncthreads();
    sum_rows<STORED>(y, starts, products, first, rows, elements, row_at);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    split_spmv(float *y, const int *starts, const int *columns, const float *values, const float *x,
               int rows, int elements)
{
    split_rows<false>(y, starts, columns, values, x, rows, elements, [=](int i) { return row_of(starts, rows, i); });
}

// A launch before: y is cleared, and for each block of split_spmv the row of its first element found; behind the last
// block's, the last row.
extern "C" __global__ void prepare_rows(float *y, int *first_rows, const int *starts, int rows, int elements)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, blocks = (elements + BLOCK * EACH - 1) / (BLOCK * EACH);
    for (int r = t; r < rows; r += gridDim.x * blockDim.x)
        y[r] = 0;
    for (int b = t; b <= blocks; b += gridDim.x * blockDim.x)
        first_rows[b] = b < blocks ? row_of(starts, rows, b * (BLOCK * EACH)) : rows - 1;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    prepared_spmv(float *y, const int *first_rows, const int *starts, const int *columns, const float *values,
                  const float *x, int rows, int elements)
{
    int first = first_rows[blockIdx.x], last = first_rows[blockIdx.x + 1];
    split_rows<WHOLE>(y, starts, columns, values, x, rows, elements,
               [=](int i) { return first + row_of(starts + first, last + 1 - first, i); });
}

/* ---- several rounds of a block ------------------------------------------------------------------------------- */

// The row of element i, which is not before `row`.
static __device__ int row_from(const int *starts, int rows, int row, int i)
{
    return starts[row + 1] > i ? row : row_later(starts, rows, row, i);
}

// A block has ROUNDS times BLOCK * EACH elements that follow each other: one search in all of `starts`, by one thread while
// the others multiply, and each round goes on from the row where the one before ended. The next round's elements
// are on their way while this one's are added up. y must be 0 before.
extern "C" __global__ void __launch_bounds__(BLOCK)
    rounds_spmv(float *y, const int *starts, const int *columns, const float *values, const float *x, int rows,
                int elements)
{
    __shared__ float products[PRODUCTS];
    __shared__ int row[2]; // of a round's first element, or one before
    int t = threadIdx.x, column[EACH];
    long long first = (long long)blockIdx.x * (ROUNDS * BLOCK * EACH);
    float value[EACH];
    auto ask = [&](long long from) {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            long long i = from + e * BLOCK + t;
            column[e] = i < elements ? __ldcs(columns + i) : 0;
            value[e] = i < elements ? __ldcs(values + i) : 0;
        }
    };
    ask(first);
    if (t == 0)
        row[0] = row_of(starts, rows, (int)first);
    for (int round = 0; round < ROUNDS && first < elements; round++, first += BLOCK * EACH) {
#pragma unroll
        for (int e = 0; e < EACH; e++)
            products[place(e * BLOCK + t)] = value[e] * __ldg(x + column[e]);
        __syncthreads();
        if (round + 1 < ROUNDS)
            ask(first + BLOCK * EACH);
        int from = row[round % 2];
        int last = sum_rows<true>(y, starts, products, (int)first, rows, elements,
                                  [=](int i) { return row_from(starts, rows, from, i); });
        if (t == BLOCK - 1)
            row[(round + 1) % 2] = last;
        __syncthreads();
    }
}

/* ---- elements and ends of rows, merged -------------------------------------------------------------------- */

// How many rows end among the first `items` of the merged list of `rows` ends and `elements` elements. Row r's end
// comes behind the elements before ends[r], less `first` of them, which are not of this list.
static __device__ int ends_before(const int *ends, int first, int rows, int elements, int items)
{
    int low = max(0, items - elements), high = min(items, rows);
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (ends[middle] - first <= items - middle - 1)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

extern "C" __global__ void merge_starts(int *first_rows, const int *starts, int rows, int elements, int blocks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= blocks)
        first_rows[i] = ends_before(starts + 1, 0, rows, elements, min(i * (BLOCK * EACH), rows + elements));
}

// A row that began in another warp is finished by atomics, by both; the others are stored.
extern "C" __global__ void __launch_bounds__(BLOCK)
    merge_spmv(float *y, const int *first_rows, const int *starts, const int *columns, const float *values,
               const float *x, int rows, int elements)
{
    __shared__ int words[BLOCK * EACH + BLOCK * EACH / WARP + 1]; // products of the elements, then ends of rows
    float *products = (float *)words;
    int t = threadIdx.x, lane = t % WARP, from = blockIdx.x * (BLOCK * EACH);
    int first_row = first_rows[blockIdx.x], first = from - first_row;
    int row_count = first_rows[blockIdx.x + 1] - first_row;
    int items = min(BLOCK * EACH, rows + elements - from), count = items - row_count;
    int *ends = words + place(count);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int i = e * BLOCK + t;
        if (i < count)
            products[place(i)] = __ldcs(values + first + i) * __ldg(x + __ldcs(columns + first + i));
    }
    for (int i = t; i < row_count; i += BLOCK)
        ends[i] = starts[first_row + 1 + i] - first;
    __syncthreads();
    int at = min(t * EACH, items), row = ends_before(ends, 0, row_count, count, at), i = at - row;
    int head_row = row;
    float sum = 0, head = 0;
    bool many = false; // it ends a row
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (at + e >= items)
            break;
        if (row < row_count && ends[row] <= i) {
            if (many)
                y[first_row + row] = sum; // whole: it began and ended here
            else
                head = sum;
            many = true;
            sum = 0;
            row++;
        } else
            sum += products[place(i++)];
    }
    // sum is of the last row, which doesn't end here; what the lanes before have of it is added, up to one that ends a row.
    unsigned enders = __ballot_sync(ALL, many), before = enders & ((1u << lane) - 1);
    int start = before ? 31 - __clz((int)before) : 0; // the lane that has the first of this lane's first row
    float joined = sum;
#pragma unroll
    for (int step = 1; step < WARP; step *= 2) {
        float other = __shfl_up_sync(ALL, joined, step);
        if (!many && lane - step >= start)
            joined += other;
    }
    float left = __shfl_up_sync(ALL, joined, 1);
    if (many) {
        float whole = head + (lane > 0 ? left : 0);
        if (before)
            y[first_row + head_row] = whole;
        else
            atomicAdd(&y[first_row + head_row], whole);
    }
    if (lane == WARP - 1 && first_row + row < rows)
        atomicAdd(&y[first_row + row], joined);
}

/* ---- elements in order of their columns ------------------------------------------------------------------------- */

enum { RANGES = 4096 }; // of columns, in whose order the elements of a chunk are put

// Ahead of time: a block per CHUNK rows puts their elements in order of the range that their columns are in.
extern "C" __global__ void __launch_bounds__(1024)
    sort_columns(int *sorted_columns, float *sorted_values, unsigned short *sorted_rows, const int *starts, const int *columns,
                 const float *values, int rows)
{
    __shared__ int counts[RANGES];
    int first_row = blockIdx.x * CHUNK, end_row = min(rows, first_row + CHUNK), width = (rows + RANGES - 1) / RANGES;
    int from = starts[first_row], to = starts[end_row], t = threadIdx.x;
    for (int i = t; i < RANGES; i += 1024)
        counts[i] = 0;
    __syncthreads();
    for (int i = from + t; i < to; i += 1024)
        atomicAdd(&counts[columns[i] / width], 1);
    __syncthreads();
    if (t == 0) {
        for (int i = 0, before = from; i < RANGES; i++) {
            int count = counts[i];
            counts[i] = before;
            before += count;
        }
    }
    __syncthreads();
    for (int r = first_row + t / WARP; r < end_row; r += 1024 / WARP) {
        for (int i = starts[r] + t % WARP; i < starts[r + 1]; i += WARP) {
            int at = atomicAdd(&counts[columns[i] / width], 1);
            sorted_columns[at] = columns[i];
            sorted_values[at] = values[i];
            sorted_rows[at] = (unsigned short)(r - first_row);
        }
    }
}

// The chunk of element i: the last one that begins at or before it.
static __device__ int chunk_of(const int *starts, int chunks, int i)
{
    int low = 0, high = chunks;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (starts[middle * CHUNK] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// A block has as many elements as any other, of one chunk or several. Shared memory: CHUNK sums.
extern "C" __global__ void __launch_bounds__(BLOCK)
    sorted_spmv(float *y, const int *starts, const int *sorted_columns, const float *sorted_values,
                const unsigned short *sorted_rows, const float *x, int rows, int elements)
{
    extern __shared__ float sums[];
    int from = (int)((long long)elements * blockIdx.x / gridDim.x), t = threadIdx.x;
    int to = (int)((long long)elements * (blockIdx.x + 1) / gridDim.x);
    for (int chunk = chunk_of(starts, (rows + CHUNK - 1) / CHUNK, from); from < to; chunk++) {
        int count = min(CHUNK, rows - chunk * CHUNK), end = min(to, starts[chunk * CHUNK + count]);
        if (end <= from)
            continue;
        for (int r = t; r < count; r += BLOCK)
            sums[r] = 0;
        __syncthreads();
        for (int first = from; first < end; first += BLOCK * FLIGHT) {
            int column[FLIGHT];
            float value[FLIGHT];
            unsigned short row[FLIGHT];
#pragma unroll
            for (int f = 0; f < FLIGHT; f++) {
                int i = first + f * BLOCK + t;
                column[f] = i < end ? __ldcs(sorted_columns + i) : 0;
                value[f] = i < end ? __ldcs(sorted_values + i) : 0;
                row[f] = i < end ? __ldcs(sorted_rows + i) : 0;
            }
#pragma unroll
            for (int f = 0; f < FLIGHT; f++)
                value[f] *= __ldg(x + column[f]);
#pragma unroll
            for (int f = 0; f < FLIGHT; f++)
                if (first + f * BLOCK + t < end)
                    atomicAdd(&sums[row[f]], value[f]);
        }
        __syncthreads();
        for (int r = t; r < count; r += BLOCK)
            if (sums[r] != 0)
                atomicAdd(&y[chunk * CHUNK + r], sums[r]);
        __syncthreads();
        from = end;
    }
}
