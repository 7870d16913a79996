// Asynchronous copies: 16 bytes at a time (compute capability 8.0), and bulk copies between device and
// shared memory with the mbarriers that they complete (9.0). Addresses and sizes of bulk copies are
// multiples of 16 bytes. PTX ISA, "Data movement and conversion instructions".
// SPDX-License-Identifier: Apache-2.0
#ifndef EXPERIMENTS_COMMON_BULK_H
#define EXPERIMENTS_COMMON_BULK_H

static __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ void copy_async_16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
}

// For this thread's own copies.
static __device__ void copy_async_wait(void)
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

static __device__ void mbarrier_init(unsigned long long *b, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals)
                 : "memory");
}

// Initialised mbarriers are seen by the copies that follow.
static __device__ void mbarrier_init_fence(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// One arrival, and `bytes` that the copy brings; the phase ends when all have come.
static __device__ void bulk_load(void *to, const void *from, unsigned bytes, unsigned long long *b)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
                 "[%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}

static __device__ void mbarrier_arrive(unsigned long long *b)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}

// Until the phase of this parity (0, 1, 0 …) has ended.
static __device__ void mbarrier_wait(unsigned long long *b, unsigned parity)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(b)), "r"(parity)
                     : "memory");
}

// What this thread wrote to shared memory is seen by the bulk stores that follow a barrier.
static __device__ void bulk_store_fence(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ void bulk_store(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// The same, of nothing too: a group of its own either way.
static __device__ void bulk_leave(void *to, const void *from, unsigned bytes)
{
    if (bytes > 0)
        bulk_store(to, from, bytes);
    else
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// This thread's bulk stores have read shared memory, or are done.
static __device__ void bulk_store_wait_read(void)
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// All but the last one have read it.
static __device__ void bulk_store_wait_before(void)
{
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
}

static __device__ void bulk_store_wait(void)
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif
