package import HarkCore
package import HarkWire

/// The progress of a lane, and the counts of all records it has passed. Pure, and stored.
///
/// All records for the lane since it began are accepted, dropped or pending, at any time.
package struct LaneProgress: Sendable, Equatable {
    package typealias Drop = DropReason

    /// Everything up to this number is done.
    package var cursor: UInt64
    /// The lane began after this number; earlier records are not its own.
    package let first: UInt64
    /// Records beyond the cursor that are done.
    package private(set) var done: Set<UInt64> = []
    /// Removed sessions with records beyond the cursor, by row, with the last of those records; they are counted.
    package private(set) var removed: [Int64: UInt64] = [:]
    /// The counted tries of records beyond the cursor.
    package private(set) var attempts: [UInt64: Int] = [:]
    /// Ranges of the log that the lane skips, because it was off.
    package private(set) var skips: [ClosedRange<UInt64>] = []
    /// The number since which the lane is off.
    package private(set) var pausedAt: UInt64?
    package private(set) var accepted = 0
    package private(set) var dropped: [Drop: Int] = [:]

    package init(cursor: UInt64) {
        self.cursor = cursor
        first = cursor
    }

    package mutating func accept(_ sequences: some Sequence<UInt64>) {
        for sequence in sequences where done.insert(sequence).inserted { accepted += 1 }
    }

    /// Notes that the next `count` records of the lane after the cursor were accepted, up to this number.
    mutating func acceptNext(_ count: Int, upTo last: UInt64) {
        accepted += count
        cursor = max(cursor, last)
        forgetPassed()
    }

    package mutating func drop(_ sequence: UInt64, _ reason: Drop) {
        if done.insert(sequence).inserted { dropped[reason, default: 0] += 1 }
    }

    /// Counts a failed try. Returns the number of tries.
    package mutating func countAttempt(of sequence: UInt64) -> Int {
        attempts[sequence, default: 0] += 1
        return attempts[sequence] ?? 0
    }

    /// Turns the lane on or off; while it is off, records after `newest` are skipped.
    mutating func turn(on isOn: Bool, at newest: UInt64) {
        if isOn { goOn(at: newest) } else { pause(at: newest) }
    }

    /// Skips records after `newest` until `goOn`.
    package mutating func pause(at newest: UInt64) {
        if pausedAt == nil { pausedAt = newest }
    }

    package mutating func goOn(at newest: UInt64) {
        if let pausedAt, pausedAt < newest { skips.append(pausedAt + 1...newest) }
        pausedAt = nil
    }

    /// All skipped ranges, including the current one.
    package var leftOut: [ClosedRange<UInt64>] {
        skips + (pausedAt.map { [$0 + 1...UInt64.max] } ?? [])
    }

    /// Counts the pending records of a removed session that were not counted before; the log no longer returns them.
    package mutating func remove(session row: Int64, waiting count: Int, upTo last: UInt64) {
        guard last > cursor, last > removed[row, default: 0] else { return }
        removed[row] = last
        noteRemoved(count)
    }

    /// Forgets removed sessions except these, which still have records in the log.
    package mutating func forgetSwept(except rows: Set<Int64>) {
        removed = removed.filter { rows.contains($0.key) }
    }

    /// Counts records that were removed before they were delivered.
    package mutating func noteRemoved(_ count: Int) {
        if count > 0 { dropped[.removed, default: 0] += count }
    }

    /// Corrects the count of accepted records by the number that the server rejected later.
    package mutating func noteRefused(_ count: Int) {
        let count = min(count, accepted)
        guard count > 0 else { return }
        accepted -= count
        dropped[.refused, default: 0] += count
    }

    /// Counts a dead letter as accepted.
    package mutating func redeem(_ reason: Drop) {
        accepted += 1
        dropped[reason, default: 1] -= 1
        if dropped[reason] == 0 { dropped[reason] = nil }
    }

    /// Moves the cursor over records that are done.
    /// - Parameters:
    ///   - sequences: The records after the cursor, in order, without a gap.
    ///   - end: The end of the range; the lane has no other records between the last of them and this number.
    package mutating func advance(over sequences: some Sequence<UInt64>, to end: UInt64) {
        let before = cursor
        defer { if cursor > before { forgetPassed() } }
        for sequence in sequences where sequence > cursor {
            guard done.contains(sequence) else { return }
            cursor = sequence
        }
        cursor = max(cursor, end)
    }

    /// Adapts to a log that ends earlier than the stored progress.
    package mutating func comeBack(to newest: UInt64) {
        cursor = min(cursor, newest)
        done = done.filter { $0 <= newest }
        removed = removed.filter { $0.value <= newest }
        attempts = attempts.filter { $0.key <= newest }
        skips.removeAll { $0.upperBound > newest }
        if let since = pausedAt { pausedAt = min(since, newest) }
    }

    /// Goes back to this number, but not before the lane's beginning; all later records are delivered again.
    mutating func rewind(to sequence: UInt64) {
        cursor = min(cursor, max(sequence, first))
        done = []
    }

    private mutating func forgetPassed() {
        if !done.isEmpty { done = done.filter { $0 > cursor } }
        if !removed.isEmpty { removed = removed.filter { $0.value > cursor } }
        if !attempts.isEmpty { attempts = attempts.filter { $0.key > cursor } }
        if !skips.isEmpty { skips = skips.filter { $0.upperBound > cursor } }
    }
}

