import Glibc

/// How long the processor worked on something on this thread; a busy machine does not make it longer.
package func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    let start = now()
    try body()
    return now() - start
}

private func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
