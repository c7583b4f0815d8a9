import HarkSystem

/// Decides how long the next commit waits for clients that have just been answered.
///
/// A client that sends, waits for its reply and sends again is back some microseconds after a commit. If the next
/// commit began with the first of them, the others would wait: clients would form groups that take turns, and
/// each commit would hold only one group. The wait is only for clients that the last commit answered, so a single client
/// never waits; and only for a part of a commit's duration. If the gathered work took the loop as long as a commit
/// takes, the commit begins at once: meanwhile the loop serves the others, which saves more than one commit less would.
struct CommitGathering {
    /// The longest wait in microseconds, however slow the disk is; usually the wait is half a commit's duration.
    private static let longest = 500

    /// Commits that take longer than these microseconds, or have more records or bytes, do not run on the loop.
    private static let short = 500
    private static let fewRecords = 128
    private static let fewBytes = 1 << 16

    /// The bytes of records (`Changes.Row.weight`) that cost the loop about a microsecond.
    private static let bytesPerMicrosecond = 256

    /// The recent duration of a commit, in microseconds.
    private var usual = 0
    /// The number of clients that are waiting once all that were answered have come back.
    private var expected = 0
    /// The end of the wait, in monotonic microseconds.
    private var end: UInt64 = 0

    /// Notes the end of a commit.
    ///
    /// - Parameters:
    ///   - answered: How many clients were answered.
    ///   - waiting: How many clients wait for the next commit already.
    mutating func commitEnded(microseconds: Int, answered: Int, waiting: Int, at now: UInt64) {
        usual += (min(microseconds, 1_000_000) - usual) / 8
        expected = answered + waiting
        end = now &+ UInt64(clamping: min(usual / 2, CommitGathering.longest))
    }

    /// Whether the loop may run a commit of this size itself: two thread switches take as long as a good disk, and are
    /// more work than the commit.
    func isShort(records: Int, bytes: Int) -> Bool {
        usual > 0 && usual <= CommitGathering.short && records <= CommitGathering.fewRecords
            && bytes <= CommitGathering.fewBytes
    }

    /// Stops waiting for a client that is gone.
    mutating func clientLeft() { expected = max(0, expected - 1) }

    /// The microseconds to wait, given the clients and bytes that wait for the next commit; nil: it may begin.
    func delay(waiting: Int, bytes: Int, at now: UInt64) -> UInt64? {
        guard waiting > 0, waiting < expected, now < end else { return nil }
        return bytes / CommitGathering.bytesPerMicrosecond < usual ? end - now : nil
    }
}
