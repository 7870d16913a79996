#!/usr/bin/env bash
# What the recorder declares of CUPTI and of the driver's calls, held to a CUDA toolkit's headers: sizes, places of
# members, numbers. Without a toolkit it is skipped.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../support/layout.sh"
toolkit_with cupti.h || {
    echo 'skip - no toolkit with headers of CUPTI is here'
    exit 0
}

cat >"$work/layout.c" <<'C'
#include <cuda.h>
#include <cupti.h>
#include "capture/recorder/cupti_min.h"
#include "layout.h"
IS(CUPTI_DONE, CUPTI_SUCCESS);
IS(CUPTI_NO_MORE_RECORDS, CUPTI_ERROR_MAX_LIMIT_REACHED);
IS(CUPTI_OTHER_SUBSCRIBER, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
IS(ACTIVITY_COPY, CUPTI_ACTIVITY_KIND_MEMCPY);
IS(ACTIVITY_FILL, CUPTI_ACTIVITY_KIND_MEMSET);
IS(ACTIVITY_GRAPH, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
IS(ACTIVITY_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
IS(ACTIVITY_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
IS(DOMAIN_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
IS(DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_RESOURCE);
IS(SITE_ENTER, CUPTI_API_ENTER);
IS(SITE_EXIT, CUPTI_API_EXIT);
IS(RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_LOADED);
IS(RESOURCE_MODULE_UNLOAD, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
IS(LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
IS(LAUNCH_ATTRIBUTE_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
#define CALL(id, name, take, when) IS(id, CUPTI_DRIVER_TRACE_CBID_##name);
#include "capture/recorder/calls.def"

#define SPANNED(ours, theirs)                      \
    AT(ours, start_ns, theirs, start);             \
    AT(ours, end_ns, theirs, end);                 \
    AT(ours, device, theirs, deviceId);            \
    AT(ours, context, theirs, contextId);          \
    AT(ours, stream, theirs, streamId);            \
    AT(ours, correlation, theirs, correlationId)
#define KERNEL(theirs)                                     \
    SPANNED(activity_kernel, theirs);                      \
    AT(activity_kernel, registers, theirs, registersPerThread);      \
    AT(activity_kernel, grid[0], theirs, gridX);           \
    AT(activity_kernel, grid[2], theirs, gridZ);           \
    AT(activity_kernel, block[0], theirs, blockX);         \
    AT(activity_kernel, block[2], theirs, blockZ);         \
    AT(activity_kernel, static_shared_bytes, theirs, staticSharedMemory);   \
    AT(activity_kernel, dynamic_shared_bytes, theirs, dynamicSharedMemory); \
    AT(activity_kernel, name, theirs, name);               \
    AT(activity_kernel, node, theirs, graphNodeId);        \
    AT(activity_kernel, graph, theirs, graphId)
#define MOVED(ours, theirs)                        \
    SPANNED(ours, theirs);                         \
    AT(ours, bytes, theirs, bytes)
KERNEL(KERNEL_RECORD);
MOVED(activity_copy, COPY_RECORD);
AT(activity_copy, copy_kind, COPY_RECORD, copyKind);
MOVED(activity_fill, FILL_RECORD);

AT(callback_data, site, CUpti_CallbackData, callbackSite);
AT(callback_data, parameters, CUpti_CallbackData, functionParams);
AT(callback_data, status, CUpti_CallbackData, functionReturnValue);
AT(callback_data, symbol, CUpti_CallbackData, symbolName);
AT(callback_data, kept, CUpti_CallbackData, correlationData);
AT(callback_data, correlation, CUpti_CallbackData, correlationId);
AT(resource_data, descriptor, CUpti_ResourceData, resourceDescriptor);
AT(module_data, module, CUpti_ModuleResourceData, moduleId);
AT(module_data, size_bytes, CUpti_ModuleResourceData, cubinSize);
AT(module_data, image, CUpti_ModuleResourceData, pCubin);

AT(call_launch, function, cuLaunchKernel_params, f);
AT(call_launch, grid[0], cuLaunchKernel_params, gridDimX);
AT(call_launch, block[0], cuLaunchKernel_params, blockDimX);
AT(call_launch, shared_bytes, cuLaunchKernel_params, sharedMemBytes);
AT(call_launch, stream, cuLaunchKernel_params, hStream);
AT(call_launch, parameters, cuLaunchKernel_params, kernelParams);
AT(call_launch, extra, cuLaunchKernel_params, extra);
AT(call_launch, parameters, cuLaunchCooperativeKernel_params, kernelParams);
AT(call_launch_ex, config, cuLaunchKernelEx_params, config);
AT(call_launch_ex, function, cuLaunchKernelEx_params, f);
AT(call_launch_ex, parameters, cuLaunchKernelEx_params, kernelParams);
AT(call_launch_ex, extra, cuLaunchKernelEx_params, extra);
AT(launch_config, grid[0], CUlaunchConfig, gridDimX);
AT(launch_config, block[0], CUlaunchConfig, blockDimX);
AT(launch_config, shared_bytes, CUlaunchConfig, sharedMemBytes);
AT(launch_config, stream, CUlaunchConfig, hStream);
AT(launch_config, attributes, CUlaunchConfig, attrs);
AT(launch_config, attribute_count, CUlaunchConfig, numAttrs);
AT(launch_attribute, id, CUlaunchAttribute, id);
AT(launch_attribute, value, CUlaunchAttribute, value);
_Static_assert(sizeof(struct launch_attribute) == sizeof(CUlaunchAttribute), "launch_attribute");
AT(call_graph_launch, graph, cuGraphLaunch_params, hGraph);
SPANNED(activity_graph, CUpti_ActivityGraphTrace2);
AT(activity_graph, graph, CUpti_ActivityGraphTrace2, graphId);
AT(call_graph_launch, stream, cuGraphLaunch_params, hStream);
#define LOADS(theirs, member) AT(call_load, image, theirs, member)
LOADS(cuModuleLoad_params, fname);
LOADS(cuModuleLoadData_params, image);
LOADS(cuModuleLoadDataEx_params, image);
LOADS(cuModuleLoadFatBinary_params, fatCubin);
LOADS(cuLibraryLoadData_params, code);
LOADS(cuLibraryLoadFromFile_params, fileName);

AT(kernel_node, function, CUDA_KERNEL_NODE_PARAMS_v2, func);
AT(kernel_node, grid[0], CUDA_KERNEL_NODE_PARAMS_v2, gridDimX);
AT(kernel_node, block[0], CUDA_KERNEL_NODE_PARAMS_v2, blockDimX);
AT(kernel_node, shared_bytes, CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes);
AT(kernel_node, kernel, CUDA_KERNEL_NODE_PARAMS_v2, kern);
_Static_assert(sizeof(struct kernel_node) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2), "kernel_node");
#define COPIED(ours, theirs)                        \
    AT(ours, from_type, theirs, srcMemoryType);     \
    AT(ours, to_type, theirs, dstMemoryType);       \
    AT(ours, width_bytes, theirs, WidthInBytes);    \
    AT(ours, height, theirs, Height);               \
    _Static_assert(sizeof(struct ours) == sizeof(theirs), #theirs)
COPIED(copy_2d, CUDA_MEMCPY2D);
COPIED(copy_3d, CUDA_MEMCPY3D);
COPIED(copy_3d, CUDA_MEMCPY3D_PEER);
AT(copy_3d, depth, CUDA_MEMCPY3D, Depth);
_Static_assert(CU_MEMORYTYPE_HOST == 1 && CU_MEMORYTYPE_DEVICE == 2, "kinds of memory (hooks.c)");
_Static_assert(CU_GRAPH_NODE_TYPE_KERNEL == 0 && CU_GRAPH_NODE_TYPE_GRAPH == 4 && CU_GRAPH_NODE_TYPE_CONDITIONAL == 13, "nodes (graphs.c)");
_Static_assert(CUDA_ERROR_NOT_READY == 600 && CU_STREAM_CAPTURE_MODE_RELAXED == 2 && CU_STREAM_NON_BLOCKING == 1, "numbers (sampling.c)");
_Static_assert(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM == 2 && CUDA_ERROR_NOT_FOUND == 500, "numbers (hooks.c)");
_Static_assert((unsigned long)CU_STREAM_PER_THREAD == 2 && (unsigned long)CU_STREAM_LEGACY == 1, "streams (sampling.c)");
C
# Every version of the records that these headers know and that begins as the recorder has it.
failed=0
versions() { # name, the oldest
    sed -nE "s/^\} (CUpti_Activity$1([0-9]+));.*/\2 \1/p" "$cupti"/cupti_activity*.h | sort -n | awk -v least="$2" '$1 >= least { print $2 }'
}
mapfile -t kernels < <(versions Kernel 8)
mapfile -t copies < <(versions Memcpy 5)
mapfile -t fills < <(versions Memset 4)
check() { # kernel, copy, fill
    sides_agree "$1, $2 and $3 begin as the recorder has them" "$work/layout.c" "-DKERNEL_RECORD=$1" "-DCOPY_RECORD=$2" "-DFILL_RECORD=$3" ||
        failed=1
}
((${#kernels[@]} > 0 && ${#copies[@]} > 0 && ${#fills[@]} > 0)) || { echo "not ok - no records in $cupti"; exit 1; }
for k in "${kernels[@]}"; do check "$k" "${copies[0]}" "${fills[0]}"; done
for c in "${copies[@]:1}"; do check "${kernels[0]}" "$c" "${fills[0]}"; done
for f in "${fills[@]:1}"; do check "${kernels[0]}" "${copies[0]}" "$f"; done
# As many parameters as the driver's: of copies and fills, which hooks.def tells.
meta=$(find "$toolkit/include" "$cupti" -name generated_cuda_meta.h | head -n 1)
wrong=0 held=0
while read -r name twin mine; do
    for symbol in "$name" "$name$twin"; do
        theirs=$(awk -v s="typedef struct ${symbol}_params_st {" 'index($0, s) { on = 1; next } on && /^}/ { print n + 0; exit } on { n++ }' "$meta")
        held=$((held + 1))
        [[ $theirs = "$mine" ]] || { echo "# $symbol: $mine parameters, the driver's has ${theirs:-none}"; wrong=$((wrong + 1)); }
    done
done < <(sed -nE 's/^MOVE\((\w+), (\w+), .*, \(([^()]*)\), \(([^()]*)\)\)$/\1 \2 \3/p' "$root/src/capture/recorder/hooks.def" | awk '{ name = $1 " " $2; $1 = $2 = ""; print name, gsub(",", "") + 1 }')
((held >= 58 && wrong == 0)) && echo "ok - copies and fills have the parameters of the driver's ($held)" || { echo "not ok - copies and fills have the parameters of the driver's ($held held, $wrong wrong)"; failed=1; }
# NVTX's, where the toolkit has its headers.
if [[ -e $toolkit/include/nvtx3/nvToolsExt.h ]]; then
    {
        printf '#include <nvtx3/nvToolsExt.h>\n#include "capture/recorder/nvtx_min.h"\n'
        echo '#define AT(ours, member, theirs, their) _Static_assert(offsetof(struct ours, member) == offsetof(theirs, their), #ours " " #member)'
        echo 'AT(nvtx_attributes, message_type, nvtxEventAttributes_t, messageType);'
        echo 'AT(nvtx_attributes, message, nvtxEventAttributes_t, message);'
        echo '_Static_assert(sizeof(struct nvtx_attributes) == sizeof(nvtxEventAttributes_t), "attributes");'
        echo 'AT(nvtx_callbacks, table, NvtxExportTableCallbacks, GetModuleFunctionTable);'
        echo '_Static_assert(TABLE_CALLBACKS == NVTX_ETID_CALLBACKS && MESSAGE_WIDE == NVTX_MESSAGE_TYPE_UNICODE, "numbers");'
        sed -nE 's/^NVTX\(1, ([0-9]+), (\w+)\)/_Static_assert(NVTX_CBID_CORE_\2 == \1 \&\& NVTX_CB_MODULE_CORE == 1, "\2");/p;
                 s/^NVTX\(5, ([0-9]+), (\w+)\)/_Static_assert(NVTX_CBID_CORE2_\2 == \1 \&\& NVTX_CB_MODULE_CORE2 == 5, "\2");/p' \
            "$root/src/capture/recorder/nvtx.def"
    } >"$work/nvtx.c"
    sides_agree "what is declared of NVTX is the toolkit's" "$work/nvtx.c" || failed=1
fi
exit $failed
