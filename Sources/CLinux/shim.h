// Calls of the C library that Swift's Glibc module does not have.
#ifndef HARK_CLINUX_SHIM_H
#define HARK_CLINUX_SHIM_H

#include <getopt.h>
#include <signal.h>
#include <sys/signalfd.h>

// Behind _GNU_SOURCE, which comes too late for a module that is built once.
int syncfs(int fd);
int pipe2(int ends[2], int flags);

// getopt's variables are C globals, which Swift cannot know to be used by one thread only. `hark` has one thread.
static inline void hark_getopt_begin(void) {
    optind = 0;  // glibc: forget where an earlier parse was
    opterr = 0;  // the tool says itself what is wrong
}
static inline int hark_getopt_index(void) { return optind; }
static inline int hark_getopt_unknown(void) { return optopt; }
static inline char *hark_getopt_value(void) { return optarg; }

// SIG_IGN is a macro with a cast, which Swift cannot read.
static inline int hark_is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, 0, &action) == 0 && action.sa_handler == SIG_IGN;
}

#endif
