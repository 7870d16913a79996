// Roofs: kept, read back into a chip's figures; files that cannot be used; the kernels behind them.
// SPDX-License-Identifier: Apache-2.0
#include "device/support.h"

#include <math.h>

static const char h200[] = "NVIDIA H200", driver[] = "CUDA 13.0";

static struct device_info device_of(struct arena *a)
{
    struct error err = {0};
    struct gpu *g = NULL;
    if (!gpu_load(a, "h200", &g, &err))
        fail_msg("%s", err.message);
    return (struct device_info){
        .id = "cuda:0", .name = h200, .driver = driver, .gpu = g, .chip = g};
}

// RIDGE_HOME in a fresh folder; the path of the device's file there.
static const char *make_home(struct arena *a)
{
    assert_int_equal(setenv("RIDGE_HOME", make_folder(a), 1), 0);
    return roofs_path(a, h200, driver);
}

static void write_file(struct arena *a, const char *path, const char *text)
{
    struct error err = {0};
    if (!dir_make(path_dir(a, path), &err) || !file_write(path, text, strlen(text), &err))
        fail_msg("%s", err.message);
}

static void roofs_take(struct arena *a, struct device_info *info)
{
    info->gpu = roofs_of_device(a, info->chip, info->name, info->driver, info->id, &info->warning);
}

static struct device_info take(struct arena *a, const char *text)
{
    struct device_info info = device_of(a);
    write_file(a, make_home(a), text);
    roofs_take(a, &info);
    return info;
}

static void assert_near(double is, double wanted)
{
    if (!(fabs(is - wanted) <= 1e-5 * fabs(wanted)))
        fail_msg("%.9g is not %.9g", is, wanted);
}

/* ---- kept and read back --------------------------------------------------------------------------- */

static void every_roof_survives_the_file(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    const char *path = NULL, *wanted = make_home(&a);
    struct device_info info = device_of(&a);
    struct roofs kept = {.device = h200, .driver = driver, .date = "2026-11-21T03:10:00Z"};
    for (int i = 0; i < ROOF_COUNT; i++) {
        double chip = roof_of_chip(info.chip, (enum roof_id)i);
        kept.value[i] = isnan(chip) ? 1000 : 0.9 * chip;
    }
    if (!roofs_write(&a, &kept, &path, &err))
        fail_msg("%s", err.message);
    assert_string_equal(path, wanted);
    roofs_take(&a, &info);
    assert_null(info.warning);
    assert_ptr_not_equal(info.gpu, info.chip);
    for (int i = 0; i < ROOF_COUNT; i++)
        if (roof_info((enum roof_id)i)->conversion != ROOF_BESIDE)
            assert_near(roof_of_chip(info.gpu, (enum roof_id)i), kept.value[i]);
    arena_release(&a);
}

static void figures_are_put_in_the_chip_s_units(void **state)
{
    struct arena a = {0};
    struct device_info info = take(&a, "device: NVIDIA H200\ndriver: CUDA 13.0\ndate: 2026-11-21\n"
                                       "dram_copy_gbps: 4300\nf32_tflops: 64\nshared_gbps: 33000\n"
                                       "tensor_bf16_mma_tflops: 630\n");
    assert_null(info.warning);
    double ghz = GPU(info.chip, clock_mhz) / 1000, sms = GPU(info.chip, sm_count);
    assert_near(GPU(info.gpu, dram_copy_gbps), 4300);
    assert_near(GPU(info.gpu, f32_lanes_per_cycle), 64000 / (2 * sms * ghz));
    assert_near(GPU(info.gpu, shared_wavefront_cycles), 128 * sms * ghz / 33000);
    assert_string_equal(info.gpu->source[GPU_FIELD_dram_copy_gbps],
                        "measured by ridge probe, 2026-11-21");
    arena_release(&a);
}

static void what_was_not_measured_stays_the_chip_s(void **state)
{
    struct arena a = {0};
    struct device_info info = take(&a, "device: NVIDIA H200\ndriver: CUDA 13.0\ndate: 2026-11-21\n"
                                       "tensor_bf16_mma_tflops: 630\n");
    assert_null(info.warning);
    for (int f = 0; f < GPU_FIELD_COUNT; f++) {
        assert_ptr_equal(info.gpu->source[f], info.chip->source[f]);
        assert_true(isnan(info.chip->value[f]) || info.gpu->value[f] == info.chip->value[f]);
    }
    arena_release(&a);
}

static void no_file_is_nothing_to_speak_of(void **state)
{
    struct arena a = {0};
    struct device_info info = device_of(&a);
    (void)make_home(&a);
    roofs_take(&a, &info);
    assert_null(info.warning);
    assert_ptr_equal(info.gpu, info.chip);
    arena_release(&a);
}

static void each_device_and_driver_has_a_file_of_its_own(void **state)
{
    struct arena a = {0};
    assert_true(str_ends_with(roofs_path(&a, h200, driver), "/roofs/nvidia-h200-cuda-13-0.yaml"));
    assert_true(
        str_ends_with(roofs_path(&a, "../../etc/x", "CUDA 12.4"), "/roofs/etc-x-cuda-12-4.yaml"));
    arena_release(&a);
}

