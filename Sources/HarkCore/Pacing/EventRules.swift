package import HarkWire

/// The rules whose events are counted, or were, and the parts of the log that each of them does not count yet; loaded when first
/// needed.
struct EventRuleBook: Sendable {
    private(set) var isLoaded: Bool
    /// Whether the rules in force count events. If not, surveys are not known yet, or the store's rules are not loaded.
    private(set) var isCounting = false
    private var gaps: [ExactName: RuleGaps] = [:]
    /// The record number up to which events were counted before this run.
    private let counted: UInt64

    init(counted: UInt64) {
        self.counted = counted
        // An empty log has no events that a rule could lack.
        isLoaded = counted == 0
    }

    mutating func admit(_ stored: [ExactName: RuleGaps]) {
        guard !isLoaded else { return }
        gaps = stored
        isLoaded = true
    }

    /// The parts that a rule in force does not count; nil: not known yet.
    subscript(rule: ExactName) -> RuleGaps? { isCounting ? gaps[rule] : nil }

    /// Makes these rules count from now on, and no others.
    ///
    /// - Parameter last: the number of the newest record.
    /// - Returns: the changed gaps.
    mutating func count(_ inForce: Set<ExactName>, last: UInt64) -> [(rule: ExactName, gaps: RuleGaps)] {
        guard isLoaded else { return [] }
        let counted = isCounting ? last : counted
        var changed: [ExactName: RuleGaps] = [:]
        for rule in inForce {
            var known = gaps[rule] ?? RuleGaps(newAt: last)
            if gaps[rule] != nil { known.enter(counted: counted, last: last) }
            if known != gaps[rule] { changed[rule] = known }
        }
        for (rule, var known) in gaps where !known.isOpen && !inForce.contains(rule) {
            known.leave(at: counted)
            changed[rule] = known
        }
        gaps.merge(changed) { $1 }
        isCounting = true
        return changed.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    mutating func fill(_ reading: PastReading, downTo position: UInt64) -> RuleGaps? {
        guard isCounting, gaps[reading.rule]?.gaps.contains(reading.gap) ?? false else { return nil }
        gaps[reading.rule]?.fill(reading.gap, downTo: position, since: reading.since)
        return gaps[reading.rule]
    }
}

/// A part of the log to read, the newest records first, because a rule does not count it yet.
package struct PastReading: Sendable, Equatable {
    package let rule: ExactName
    /// The name of the events.
    package let name: String
    package let condition: Condition
    package let gap: RuleGaps.Gap
    /// Earlier events need not be read; nil: all must.
    package let since: Timestamp?

    /// Whether it is about the same gap; `since` moves with the time.
    package func isSame(as other: PastReading) -> Bool { rule == other.rule && gap == other.gap }
}

/// An event that was found in the log.
package struct PastEvent: Sendable {
    package let user: UserKey
    package let scope: Scope
    package let at: Timestamp

    package init(_ session: SessionIdentity, at: Timestamp) {
        user = UserKey(session)
        scope = session.scope
        self.at = at
    }
}

/// Counting events that happened before a rule asked for them.
extension Engine {
    /// Makes the rules of the surveys in force count events, once the surveys are known and the store's rules are loaded.
    package mutating func countEvents(into changes: inout Changes) {
        guard knowsSurveys else { return }
        let rules = Set(surveys.configuration.rules.map(\.memory.rule))
        for (rule, gaps) in eventRules.count(rules, last: lastSequence) {
            changes.rows.append(.survey(.putEventRule(gaps, rule: rule)))
        }
    }

    /// The part to read next for a rule in force; nil: all is counted.
    package func pastToRead(now: Timestamp) -> PastReading? {
        for (name, memory) in surveys.configuration.rules {
            let since = memory.within.map { believed(now).adding(milliseconds: -$0) }
            guard let next = eventRules[memory.rule]?.next(since: since) else { continue }
            return PastReading(
                rule: memory.rule, name: name.text, condition: memory.condition, gap: next.gap, since: next.since)
        }
        return nil
    }

    /// Counts the events that were found. The users must have been admitted.
    ///
    /// None of it is worth a sync of the disk: the part of the log is read again after a power cut.
    ///
    /// - Parameters:
    ///   - found: the events of the rule with a number in the gap and above `position`.
    ///   - position: the number up to which the gap was not read.
    package mutating func count(
        _ found: [PastEvent], _ reading: PastReading, downTo position: UInt64, now: Timestamp,
        into changes: inout Changes
    ) {
        guard let memory = surveys.configuration.rules.first(where: { $0.memory.rule == reading.rule })?.memory,
            let gaps = eventRules.fill(reading, downTo: position)
        else { return }
        var times: [UserKey: RecentTimes] = [:]
        for event in found where !isVisitor(event.user, in: event.scope) {
            var known =
                times[event.user] ?? surveys.state(of: event.user)?.eventTimes[memory.rule] ?? RecentTimes()
            known.note(min(event.at, now), keeping: memory.keeping)
            times[event.user] = known
        }
        for (user, times) in times {
            surveys.put(times, of: memory.rule, user)
            changes.appendRepeatable(.survey(.putEventTimes(times, rule: memory.rule, user)))
        }
        changes.appendRepeatable(.survey(.putEventRule(gaps, rule: reading.rule)))
    }
}
