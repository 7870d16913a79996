#!/usr/bin/env bash
# What the CUDA backend declares of CUPTI's PC sampling, held to a CUDA toolkit's header: sizes, places of members, numbers. Without
# a toolkit it is skipped.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../support/layout.sh"
toolkit_with cupti_pcsampling.h || {
    echo 'skip - no toolkit with the header of PC sampling is here'
    exit 0
}

cat >"$work/layout.c" <<'C'
#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include "device/cuda/pcsampling.h"
#include "layout.h"
WHOLE(pc_reason_samples, CUpti_PCSamplingStallReason);
AT(pc_reason_samples, samples, CUpti_PCSamplingStallReason, samples);
WHOLE(pc_data, CUpti_PCSamplingPCData);
AT(pc_data, offset, CUpti_PCSamplingPCData, pcOffset);
AT(pc_data, function, CUpti_PCSamplingPCData, functionName);
AT(pc_data, reason_count, CUpti_PCSamplingPCData, stallReasonCount);
AT(pc_data, reasons, CUpti_PCSamplingPCData, stallReason);
AT(pc_data, correlation, CUpti_PCSamplingPCData, correlationId);
WHOLE(pc_buffer, CUpti_PCSamplingData);
AT(pc_buffer, room, CUpti_PCSamplingData, collectNumPcs);
AT(pc_buffer, total, CUpti_PCSamplingData, totalSamples);
AT(pc_buffer, dropped, CUpti_PCSamplingData, droppedSamples);
AT(pc_buffer, count, CUpti_PCSamplingData, totalNumPcs);
AT(pc_buffer, remaining, CUpti_PCSamplingData, remainingNumPcs);
AT(pc_buffer, range, CUpti_PCSamplingData, rangeId);
AT(pc_buffer, data, CUpti_PCSamplingData, pPcData);
AT(pc_buffer, of_others, CUpti_PCSamplingData, nonUsrKernelsTotalSamples);
AT(pc_buffer, full, CUpti_PCSamplingData, hardwareBufferFull);
WHOLE(pc_attribute_value, CUpti_PCSamplingConfigurationInfo);
AT(pc_attribute_value, status, CUpti_PCSamplingConfigurationInfo, attributeStatus);
AT(pc_attribute_value, value.number, CUpti_PCSamplingConfigurationInfo, attributeData.samplingPeriodData.samplingPeriod);
AT(pc_attribute_value, value.whole, CUpti_PCSamplingConfigurationInfo, attributeData.invalidData.data);
AT(pc_attribute_value, value.mode, CUpti_PCSamplingConfigurationInfo, attributeData.collectionModeData.collectionMode);
AT(pc_attribute_value, value.buffer, CUpti_PCSamplingConfigurationInfo, attributeData.samplingDataBufferData.samplingDataBuffer);
_Static_assert(sizeof(struct pc_context) == CUpti_PCSamplingEnableParamsSize, "enable");
_Static_assert(sizeof(struct pc_context) == CUpti_PCSamplingDisableParamsSize, "disable");
_Static_assert(sizeof(struct pc_context) == CUpti_PCSamplingStartParamsSize, "start");
_Static_assert(sizeof(struct pc_context) == CUpti_PCSamplingStopParamsSize, "stop");
AT(pc_context, context, CUpti_PCSamplingEnableParams, ctx);
_Static_assert(sizeof(struct pc_get) == CUpti_PCSamplingGetDataParamsSize, "get");
AT(pc_get, buffer, CUpti_PCSamplingGetDataParams, pcSamplingData);
_Static_assert(sizeof(struct pc_reason_count) == CUpti_PCSamplingGetNumStallReasonsParamsSize, "count");
AT(pc_reason_count, count, CUpti_PCSamplingGetNumStallReasonsParams, numStallReasons);
_Static_assert(sizeof(struct pc_reasons) == CUpti_PCSamplingGetStallReasonsParamsSize, "reasons");
AT(pc_reasons, index, CUpti_PCSamplingGetStallReasonsParams, stallReasonIndex);
AT(pc_reasons, name, CUpti_PCSamplingGetStallReasonsParams, stallReasons);
_Static_assert(sizeof(struct pc_configuration) == CUpti_PCSamplingConfigurationInfoParamsSize, "configuration");
AT(pc_configuration, count, CUpti_PCSamplingConfigurationInfoParams, numAttributes);
AT(pc_configuration, values, CUpti_PCSamplingConfigurationInfoParams, pPCSamplingConfigurationInfo);
IS(PC_PERIOD, CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD);
IS(PC_HARDWARE_BUFFER, CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE);
IS(PC_MODE, CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE);
IS(PC_START_STOP, CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL);
IS(PC_BUFFER, CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER);
IS(PC_CONTINUOUS, CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS);
IS(PC_KERNEL_SERIALIZED, CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED);
IS(PC_REASON_NAME_BYTES, CUPTI_STALL_REASON_STRING_SIZE);
IS(8, CUPTI_ERROR_OUT_OF_MEMORY);
IS(14, CUPTI_ERROR_NOT_COMPATIBLE);
IS(26, CUPTI_ERROR_HARDWARE_BUSY);
IS(27, CUPTI_ERROR_NOT_SUPPORTED);
IS(13, CU_JIT_GENERATE_LINE_INFO);
IS(1, CU_JIT_INPUT_PTX);
IS(13, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
C
sides_agree "what is declared of PC sampling is the toolkit's" "$work/layout.c"
