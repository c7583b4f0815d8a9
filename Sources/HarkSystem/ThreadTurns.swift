internal import CLinux

/// How the kernel schedules threads of this process among others.
package enum ThreadTurns {
    /// The shortest allowed slice (sched_setattr(2) takes 0.1 to 100 ms).
    private static let short: UInt64 = 100_000

    /// Makes the calling thread run soon after it wakes, even next to busy threads, in exchange for shorter slices. Its
    /// share of the processor is the same. Otherwise a thread that waited for the disk would wait for the end of
    /// another's slice, usually 3 ms. Kernels before Linux 6.12 ignore it; a refusal is ignored too.
    package static func takeShort() { _ = hark_take_short_turns(short) }
}
