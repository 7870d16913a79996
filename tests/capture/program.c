// A program for the fake driver: doubles 64 floats on the GPU, three times by a launch and twice by a graph, prints the
// sum, and ends as its argument says: an exit status, `kill`, `abort`, `fork` (a child that ends by itself) or `child` (one
// that uses the GPU, started before). `together`: input and output lie in one allocation, as those of PyTorch do.
// `many`: 400,000 launches more, faster than any GPU's. `graphs`: 999 graphs more, and one that fails. `captures`: a graph that is captured, ten times. `threads`: 40,000 launches by four threads. `asks`: it asks the driver for its functions. `ranges`: it names what it does by NVTX. `factor`: it sets the module's variable of that name to 3.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *driver;

static bool asks; // for functions by cuGetProcAddress, as CUDA's runtime does

static void *named_by_driver(const char *name)
{
    int (*get)(const char *, void **, int, uint64_t, int *), status;
    void *found = NULL;
    if (!asks)
        return dlsym(driver, name);
    *(void **)&get = dlsym(driver, "cuGetProcAddress_v2");
    return get(name, &found, 13000, 0, &status) == 0 ? found : NULL;
}

// Of `twice`, for the simulated GPU.
static const char code[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry twice(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
    ".reg .pred %p; .reg .f32 %f<3>; .reg .b32 %r<6>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.s32 %p, %r5, %r1; @%p bra DONE;\n"
    "cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;\n"
    "mul.wide.s32 %rd5, %r5, 4; add.s64 %rd6, %rd3, %rd5; add.s64 %rd7, %rd4, %rd5;\n"
    "ld.global.f32 %f1, [%rd6]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd7], %f2;\n"
    "DONE: ret;\n}\n";
enum { FRONT_BYTES = 64 }; // the output lies so far within its allocation

/* ---- NVTX, as its headers do it: tables of pointers to functions, filled by what the environment names ------------- */

static int (*push)(const char *), (*pop)(void), (*domain_push)(void *, const void *);
static int (*domain_pop)(void *);
static uint64_t (*start)(const char *);
static void (*end)(uint64_t);
static void *(*domain_create)(const char *), *(*intern)(void *, const char *);

static int table_of(uint32_t module, void (****table)(void), unsigned *count)
{
    static void (**core[16])(void) = {[5] = (void (**)(void)) & start,
                                      [7] = (void (**)(void)) & end,
                                      [9] = (void (**)(void)) & push,
                                      [11] = (void (**)(void)) & pop};
    static void (**core2[16])(void) = {[4] = (void (**)(void)) & domain_push,
                                       [5] = (void (**)(void)) & domain_pop,
                                       [10] = (void (**)(void)) & intern,
                                       [12] = (void (**)(void)) & domain_create};
    *table = module == 1 ? core : core2;
    *count = 16;
    return module == 1 || module == 5;
}

static const void *exported(uint32_t table)
{
    static const struct {
        size_t size_bytes;
        int (*table)(uint32_t, void (****)(void), unsigned *);
    } callbacks = {sizeof callbacks, table_of};
    return table == 1 ? &callbacks : NULL;
}

static void nvtx_open(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    int (*initialize)(const void *(*)(uint32_t)) = NULL;
    if (library)
        *(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
    if (!initialize || initialize(exported) != 1 || !push || !pop || !start || !end ||
        !domain_push || !domain_pop || !domain_create || !intern)
        exit(98);
}

static void work(bool together);
static bool sets_factor, launches_many, launches_graphs, captures, threaded;

static void set_factor(void *module)
{
    const float three = 3;
    uint64_t address = 0;
    size_t bytes = 0;
    int (*get)(uint64_t *, size_t *, void *, const char *), (*in)(uint64_t, const void *, size_t);
    *(void **)&get = named_by_driver("cuModuleGetGlobal_v2");
    *(void **)&in = named_by_driver("cuMemcpyHtoD_v2");
    if (get(&address, &bytes, module, "factor") == 0)
        in(address, &three, sizeof three);
}

static void work_in_ranges(void)
{
    struct {
        uint16_t version, size;
        uint32_t category, colors[2], payload[4];
        int32_t message_type;
        const void *message;
    } named = {.message_type = 3};
    nvtx_open();
    push("before the recorder");
    int (*init)(unsigned);
    *(void **)&init = named_by_driver("cuInit");
    init(0);
    pop();
    void *domain = domain_create("library");
    named.message = intern(domain, "step");
    uint64_t whole = start("whole");
    push("outer");
    push("inner");
    domain_push(domain, &named);
    pop();
    work(false);
    domain_pop(domain);
    pop();
    end(whole);
    end(whole + 1);
    pop();
}

// Launches of nothing by four threads, 10,000 each.
static struct {
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    void *function, **values;
} threads;

static void *launch_nothing(void *unused)
{
    for (int i = 0; i < 10000; i++)
        threads.launch(threads.function, 1, 1, 1, 1, 1, 1, 0, NULL, threads.values, NULL);
    return unused;
}

static void launch_by_threads(void *function, void **values)
{
    pthread_t four[4];
    *(void **)&threads.launch = named_by_driver("cuLaunchKernel");
    threads.function = function;
    threads.values = values;
    for (int i = 0; i < 4; i++)
        if (pthread_create(&four[i], NULL, launch_nothing, NULL) != 0)
            exit(96);
    for (int i = 0; i < 4; i++)
        pthread_join(four[i], NULL);
}

// A graph of two launches, launched ten times.
static void capture(int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, unsigned, void *, void **, void **),
                    int (*launch_graph)(void *, void *), void *function, void **values)
{
    int (*begin)(void *, int), (*end)(void *, void **), (*make)(void **, void *, uint64_t);
    void *graph, *ready;
    *(void **)&begin = named_by_driver("cuStreamBeginCapture_v2");
    *(void **)&end = named_by_driver("cuStreamEndCapture");
    *(void **)&make = named_by_driver("cuGraphInstantiateWithFlags");
    begin(NULL, 0);
    for (int i = 0; i < 2; i++)
        launch(function, 2, 1, 1, 32, 1, 1, 0, NULL, values, NULL);
    end(NULL, &graph);
    make(&ready, graph, 0);
    for (int i = 0; i < 10; i++)
        launch_graph(ready, NULL);
}

static void work(bool together)
{
    int (*init)(unsigned), (*load)(void **, const void *), (*get)(void **, void *, const char *);
    int (*allocate)(uint64_t *, size_t), (*release)(uint64_t);
    int (*in)(uint64_t, const void *, size_t), (*out)(void *, uint64_t, size_t), (*wait_all)(void);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*graph)(void *, void *);
    *(void **)&init = named_by_driver("cuInit");
    *(void **)&load = named_by_driver("cuModuleLoadData");
    *(void **)&get = named_by_driver("cuModuleGetFunction");
    *(void **)&allocate = named_by_driver("cuMemAlloc_v2");
    *(void **)&release = named_by_driver("cuMemFree_v2");
    *(void **)&in = named_by_driver("cuMemcpyHtoD_v2");
    *(void **)&out = named_by_driver("cuMemcpyDtoH_v2");
    *(void **)&launch = named_by_driver("cuLaunchKernel");
    *(void **)&graph = named_by_driver("cuGraphLaunch");
    *(void **)&wait_all = named_by_driver("cuCtxSynchronize");

    float data[64], sum = 0;
    uint64_t a, b = 0, whole;
    int n = 64;
    void *module, *function, *values[] = {&a, &b, &n};
    init(0);
    load(&module, code);
    get(&function, module, "twice");
    if (sets_factor)
        set_factor(module);
    allocate(&a, together ? 3 * sizeof data : sizeof data);
    if (together)
        b = a + 2 * sizeof data;
    else if (allocate(&whole, sizeof data + FRONT_BYTES) == 0)
        b = whole + FRONT_BYTES;
    for (int i = 0; i < n; i++)
        data[i] = (float)i;
    in(a, data, sizeof data);
    for (int i = 0; i < 3; i++)
        launch(function, 2, 1, 1, 32, 1, 1, 0, NULL, values, NULL);
    int none = 0;
    void *nothing[] = {&a, &b, &none};
    for (int i = 0; launches_many && i < 400000; i++)
        launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, nothing, NULL);
    launch(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL); // fails: no launch
    if (threaded)
        launch_by_threads(function, nothing);
    if (captures)
        capture(launch, graph, function, values);
    graph(&n, NULL);
    if (launches_graphs)
        graph(NULL, NULL);
    for (int i = 0; launches_graphs && i < 999; i++)
        graph(&n, NULL);
    out(data, b, sizeof data);
    wait_all();
    release(a);
    for (int i = 0; i < n; i++)
        sum += data[i];
    printf("sum %g\n", (double)sum);
    fflush(stdout);
}

// Until the recorder has what the GPU did; not for ever.
static void wait_for_records(void)
{
    int (*handed_over)(void);
    *(void **)&handed_over = named_by_driver("fakeHandedOver");
    for (int i = 0; i < 3000 && !handed_over(); i++)
        usleep(10000);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "0";
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        return 99;
    sets_factor = strcmp(how, "factor") == 0;
    launches_many = strcmp(how, "many") == 0;
    launches_graphs = strcmp(how, "graphs") == 0;
    threaded = strcmp(how, "threads") == 0;
    captures = strcmp(how, "captures") == 0;
    asks = strcmp(how, "asks") == 0;
    int child = strcmp(how, "child") == 0 ? fork() : 1;
    if (strcmp(how, "ranges") == 0)
        work_in_ranges();
    else
        work(strcmp(how, "together") == 0);
    if (strcmp(how, "kill") == 0 || strcmp(how, "abort") == 0)
        wait_for_records();
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "fork") == 0 && fork() == 0)
        exit(3);
    if (child > 0 && argc > 1)
        wait(NULL);
    return atoi(how);
}