// For runs of the past and what-if: by the device's name, or any of that chip; the newest; broken files
// and other chips' are passed over.
static void roofs_of_a_device_or_a_chip_are_found_again(void **state)
{
    struct arena a = {0};
    struct device_info info = device_of(&a);
    (void)make_home(&a);
    assert_ptr_equal(roofs_known(&a, info.chip, NULL), info.chip); // no folder yet
    write_file(&a, roofs_path(&a, h200, "CUDA 12.4"),
               "device: NVIDIA H200\ndriver: CUDA 12.4\ndate: 2026-01-02\ndram_copy_gbps: 4100\n");
    write_file(&a, roofs_path(&a, h200, driver),
               "device: NVIDIA H200\ndriver: CUDA 13.0\ndate: 2026-11-21\ndram_copy_gbps: 4300\n");
    write_file(&a, roofs_path(&a, "NVIDIA H200 NVL", driver),
               "device: NVIDIA H200 NVL\ndriver: CUDA 13.0\ndate: 2026-11-22\n"
               "dram_copy_gbps: 4000\n");
    write_file(&a, roofs_path(&a, "NVIDIA A100", driver),
               "device: NVIDIA A100\ndriver: CUDA 13.0\ndate: 2026-12-01\ndram_copy_gbps: 1700\n");
    write_file(&a, roofs_path(&a, "broken", driver), "device: [");
    const struct gpu *g = roofs_known(&a, info.chip, h200);
    assert_near(GPU(g, dram_copy_gbps), 4300);
    assert_string_equal(g->source[GPU_FIELD_dram_copy_gbps], "measured by ridge probe, 2026-11-21");
    assert_near(GPU(roofs_known(&a, info.chip, NULL), dram_copy_gbps), 4000);
    assert_ptr_equal(roofs_known(&a, info.chip, "NVIDIA H100"), info.chip);
    arena_release(&a);
}

/* ---- files that cannot be used ----------------------------------------------------------------------- */

static void assert_ignored(const char *text, const char *words)
{
    struct arena a = {0};
    struct device_info info = take(&a, text);
    assert_ptr_equal(info.gpu, info.chip);
    assert_non_null(info.warning);
    if (!strstr(info.warning, words) || !strstr(info.warning, "the measured roofs of cuda:0 are "
                                                              "ignored"))
        fail_msg("'%s' is not in: %s", words, info.warning);
    assert_null(strchr(info.warning, '\n'));
    arena_release(&a);
}

static void damaged_file_is_one_warning_and_ignored(void **state)
{
    static const char head[] = "device: NVIDIA H200\ndriver: CUDA 13.0\ndate: 2026-11-21\n";
    static const struct {
        const char *rest, *words;
    } rows[] = {
        {"dram_read_gbps: [", ".yaml:5:"},
        {"dram_read_gbps: fast\n", ".yaml:4:17: "},
        {"dram_read_gbps: -1\n", "'dram_read_gbps' must be more than zero"},
        {"dram_read_gbps: nan\n", "dram_read_gbps"},
        {"dram_read_gpbs: 4500\n", "did you mean 'dram_read_gbps'?"},
        {"dram_read_gbps: 1\n", "'dram_read_gbps' is 1 GB/s, but its chip has about 4515"},
        {"dram_read_gbps: {value: 4500}\n", "dram_read_gbps"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct arena a = {0};
        assert_ignored(arena_printf(&a, "%s%s", head, rows[i].rest), rows[i].words);
        arena_release(&a);
    }
    assert_ignored("", ".yaml");
    assert_ignored("driver: CUDA 13.0\ndate: 2026-11-21\n", "'device' is missing");
    assert_ignored("device: NVIDIA H100\ndriver: CUDA 13.0\ndate: 2026-11-21\n",
                   "these are the roofs of NVIDIA H100 with CUDA 13.0");
}

/* ---- the kernels --------------------------------------------------------------------------------------- */

static void every_roof_has_a_kernel_with_the_common_arguments(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct code_object code;
    need_compiler(&a, "clang");
    const char *source = data_path(&a, "probe.cu", &err);
    assert_non_null(source);
    struct compile_request request = request_for(source, "clang");
    if (!code_compile(&a, &request, &code, &err))
        fail_msg("%s", err.message);
    double compiled = strtod(strchr(code.arch, '_') + 1, NULL) / 10;
    for (int i = 0; i < ROOF_COUNT; i++) {
        const struct roof_info *r = roof_info((enum roof_id)i);
        if (r->shape == ROOF_LINK || r->cc_least > compiled)
            continue; // no kernel; not for a compiler of this age
        if (strncmp(r->kernel, "probe_wgmma", strlen("probe_wgmma")) == 0 &&
            code.arch[strlen(code.arch) - 1] != 'a')
            continue; // of one architecture only: clang is asked for sm_90, not for sm_90a
        const struct code_kernel *f =
            kernel_find(&a, code.kernels, code.kernel_count, source, r->kernel, NOWHERE, &err);
        if (!f)
            fail_msg("%s", err.message);
        assert_int_equal(f->parameter_count, 4);
    }
    arena_release(&a);
}

static void simulated_device_has_nothing_to_measure(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct device_info info;
    struct roofs roofs;
    assert_true(device_find(&a, "sim:a100", &info, &err));
    assert_false(device_probe(&a, &info, &(struct probe_request){0}, &roofs, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.message, "sim:a100 is simulated: its roofs are those of its chip "
                                        "file, gpus/a100.yaml"));
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_roof_survives_the_file),
        cmocka_unit_test(figures_are_put_in_the_chip_s_units),
        cmocka_unit_test(what_was_not_measured_stays_the_chip_s),
        cmocka_unit_test(no_file_is_nothing_to_speak_of),
        cmocka_unit_test(roofs_of_a_device_or_a_chip_are_found_again),
        cmocka_unit_test(each_device_and_driver_has_a_file_of_its_own),
        cmocka_unit_test(damaged_file_is_one_warning_and_ignored),
        cmocka_unit_test(every_roof_has_a_kernel_with_the_common_arguments),
        cmocka_unit_test(simulated_device_has_nothing_to_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
