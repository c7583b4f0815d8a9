#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

/* `si_status` is a macro over an anonymous union, which Swift does not import. */
static inline int hark_child_status(const siginfo_t *info) {
    return info->si_status;
}

/* `EPOLLET` is 1u << 31, which Swift imports as a negative constant of no use as a mask. */
static inline unsigned hark_edge_triggered_read(void) {
    return EPOLLIN | EPOLLET;
}

/* prctl is variadic, and pthread_setname_np is hidden without _GNU_SOURCE. */
static inline int hark_name_thread(const char *name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

/* Has this process told to end (SIGTERM) together with the one that started it. */
static inline void hark_end_with_parent(void) {
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
}

/* What glibc declares for _GNU_SOURCE only, which Swift does not set. */
struct hark_ucred {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pipe2(int[2], int);
extern int execvpe(const char *, char *const[], char *const[]);
extern void closefrom(int);

/* Starts a program as the leader of a process group of its own, with three descriptors as its streams and no others, no
   signal blocked and each with its default action. posix_spawn could do all of that but one thing: the program is told
   to end (SIGTERM) together with the thread that started it, however that ends.

   Returns 0 or an errno value. Between vfork and exec the child borrows our memory, and so does as little as it can. */
static inline int hark_spawn(pid_t *pid, const int streams[3], char *const arguments[], char *const environment[]) {
    sigset_t all, before, none;
    sigfillset(&all);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t parent = getpid();
    volatile int failure = 0;
    const pid_t child = vfork();
    if (child == 0) {
        struct sigaction usual = {.sa_handler = SIG_DFL};
        for (int number = 1; number < NSIG; number++) sigaction(number, &usual, 0);
        int isReady = setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGTERM) == 0;
        /* Who has died before that tells nobody any more. */
        if (isReady && getppid() != parent) _exit(127);
        for (int stream = 0; isReady && stream < 3; stream++) {
            isReady = streams[stream] == stream ? fcntl(stream, F_SETFD, 0) == 0 : dup2(streams[stream], stream) >= 0;
        }
        if (isReady) {
            /* Everything of ours is close-on-exec; this holds for what libraries open, too. */
            closefrom(3);
            sigprocmask(SIG_SETMASK, &none, 0);
            execvpe(arguments[0], arguments, environment);
        }
        failure = errno;
        _exit(127);
    }
    const int outcome = child < 0 ? errno : failure;
    if (child > 0 && outcome != 0) {
        while (waitpid(child, 0, 0) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, 0);
    *pid = child;
    return outcome;
}

/* Swift takes a global variable of C's for unsafe under threads; this one is only read. */
static inline char *const *hark_environment(void) {
    extern char **environ;
    return environ;
}
