package import HarkWire

/// Readings of the machine's clocks other than the time: set from outside, because the engine reads no clock.
package struct ShowingClock: Sendable {
    /// Milliseconds for which the machine was awake, and for which it slept.
    package var awake: @Sendable () -> Int64 = { 0 }
    package var asleep: @Sendable () -> Int64 = { 0 }
    /// The time zone's name in tzdata, and minutes ahead of UTC at a time.
    package var zone: @Sendable () -> String? = { nil }
    package var offset: @Sendable (Timestamp) -> Int64 = { _ in 0 }

    /// A time zone by its name in tzdata.
    package var namedZone: @Sendable (String) -> LocalZone? = { _ in nil }
    /// Why nothing was done at a past time.
    package var absence: @Sendable (_ at: Timestamp, _ now: Timestamp) -> MissedReason = { _, _ in .off }

    package init() {}
}

/// Measures how long each question of a showing is on screen.
struct Stopwatch: Sendable {
    /// The question on screen; nil: it is not known.
    var question: String?
    var awake: Int64
    var asleep: Int64
}

/// The facts about each showing other than its answers.
extension Engine {
    package mutating func setShowingClock(_ clock: ShowingClock) { surveys.clock = clock }

    /// Notes that a notification of it, by the daemon or a presenter, is on screen.
    package mutating func notify(
        _ id: Identifier, visibleTo uid: UInt32?, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        var presentation = try find(id, visibleTo: uid)
        guard presentation.state.isOpen else { throw presentation.closedError }
        guard presentation.times.notified == nil else { return presentation }
        if presentation.times.opened == nil { startExpiry(of: &presentation, now: now) }
        presentation.times.notified = now
        // A presentation that is open elsewhere already keeps its surface.
        if presentation.state != .presented { place(&presentation, on: .notification, at: now) }
        put(presentation, into: &changes)
        return presentation
    }

    /// Notes the surface on which it is shown or answered.
    mutating func place(_ presentation: inout Presentation, on surface: Surface, at now: Timestamp) {
        presentation.times.surface = surface
        presentation.times.zone = surveys.clock.zone()
        presentation.times.offsetMinutes = surveys.clock.offset(now)
        guard surface.showsQuestions else { return }
        presentation.times.opened = presentation.times.opened ?? now
    }

    /// Starts to measure the next question.
    mutating func startWatch(for presentation: Presentation, _ content: SurveyContent) {
        guard presentation.times.surface?.showsQuestions ?? false else { return }
        surveys.stopwatches[presentation.id] = Stopwatch(
            question: content.questionnaire.route(presentation.answers).questions.last?.id,
            awake: surveys.clock.awake(), asleep: surveys.clock.asleep())
    }

    /// Adds the elapsed time to the question that was on screen.
    ///
    /// - Parameter next: the question that is on screen from now on.
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
