package import HarkWire

/// The parts of the log that the times of a rule (`EventMemory.rule`) do not count yet.
///
/// Gaps are ranges of record numbers. A record in no gap was counted when it came, or was read since.
package struct RuleGaps: Sendable, Equatable {
    package struct Gap: Sendable, Equatable {
        /// The records after this one are in the gap,
        package let after: UInt64
        /// up to this one; `UInt64.max`: the rule is not in force, and the gap grows.
        package let through: UInt64
        /// Only events that happened before this time are uncounted; nil: all. Events that are too old for every rule are not
        /// read.
        package let before: Timestamp?

        package init(after: UInt64, through: UInt64, before: Timestamp? = nil) {
            self.after = after
            self.through = through
            self.before = before
        }

        /// Whether rules that look back to a time need some of it; nil: unlimited.
        fileprivate func matters(since: Timestamp?) -> Bool {
            guard let before, let since else { return true }
            return before > since
        }
    }

    /// The most gaps to keep. If there are more, the oldest is forgotten and its events never count: events that count twice
    /// would be worse.
    package static let most = 16
    private static let open = UInt64.max

    /// Ascending and disjoint.
    package private(set) var gaps: [Gap] = []

    /// For a rule that has counted all events.
    package init() {}

    /// For a rule that is not known yet.
    static let unknown = RuleGaps(newAt: open)

    /// For a rule that is new when the log ends with this number.
    init(newAt last: UInt64) { add(Gap(after: 0, through: last)) }

    /// Whether the rule is not in force.
    var isOpen: Bool { gaps.last?.through == RuleGaps.open }

    /// Notes that the rule is no longer in force.
    mutating func leave(at last: UInt64) {
        if !isOpen { add(Gap(after: last, through: RuleGaps.open)) }
    }

    /// Notes that the rule is in force.
    ///
    /// - Parameters:
    ///   - counted: the number up to which events were counted if the rule was in force before.
    ///   - last: the last number of the log.
    mutating func enter(counted: UInt64, last: UInt64) {
        guard isOpen, let open = gaps.popLast() else { return add(Gap(after: counted, through: last)) }
        add(Gap(after: open.after, through: last))
    }

    /// Whether all events of a span that ends now are counted.
    ///
    /// - Parameter span: milliseconds; nil: unlimited.
    func knows(within span: Int64?, at now: Timestamp) -> Bool {
        let since = span.map { now.adding(milliseconds: -$0) }
        return !gaps.contains { $0.matters(since: since) }
    }

    /// The newest gap that rules that look back to a time need, and the time down to which it must be read.
    func next(since: Timestamp?) -> (gap: Gap, since: Timestamp?)? {
        guard let place = gaps.lastIndex(where: { $0.matters(since: since) && $0.through != RuleGaps.open }) else {
            return nil
        }
        let gap = gaps[place]
        // An earlier page was read down to a slightly earlier time; if this page uses that time too, both parts are joined.
        let above = gaps.dropFirst(place + 1).first { $0.after == gap.through }
        guard let since, let read = above?.before, read < since else { return (gap, since) }
        return (gap, read)
    }

    /// Notes that the upper part of a gap was read.
    ///
    /// - Parameters:
    ///   - position: the number up to which it was not read.
    ///   - since: the time down to which events were read; nil: all were.
    mutating func fill(_ gap: Gap, downTo position: UInt64, since: Timestamp?) {
        guard let place = gaps.firstIndex(of: gap) else { return }
        let position = min(max(position, gap.after), gap.through)
        gaps.remove(at: place)
        var rest = [Gap(after: gap.after, through: position, before: gap.before)]
        if let since { rest.append(Gap(after: position, through: gap.through, before: since)) }
        gaps.insert(contentsOf: rest.filter { $0.after < $0.through }, at: place)
        tidy()
    }

    private mutating func add(_ gap: Gap) {
        guard gap.after < gap.through else { return }
        gaps.append(gap)
        tidy()
    }

    /// Joins neighbours, and drops the oldest gaps beyond the limit.
    private mutating func tidy() {
        var joined: [Gap] = []
        for gap in gaps {
            if let last = joined.last, last.through == gap.after, last.before == gap.before,
                gap.through != RuleGaps.open
            {
                joined[joined.count - 1] = Gap(after: last.after, through: gap.through, before: gap.before)
            } else {
                joined.append(gap)
            }
        }
        gaps = joined.suffix(RuleGaps.most)
    }
}

/// The form in the store: 24 bytes per gap, the lowest byte of a number first.
extension RuleGaps {
    private static let width = 24

    package var packed: [UInt8] {
        gaps.flatMap { gap in
            [gap.after, gap.through, UInt64(bitPattern: gap.before?.milliseconds ?? .max)].flatMap { number in
                stride(from: UInt64(0), to: 64, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) }
            }
        }
    }

    /// A gap that is incomplete, or contradicts an earlier one, is left out.
    package init(packed: [UInt8]) {
        func number(at place: Int) -> UInt64 {
            packed[place..<place + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        for start in stride(from: 0, through: packed.count - RuleGaps.width, by: RuleGaps.width).prefix(RuleGaps.most) {
            let before = Int64(bitPattern: number(at: start + 16))
            let gap = Gap(
                after: number(at: start), through: number(at: start + 8),
                before: before == .max ? nil : Timestamp(milliseconds: before))
            guard gap.after < gap.through, gaps.last.map({ $0.through <= gap.after }) ?? true else { continue }
            gaps.append(gap)
        }
    }
}