extension LaneProgress {
    /// The stored form, without the cursor, which has its own column.
    package var packed: Properties {
        var packed = Properties()
        packed.append("first", .integer(Int64(first)))
        packed.append("accepted", .integer(Int64(accepted)))
        for (reason, count) in dropped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            packed.append("dropped.\(reason.rawValue)", .integer(Int64(count)))
        }
        if let pausedAt { packed.append("pausedAt", .integer(Int64(pausedAt))) }
        for skip in skips { packed.append("skip.\(skip.lowerBound)", .integer(Int64(skip.upperBound))) }
        for (row, last) in removed.sorted(by: { $0.key < $1.key }) {
            packed.append("removed.\(row)", .integer(Int64(last)))
        }
        // Compact, because every commit stores them.
        if !done.isEmpty { packed.append("done", .string(SequenceText.of(done))) }
        for (count, sequences) in Dictionary(grouping: attempts.keys, by: { attempts[$0] ?? 0 }) {
            packed.append("attempts.\(count)", .string(SequenceText.of(sequences)))
        }
        return packed
    }

    package init(cursor: UInt64, packed: Properties) {
        self.cursor = cursor
        first = packed.integer("first").flatMap { UInt64(exactly: $0) } ?? cursor
        for (key, value) in packed.members {
            let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
            if case .string(let text) = value {
                switch (parts.first, parts.dropFirst().first) {
                case ("done", _): done.formUnion(SequenceText.read(text))
                case ("attempts", let count?):
                    if let count = Int(count).map({ min(max($0, 0), Int.max / 2) }) {
                        for sequence in SequenceText.read(text) { attempts[sequence] = count }
                    }
                default: break
                }
            }
            // Half the range is more than ever occurs, and leaves room to count.
            guard case .integer(let signed) = value, (0...Int64.max / 2).contains(signed) else { continue }
            let number = UInt64(signed)
            switch (parts.first, parts.dropFirst().first) {
            case ("accepted", _): accepted = Int(number)
            case ("dropped", let reason?): if let reason = Drop(rawValue: reason) { dropped[reason] = Int(number) }
            case ("pausedAt", _): pausedAt = number
            case ("skip", let from?): if let from = UInt64(from), from <= number { skips.append(from...number) }
            case ("removed", let row?): if let row = Int64(row) { removed[row] = number }
            // One by one, the format of version 0.1.0.
            case ("done", _): done.insert(number)
            case ("attempts", let count?): attempts[number] = Int(count).map { min(max($0, 0), Int.max / 2) }
            default: break
            }
        }
    }
}
