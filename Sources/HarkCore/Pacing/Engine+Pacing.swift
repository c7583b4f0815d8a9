internal import HarkWire

/// The effects of events on surveys other than triggering them.
extension Engine {
    /// Notes the time of an event, for the rules about a user's history.
    ///
    /// - Parameters:
    ///   - at: when it happened, at most `now`.
    ///   - work: the cost of this event so far, in comparisons.
    mutating func remember(
        _ event: String, _ property: (String) -> JSONValue?, of user: UserKey, at: Timestamp, now: Timestamp,
        _ work: inout Int, into changes: inout Changes
    ) {
        // Earlier events are in a gap of the rule, and are read from the log.
        guard eventRules.isCounting else { return }
        for memory in surveys.configuration.memories(of: event) {
            work += 1 + memory.condition.comparisons + memory.condition.searching(property)
            guard work <= TriggerWork.most else { return }
            guard memory.condition.holds(property) else { continue }
            var times = surveys.state(of: user)?.eventTimes[memory.rule] ?? RecentTimes()
            times.mend(now)
            times.note(min(at, now), keeping: memory.keeping)
            surveys.put(times, of: memory.rule, user)
            changes.rows.append(.survey(.putEventTimes(times, rule: memory.rule, user)))
        }
    }

    /// Cancels the user's waiting surveys that must not be shown after an event.
    ///
    /// - Parameter at: when the event happened; later surveys are not cancelled.
    mutating func cancel(
        after event: String, _ property: (String) -> JSONValue?, of user: UserKey, at: Timestamp, source: Source,
        now: Timestamp, _ work: inout Int, into changes: inout Changes
    ) {
        let cancelled = surveys.configuration.cancelled(by: event)
        guard !cancelled.isEmpty, let open = surveys.state(of: user)?.open else { return }
        for presentation in open where presentation.prompt == nil && presentation.createdAt <= at {
            guard let rules = cancelled[ExactName(presentation.survey)] else { continue }
            let isMeant = rules.contains { rule in
                work += 1 + rule.event.condition.comparisons + rule.event.condition.searching(property)
                return work <= TriggerWork.most && rule.reaches(presentation) && rule.event.condition.holds(property)
                    && rule.isSame(property, presentation)
            }
            guard isMeant else { continue }
            close(
                presentation, .cancelled, reason: Presentation.eventReason, source: source, now: now, into: &changes)
        }
    }
}

extension CancelRule {
    fileprivate func reaches(_ presentation: Presentation) -> Bool {
        presentation.state != .presented || alsoShown && presentation.answers.isEmpty
    }

    fileprivate func isSame(_ property: (String) -> JSONValue?, _ presentation: Presentation) -> Bool {
        guard !same.isEmpty else { return true }
        let kept = presentation.trigger.lookup(times: same.count)
        return same.allSatisfy { name in
            guard let before = kept(name), let after = property(name) else { return false }
            return Matcher(.eq, before).matches(after)
        }
    }
}
