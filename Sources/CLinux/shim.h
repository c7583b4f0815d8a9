// Calls of the C library that Swift's Glibc module does not have.
#ifndef HARK_CLINUX_SHIM_H
#define HARK_CLINUX_SHIM_H

#include <asm/byteorder.h>
#include <asm/socket.h>
#include <asm/unistd.h>
#include <getopt.h>
#include <libintl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timex.h>

// Behind _GNU_SOURCE, which comes too late for a module that is built once.
int syncfs(int fd);
int pipe2(int ends[2], int flags);
int malloc_trim(unsigned long pad);
long syscall(long number, ...);
static inline int hark_pidfd_open(int pid) { return (int)syscall(__NR_pidfd_open, pid, 0u); }
int ioctl(int fd, unsigned long request, ...);
int memfd_create(const char *name, unsigned flags);
// Without its header, which would make SOCK_STREAM and its like this module's in the eyes of Swift.
int getsockopt(int fd, int level, int name, void *value, unsigned *length);
int setsockopt(int fd, int level, int name, const void *value, unsigned length);
int prlimit(int pid, int resource, const void *limit, void *old);
// `time` points to a struct tm.
char *strptime(const char *text, const char *format, void *time);

// Whether the kernel says that a time server keeps its clock; 0 also where it may not be asked.
static inline int hark_clock_is_synchronized(void) {
    struct timex state = {0};
    int told = adjtimex(&state);
    return told >= 0 && told != TIME_ERROR && !(state.status & STA_UNSYNC);
}

// getopt's variables are C globals, which Swift cannot know to be used by one thread only. `hark` has one thread.
static inline void hark_getopt_begin(void) {
    optind = 0;  // glibc: forget where an earlier parse was
    opterr = 0;  // the tool says itself what is wrong
}
static inline int hark_getopt_index(void) { return optind; }
static inline int hark_getopt_unknown(void) { return optopt; }
static inline char *hark_getopt_value(void) { return optarg; }

// struct sched_attr of sched_setattr(2), in the first version of its layout; the header with it is not in every libc.
struct hark_sched_attributes {
    unsigned size, policy;
    unsigned long long flags;
    int nice;
    unsigned priority;
    unsigned long long runtime, deadline, period;
};

// How long the turns of the calling thread are, in nanoseconds; 0 where the kernel does not say.
static inline unsigned long long hark_turn_length(void) {
    struct hark_sched_attributes attributes = {0};
    return syscall(__NR_sched_getattr, 0, &attributes, sizeof attributes, 0u) == 0 ? attributes.runtime : 0;
}

// Asks for short turns for the calling thread, in nanoseconds. From Linux 6.12 on a thread that asks for less at a time is served
// sooner when it wakes beside one that is busy, and gets no more of the processor for it; what is older takes no notice.
static inline int hark_take_short_turns(unsigned long long nanoseconds) {
    struct hark_sched_attributes attributes = {0};
    if (syscall(__NR_sched_getattr, 0, &attributes, sizeof attributes, 0u) != 0) return -1;
    // Neither SCHED_OTHER nor SCHED_BATCH: somebody has set this up in another way.
    if (attributes.policy != 0 && attributes.policy != 3) return 0;
    attributes.size = sizeof attributes;
    attributes.runtime = nanoseconds;
    return (int)syscall(__NR_sched_setattr, 0, &attributes, 0u);
}

// Sets how long a file that another process writes may become; `limit` points to a struct rlimit.
static inline int hark_limit_file_size(int pid, const void *limit) {
    enum { file_size = 1 };  // RLIMIT_FSIZE
    return prlimit(pid, file_size, limit, 0);
}

// Sets how much of the processor another process may use, in seconds; it is killed then.
static inline int hark_limit_processor_time(int pid, unsigned long seconds) {
    enum { processor_time = 0 };  // RLIMIT_CPU
    struct rlimit limit = {seconds, seconds};
    return prlimit(pid, processor_time, &limit, 0);
}

// SIG_IGN is a macro with a cast, which Swift cannot read.
static inline int hark_is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, 0, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Of the routes that change, lets only default routes (of length 0) through, and dumps whole: hosts of containers and
// routers change thousands of others, and each would wake the process up.
static inline int hark_netlink_ignore_lesser_routes(int fd) {
    enum { type = 4, flags = 6, length = sizeof(struct nlmsghdr) + 1 };  // offsets of nlmsg_type, nlmsg_flags, rtm_dst_len
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, type),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __cpu_to_be16(RTM_NEWROUTE), 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __cpu_to_be16(RTM_DELROUTE), 0, 4),
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, flags),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, __cpu_to_be16(NLM_F_MULTI), 2, 0),
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, length),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

// How many bytes a TCP connection has brought, less those that nobody has read yet; -1 if that is not told. By offset, as the
// C library's struct tcp_info ends before tcpi_bytes_received and the kernel's header cannot stand beside it.
static inline long long hark_tcp_bytes_read(int fd) {
    enum { tcp = 6, tcp_info = 11, bytes_received = 128 / sizeof(unsigned long long), unread = 0x541B };
    unsigned long long info[bytes_received + 1] = {0};
    unsigned length = sizeof info;
    int waiting = 0;
    if (getsockopt(fd, tcp, tcp_info, info, &length) || length < sizeof info || ioctl(fd, unread, &waiting)) return -1;
    return (long long)info[bytes_received] - waiting;
}

#endif
