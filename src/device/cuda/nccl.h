// nccl: collectives of several GPUs, in one process or in one each, by NVIDIA's library, opened at run time.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_CUDA_NCCL_H
#define RIDGE_DEVICE_CUDA_NCCL_H

#include "device/cuda/cuda.h"

struct nccl;
// false: it is not here, or does not start; err says what to do.
bool nccl_open(const int *ordinals, int count, struct nccl **out, struct error *err) CHECK_RESULT;
// As one of several processes, whose GPU is current. Returns when all of them came.
bool nccl_join(const struct exchange_team *team, int count, struct nccl **out,
               struct error *err) CHECK_RESULT;
// For a team, by one of them, which joins it.
bool nccl_meet(unsigned char id[EXCHANGE_ID_BYTES], struct error *err) CHECK_RESULT;
const char *nccl_version_words(const struct nccl *n);
// All of it that is this process's into the devices' streams, as one group. A sum of a type that NCCL has not is an error.
bool nccl_enqueue(struct nccl *n, const struct exchange *e, void *const *streams,
                  struct error *err) CHECK_RESULT;
bool nccl_adds(enum element_type type);
void nccl_close(struct nccl *n); // NULL is fine

#endif
