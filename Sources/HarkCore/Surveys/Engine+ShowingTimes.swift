package import HarkWire

/// What the machine's clocks say beside the time: set from outside, as the engine reads no clock.
package struct ShowingClock: Sendable {
    /// Milliseconds that go on while the machine is awake, and those that it has slept.
    package var awake: @Sendable () -> Int64 = { 0 }
    package var asleep: @Sendable () -> Int64 = { 0 }
    /// The time zone's name in tzdata, and minutes ahead of UTC at a time.
    package var zone: @Sendable () -> String? = { nil }
    package var offset: @Sendable (Timestamp) -> Int64 = { _ in 0 }

    /// A time zone by its name in tzdata.
    package var namedZone: @Sendable (String) -> LocalZone? = { _ in nil }
    /// Why nothing was done at a time that has passed.
    package var absence: @Sendable (_ at: Timestamp, _ now: Timestamp) -> MissedReason = { _, _ in .off }

    package init() {}
}

/// Measures how long the questions of a showing are before somebody.
struct Stopwatch: Sendable {
    /// The question that is; nil: it is not known which.
    var question: String?
    var awake: Int64
    var asleep: Int64
}

/// What is noted of each showing beside its answers.
extension Engine {
    package mutating func setShowingClock(_ clock: ShowingClock) { surveys.clock = clock }

    /// The daemon's notification of it, or one of a presenter that shows notifications, is before the person.
    package mutating func notify(
        _ id: Identifier, visibleTo uid: UInt32?, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        var presentation = try find(id, visibleTo: uid)
        guard presentation.state.isOpen else { throw presentation.closedError }
        guard presentation.times.notified == nil else { return presentation }
        if presentation.times.opened == nil { startExpiry(of: &presentation, now: now) }
        presentation.times.notified = now
        // One that is open elsewhere already stays where it is.
        if presentation.state != .presented { place(&presentation, on: .notification, at: now) }
        put(presentation, into: &changes)
        return presentation
    }

    /// It is shown, or answered without that, in such a place.
    mutating func place(_ presentation: inout Presentation, on surface: Surface, at now: Timestamp) {
        presentation.times.surface = surface
        presentation.times.zone = surveys.clock.zone()
        presentation.times.offsetMinutes = surveys.clock.offset(now)
        guard surface.showsQuestions else { return }
        presentation.times.opened = presentation.times.opened ?? now
    }

    /// From here on the question that is asked next is before somebody.
    mutating func startWatch(for presentation: Presentation, _ content: SurveyContent) {
        guard presentation.times.surface?.showsQuestions ?? false else { return }
        surveys.stopwatches[presentation.id] = Stopwatch(
            question: content.questionnaire.route(presentation.answers).questions.last?.id,
            awake: surveys.clock.awake(), asleep: surveys.clock.asleep())
    }

    /// Adds what has gone by to the question that was before somebody.
    ///
    /// - Parameter next: which question is, from now on.
    mutating func lap(_ presentation: inout Presentation, next: String? = nil) {
        guard let watch = surveys.stopwatches[presentation.id] else { return }
        let (awake, asleep) = (surveys.clock.awake(), surveys.clock.asleep())
        if let question = watch.question {
            presentation.times.change(question) { $0.shown = $0.shown &+ max(0, awake &- watch.awake) }
        }
        presentation.times.asleep = presentation.times.asleep &+ max(0, asleep &- watch.asleep)
        surveys.stopwatches[presentation.id] = Stopwatch(question: next, awake: awake, asleep: asleep)
    }
}
