// A program for the fake driver: doubles 64 floats on the GPU, three times by a launch and twice by a graph, prints the
// sum, and ends as its argument says: an exit status, `kill`, `abort`, `fork` (a child that ends
// by itself) or `child` (one that
// uses the GPU, started before).
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *driver;

static void *named(const char *name)
{
    return dlsym(driver, name);
}

static void work(void)
{
    int (*init)(unsigned), (*load)(void **, const void *), (*get)(void **, void *, const char *);
    int (*allocate)(uint64_t *, size_t), (*release)(uint64_t);
    int (*in)(uint64_t, const void *, size_t), (*out)(void *, uint64_t, size_t), (*wait_all)(void);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*graph)(void *, void *);
    *(void **)&init = named("cuInit");
    *(void **)&load = named("cuModuleLoadData");
    *(void **)&get = named("cuModuleGetFunction");
    *(void **)&allocate = named("cuMemAlloc_v2");
    *(void **)&release = named("cuMemFree_v2");
    *(void **)&in = named("cuMemcpyHtoD_v2");
    *(void **)&out = named("cuMemcpyDtoH_v2");
    *(void **)&launch = named("cuLaunchKernel");
    *(void **)&graph = named("cuGraphLaunch");
    *(void **)&wait_all = named("cuCtxSynchronize");

    float data[64], sum = 0;
    uint64_t a, b;
    int n = 64;
    void *module, *function, *values[] = {&a, &b, &n};
    init(0);
    load(&module, ".version 8.0 // twice");
    get(&function, module, "twice");
    allocate(&a, sizeof data);
    allocate(&b, sizeof data);
    for (int i = 0; i < n; i++)
        data[i] = (float)i;
    in(a, data, sizeof data);
    for (int i = 0; i < 3; i++)
        launch(function, 2, 1, 1, 32, 1, 1, 0, NULL, values, NULL);
    launch(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL); // fails: no launch
    graph(&n, NULL);
    out(data, b, sizeof data);
    wait_all();
    release(a);
    for (int i = 0; i < n; i++)
        sum += data[i];
    printf("sum %g\n", (double)sum);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "0";
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        return 99;
    int child = strcmp(how, "child") == 0 ? fork() : 1;
    work();
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
