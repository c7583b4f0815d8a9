// hark-fleet-load: many machines of a fleet in one process, for the step `fleet` of `make bench`. What it is called
// with, and what it says, stands in `Orders.usage`.
import Glibc
import HarkSystem

/// Nanoseconds of the monotonic clock, which is the same in all processes.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func say(_ line: String) {
    print(line)
    // The parent reads a file, in which nothing arrives by itself.
    fflush(nil)
}

func complain(_ message: String) {
    let bytes = Array("hark-fleet-load: \(message)\n".utf8)
    // Nobody is left to tell if stderr is closed.
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

func fail(_ message: String, status: Int32 = 1) -> Never {
    complain(message)
    exit(status)
}

/// A machine has a descriptor, and for a moment a few more.
func raiseDescriptors(for machines: Int) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    let wanted = rlim_t(2 * machines + 1_000)
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = wanted
    limit.rlim_max = max(limit.rlim_max, wanted)
    guard setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else {
        fail("\(machines) machines need \(wanted) open files, which are not allowed (ulimit -n)")
    }
}

guard let orders = Orders(Array(CommandLine.arguments.dropFirst())) else { fail(Orders.usage, status: 64) }
raiseDescriptors(for: orders.machines)
signal(SIGPIPE, SIG_IGN)
DaemonActor.bindToCurrentThread()
let code = DaemonActor.assumeIsolated { () -> Int32 in
    do {
        let loop = try EventLoop()
        let load = try Load(orders, loop: loop)
        load.start()
        return try withExtendedLifetime(load) { try loop.run() }
    } catch {
        fail("\(error)")
    }
}
exit(code)
