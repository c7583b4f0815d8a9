import HarkWire
import Testing

@testable import HarkCore

/// A stage with a single survey, which has a schedule, and with a clock that the test sets.
struct SamplingStage {
    var stage: Stage
    var surveys: String

    /// 2026-11-23, a Monday, at 07:00 UTC.
    static let start = Timestamp("2026-11-23T07:00:00Z")!
    static let ada = UserKey(uid: Stage.uid, userId: "ada")

    /// - Parameters:
    ///   - schedule: the members of `trigger.schedule`.
    ///   - more: further members of the survey.
    init(_ schedule: String, _ more: String = "") throws {
        surveys = Self.document(schedule, more)
        stage = Stage(try Self.read(surveys))
        stage.now = Self.start
    }

    static func document(_ schedule: String, _ more: String) -> String {
        """
        {"surveys": [{"id": "mood", "title": "T", "message": "M", "options": ["Good", "Bad"],
         "trigger": {"schedule": {\(schedule)}}\(more.isEmpty ? "" : ", " + more)}]}
        """
    }

    static func read(_ text: String) throws -> SurveyConfiguration {
        let read = SurveyConfiguration.read(try JSONDocument(Array(text.utf8), .json).value)
        return try #require(read.configuration, "\(read.issues.errors)")
    }

    /// The errors and then the warnings about a schedule.
    static func issues(_ schedule: String, _ more: String = "") throws -> [String] {
        let document = try JSONDocument(Array(Self.document(schedule, more).utf8), .json).value
        let issues = SurveyConfiguration.read(document).issues
        return (issues.errors + issues.warnings).map {
            "\($0.path.replacing("$.surveys[0].", with: "")): \($0.message)"
        }
    }

    mutating func edit(_ schedule: String, _ more: String = "") throws {
        stage.configure(try Self.read(Self.document(schedule, more)))
    }

    @discardableResult
    mutating func join(
        _ user: UserKey = Self.ada, group: String? = nil, hours: String? = nil
    ) throws -> Enrolment {
        stage.disk.bring(.participant(user, survey: "mood", in: stage.scope), to: &stage.engine)
        defer { stage.step() }
        return try stage.engine.join(
            "mood", user, in: stage.scope,
            Engine.Joining(group: group, hours: hours.flatMap { SamplingWindow(text: $0) }), source: stage.source,
            now: stage.now, into: &stage.changes)
    }

    mutating func leave(_ user: UserKey = Self.ada) throws {
        stage.disk.bring(.participant(user, survey: "mood", in: stage.scope), to: &stage.engine)
        _ = try stage.engine.leave(
            "mood", user, source: stage.source, now: stage.now, into: &stage.changes)
        stage.step()
    }

    mutating func pause(until: Timestamp?) throws {
        stage.disk.bring(.participant(Self.ada, survey: "mood", in: stage.scope), to: &stage.engine)
        _ = try stage.engine.pause(
            "mood", Self.ada, until: until, source: stage.source, now: stage.now, into: &stage.changes)
        stage.step()
    }

    mutating func away(_ id: Identifier, _ reason: MissedReason = .locked) throws {
        stage.disk.bring(.presentation(id), to: &stage.engine)
        _ = try stage.engine.noteAway(id, reason, visibleTo: nil, now: stage.now, into: &stage.changes)
        stage.step()
    }

    mutating func notify(_ id: Identifier) throws {
        stage.disk.bring(.presentation(id), to: &stage.engine)
        _ = try stage.engine.notify(id, visibleTo: nil, now: stage.now, into: &stage.changes)
        stage.step()
    }

    /// Moves the clock as if the machine had been off, and fires everything that is due.
    mutating func skip(to time: String) throws {
        stage.now = try #require(Timestamp(time))
        stage.restart()
        stage.fire()
    }

    mutating func pass(to time: String) throws {
        let end = try #require(Timestamp(time))
        stage.pass(end.milliseconds - stage.now.milliseconds)
    }

    /// A line for each prompt: when it was planned, its state and the reason, such as `23 09:00 expired off`.
    var rows: [String] {
        stage.presentations.filter { $0.times.sampling != nil }.map { row in
            let planned =
                row.times.planned.map { String("\($0)".dropFirst(8).prefix(8)).replacing("T", with: " ") } ?? "?"
            return [planned, row.state.word, row.reason].compactMap(\.self).joined(separator: " ")
        }
    }

    var open: Presentation? { stage.presentations.last { $0.state.isOpen } }
    var enrolment: Enrolment? { stage.disk.enrolments[Self.ada]?[ExactName("mood")] }
}
