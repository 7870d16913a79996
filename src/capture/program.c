// The program runs as it would: its own streams, its own end. Only its environment has more.
// SPDX-License-Identifier: Apache-2.0
#include "capture/program.h"
#include "capture/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char recorder_name[] = "libridge-capture.so";

// Beside the program (a build), in lib/ridge of its installation, or where it was built for.
static const char *recorder_find(struct arena *a, struct error *err)
{
    char *own = realpath("/proc/self/exe", NULL);
    const char *folder = own ? path_dir(a, own) : ".";
    const char *places[] = {
        path_join(a, folder, recorder_name),
        path_join(a, path_join(a, folder, "../lib/ridge"), recorder_name),
        path_join(a, RIDGE_LIBDIR "/ridge", recorder_name),
    };
    free(own);
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (file_exists(places[i]))
            return places[i];
    fail_as(err, ERROR_SYSTEM, NOWHERE,
            "%s is not installed: it is neither in %s nor in ../lib/ridge or %s/ridge: `make "
            "install` puts it there",
            recorder_name, folder, RIDGE_LIBDIR);
    return NULL;
}

bool capture_can_sample(void)
{
#ifdef SAMPLING_CAN
    return true;
#else
    return false;
#endif
}

// Before what the user preloads: the first one's functions are called.
static void preload(const char *recorder)
{
    struct arena a = {0};
    const char *given = getenv("LD_PRELOAD");
    setenv("LD_PRELOAD", given && *given ? arena_printf(&a, "%s:%s", recorder, given) : recorder,
           1);
    setenv("RIDGE_CAPTURE_SAMPLED", "1", 0); // "counts": nothing is timed
    arena_release(&a);
}

// In the child; returns only if the program cannot be started.
static void start(const struct watched_program *p, const char *recorder)
{
    if (p->output_aside)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    setenv("CUDA_INJECTION64_PATH", recorder, 1);
    if (p->sampled)
        preload(recorder);
    else
        setenv("NVTX_INJECTION64_PATH", recorder, 0);
    setenv("RIDGE_CAPTURE_FOLDER", p->folder, 1);
    if (p->cupti)
        setenv("RIDGE_CAPTURE_CUPTI", p->cupti, 0);
    if (p->graphs)
        setenv("RIDGE_CAPTURE_GRAPHS", p->graphs, 1);
    if (p->kernels) {
        setenv("RIDGE_CAPTURE_KERNELS", p->kernels, 1);
        setenv("RIDGE_CAPTURE_LAUNCH", p->launch, 1);
        setenv("RIDGE_CAPTURE_SAVED", p->saved_bytes, 1);
    }
    // execvp takes what it does not change as if it might.
    char *const *argv;
    memcpy(&argv, &p->argv, sizeof argv);
    execvp(argv[0], argv);
}

static int wait_for(pid_t pid)
{
    int ended = 0;
    bool passed_on = false;
    while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
        if (cancel_asked() && !passed_on) {
            kill(pid, SIGTERM);
            passed_on = true;
        }
    return ended;
}

bool capture_program(const struct watched_program *p, int *status, struct error *err)
{
    struct arena a = {0};
    int failed[2], reason = 0;
    enum { BY_SIGNAL = 128 };
    const char *recorder = recorder_find(&a, err);
    if (!recorder) {
        arena_release(&a);
        return false;
    }
    if (getenv("CUDA_INJECTION64_PATH")) {
        arena_release(&a);
        return fail(err, NOWHERE,
                    "CUDA_INJECTION64_PATH is set: another tool listens to this program already; "
                    "unset it");
    }
    if (pipe2(failed, O_CLOEXEC) != 0) {
        arena_release(&a);
        return fail_errno(err, errno, "no pipe for the program");
    }
    pid_t pid = fork();
    if (pid == 0) {
        start(p, recorder);
        reason = errno;
        _exit(write(failed[1], &reason, sizeof reason) == (ssize_t)sizeof reason ? 127 : 126);
    }
    int saved = errno;
    arena_release(&a);
    close(failed[1]);
    bool refused = pid > 0 && read(failed[0], &reason, sizeof reason) == (ssize_t)sizeof reason;
    close(failed[0]);
    if (pid < 0)
        return fail_errno(err, saved, "the program cannot be started");
    int ended = wait_for(pid);
    if (refused)
        return fail(err, NOWHERE, "'%s' cannot be started: %s", p->argv[0], strerror(reason));
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : BY_SIGNAL + WTERMSIG(ended);
    return true;
}
