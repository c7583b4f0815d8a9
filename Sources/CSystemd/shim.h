#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
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

/* What glibc declares for _GNU_SOURCE only, which Swift does not set. */
struct hark_ucred {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pipe2(int[2], int);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

/* Swift takes a global variable of C's for unsafe under threads; this one is only read. */
static inline char *const *hark_environment(void) {
    extern char **environ;
    return environ;
}
