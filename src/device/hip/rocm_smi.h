// Telemetry of AMD's GPUs by librocm_smi64 (ROCm 5 to 7): what rocm_smi.c and its test share.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_HIP_ROCM_SMI_H
#define RIDGE_DEVICE_HIP_ROCM_SMI_H

#include "device/hip/hip.h"

// AMD's numbers (rocm_smi.h), the same from ROCm 5 on.
enum { SMI_DONE = 0, SMI_CLOCK_SYSTEM = 0, SMI_CLOCK_MEMORY = 4 };
enum { SMI_EDGE = 0, SMI_JUNCTION = 1, SMI_MEMORY = 2 }; // sensors of temperature
enum { SMI_TEMPERATURE_NOW = 0, SMI_TEMPERATURE_CRITICAL = 5 };
enum { SMI_VRAM = 0, SMI_BLOCK_MEMORY = 1, SMI_DRIVER = 0 };
enum { SMI_FREQUENCIES_BYTES = 512 }; // more than any version's rsmi_frequencies_t

struct smi_errors { // rsmi_error_count_t
    uint64_t corrected, uncorrected;
};

// MHz now and at most, of what rsmi_dev_gpu_clk_freq_get fills; NAN: not known. ROCm 5 begins with the number of
// frequencies and which of them it is; later ones have a flag before those.
void smi_clock_of(const void *frequencies, double *now, double *most);
// The number that rsmi_dev_pci_id_get gives of "0000:4e:00.0"; false: the text is no PCI address.
bool smi_bdf_of(const char *bus_id, uint64_t *out);

extern const struct telemetry_ops rocm_smi_telemetry;
// A line of `ridge devices`.
void rocm_smi_part(struct parts *p);

#endif
