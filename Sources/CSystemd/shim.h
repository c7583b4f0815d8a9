#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <signal.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>

/* `si_status` is a macro over an anonymous union, which Swift does not import. */
static inline int hark_child_status(const siginfo_t *info) {
    return info->si_status;
}

/* `EPOLLET` is 1u << 31, which Swift imports as a negative constant of no use as a mask. */
static inline unsigned hark_edge_triggered_read(void) {
    return EPOLLIN | EPOLLET;
}

/* prctl is variadic and pthread_setname_np is hidden without _GNU_SOURCE. */
#include <sys/prctl.h>
static inline int hark_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
