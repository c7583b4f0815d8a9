import Foundation

/// A library that a daemon is started with, to have it read another real time than the machine has, which no time server
/// keeps. Timers of the kernel go by the machine's own.
final class JumpedClock {
    private let library: String
    private let days: String

    /// - Parameter files: where the library and the number of days are put.
    init(in files: TemporaryFiles) throws {
        library = files.path("clock.so")
        days = files.path("days")
        try files.write(JumpedClock.source, to: "clock.c")
        try set(days: 0)
        let built = try Child.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, files.path("clock.c")])
        guard built.ending == .exited(0) else { throw Failure("the clock cannot be built: \(built.errors)") }
    }

    /// What a program is run with.
    var variables: [String: String] { ["LD_PRELOAD": library, "HARK_TEST_DAYS": days] }

    /// By how many days the clock is ahead from now on; a program that runs sees it jump.
    func set(days: Int) throws {
        // At one moment, for who reads it meanwhile.
        try Data("\(days)".utf8).write(to: URL(fileURLWithPath: self.days), options: .atomic)
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <sys/timex.h>
        #include <time.h>
        #include <unistd.h>

        static long ahead(void) {
            char text[32] = "";
            int file = open(getenv("HARK_TEST_DAYS"), O_RDONLY | O_CLOEXEC);
            if (file < 0) abort();
            if (read(file, text, sizeof text - 1) < 1) abort();
            close(file);
            return atol(text) * 86400;
        }

        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = (int)syscall(SYS_clock_gettime, clock, time);
            if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += ahead();
            return result;
        }

        int gettimeofday(struct timeval *restrict time, void *restrict zone) {
            struct timespec now;
            (void)zone;
            clock_gettime(CLOCK_REALTIME, &now);
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return 0;
        }

        time_t time(time_t *to) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (to) *to = now.tv_sec;
            return now.tv_sec;
        }

        int adjtimex(struct timex *state) {
            memset(state, 0, sizeof *state);
            state->status = STA_UNSYNC;
            return TIME_ERROR;
        }
        """
}
