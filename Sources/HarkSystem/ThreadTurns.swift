internal import CLinux

/// How the kernel lets threads of this process take turns with others.
package enum ThreadTurns {
    /// As short as they may be (sched_setattr(2) takes 0.1 to 100 ms).
    private static let short: UInt64 = 100_000

    /// Has the calling thread run soon after it wakes, also beside threads that are busy, for which it is interrupted sooner itself.
    /// It gets no more of the processor. A thread that waited for the disk would else wait for the turn of another to end, for
    /// 3 ms as a rule. Kernels before Linux 6.12 take no notice, and one that does not let it leaves all as it is.
    package static func takeShort() { _ = hark_take_short_turns(short) }
}
