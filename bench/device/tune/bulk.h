// Bulk copies between device and shared memory, and the mbarriers they complete (PTX ISA, data movement).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BENCH_BULK_H
#define RIDGE_BENCH_BULK_H

static __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
static __device__ void mbarrier_init(unsigned long long *b, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count)
                 : "memory");
}
static __device__ void mbarrier_fence(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
static __device__ void bulk_load(void *to, const void *from, unsigned bytes, unsigned long long *b)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
                 "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(b))
        : "memory");
}
static __device__ void mbarrier_wait(unsigned long long *b, unsigned parity)
{
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], "
                 "%1;\n@p bra done;\nbra again;\ndone:\n}" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}
static __device__ void bulk_store(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
static __device__ void bulk_store_wait(void)
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
static __device__ void bulk_fence(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif
