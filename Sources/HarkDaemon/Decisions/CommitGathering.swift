import HarkSystem

/// How long the next commit waits for clients that have just been answered.
///
/// A client that sends, waits for its reply and sends again is back some microseconds after a commit. Were the next to begin
/// with the first that is back, the others would wait for it: they would form groups that take turns, and each commit
/// would be of a part of them. Nobody waits for those who were not answered by the last commit, so one client alone never
/// waits; and nobody waits for longer than a part of what a commit takes. Where what has gathered took the loop as long as a commit
/// takes, it begins at once: the loop deals with the others meanwhile, which saves more than a commit less would.
struct CommitGathering {
    /// Half of what a commit takes, and in microseconds at most so much however slow the disk is.
    private static let longest = 500

    /// Commits that take longer than so many microseconds, or are of more records or bytes, are none of the loop's.
    private static let short = 500
    private static let fewRecords = 128
    private static let fewBytes = 1 << 16

    /// So many bytes of records (`Changes.Row.weight`) cost the loop about a microsecond.
    private static let bytesPerMicrosecond = 256

    /// What a commit takes lately, in microseconds.
    private var usual = 0
    /// So many clients are heard of before the time is up, if all come back that were answered.
    private var expected = 0
    /// The end of the wait, in monotonic microseconds.
    private var end: UInt64 = 0

    /// A commit has ended.
    ///
    /// - Parameters:
    ///   - answered: how many clients were told.
    ///   - waiting: how many wait for the next one already.
    mutating func commitEnded(microseconds: Int, answered: Int, waiting: Int, at now: UInt64) {
        usual += (min(microseconds, 1_000_000) - usual) / 8
        expected = answered + waiting
        end = now &+ UInt64(clamping: min(usual / 2, CommitGathering.longest))
    }

    /// Whether the loop may wait for a commit of so many records itself: two changes of threads take as long as a good disk,
    /// and are more work than the commit.
    func isShort(records: Int, bytes: Int) -> Bool {
        usual > 0 && usual <= CommitGathering.short && records <= CommitGathering.fewRecords
            && bytes <= CommitGathering.fewBytes
    }

    /// A client is gone.
    mutating func clientLeft() { expected = max(0, expected - 1) }

    /// How many microseconds to wait, with so many clients that wait for the next commit, and so many bytes; nil: it may begin.
    func delay(waiting: Int, bytes: Int, at now: UInt64) -> UInt64? {
        guard waiting > 0, waiting < expected, now < end else { return nil }
        return bytes / CommitGathering.bytesPerMicrosecond < usual ? end - now : nil
    }
}
