import HarkCore
import HarkTesting
import HarkWire
import Testing

@Suite("Random walks")
struct RandomWalkTests {
    static let users = ["u", "v", nil]
    static let scopes = [Scope(uid: Stage.uid), Scope(uid: Stage.uid, app: "second")]
    static let maxAttempts = 3

    static let surveys: [Survey] = [
        Samples.survey("limited", event: "a") {
            $0.oncePerSession = false
            $0.maxAttempts = maxAttempts
        },
        Samples.survey("delayed", event: "b", delay: Stage.hour) {
            $0.maxAttempts = maxAttempts
            $0.attemptCooldown = 2 * Stage.hour
            $0.oncePerSession = false
        },
        Samples.survey("once", event: "b") { $0.oncePerUser = true },
        Samples.survey("expiring", event: "c", delay: 60_000) {
            $0.oncePerSession = false
            $0.expireAfter = 600_000
            $0.maxAttempts = maxAttempts
        },
        Samples.survey("session", event: "c"),
    ]

    /// The rules that hold between any two steps.
    struct Watch {
        var closed: [Identifier: Presentation] = [:]
        var scheduled: Set<Identifier> = []

        mutating func check(_ stage: inout Stage, _ step: Comment) {
            let all = stage.presentations
            let shown = all.filter { $0.state == .presented }
            #expect(Set(shown.map(\.scope)).count == shown.count, "two are shown in a scope, \(step)")
            for presentation in shown {
                // An anonymous session that began automatically does not say who is there.
                if let current = stage.engine.sessions.current(presentation.scope)?.identity,
                    !(current.isImplicit && current.userId == nil)
                {
                    #expect(UserKey(current) == presentation.user, "shown to another user, \(step)")
                }
            }
            for (user, gatings) in stage.disk.gating {
                for (survey, gating) in gatings where !["once", "session"].contains(survey.text) {
                    #expect(gating.attempts <= maxAttempts, "too many attempts for \(user), \(step)")
                }
            }
            // A survey that becomes ready has reached its time.
            for presentation in all where scheduled.contains(presentation.id) && presentation.state == .ready {
                #expect(presentation.dueAt <= stage.now, "ready too early, \(step)")
            }
            scheduled = Set(all.filter { $0.state == .scheduled }.map(\.id))
            checkDisk(stage, step)
        }

        private mutating func checkDisk(_ stage: Stage, _ step: Comment) {
            let stored = stage.disk.presentations
            for (id, presentation) in closed {
                #expect(stored[id] == presentation, "a closed presentation changed, \(step)")
            }
            for presentation in stored.values {
                #expect(presentation.state.isOpen == (presentation.closedAt == nil), step)
                #expect(presentation.state != .presented || presentation.presentedAt != nil, step)
                if !presentation.state.isOpen { closed[presentation.id] = presentation }
            }
            func records(_ name: String) -> Int { stage.disk.records.count { $0.name == name } }
            #expect(records("survey_presented") == stored.values.count { $0.presentedAt != nil }, step)
            #expect(records("survey_response") == stored.values.count { $0.state == .answered }, step)
            #expect(records("survey_dismissed") == stored.values.count { $0.state == .dismissed }, step)
            // If all changes of a user are committed, the engine's state equals the disk's.
            guard stage.changes.isEmpty else { return }
            for user in users.map({ UserKey(uid: Stage.uid, userId: $0) }) {
                guard let state = stage.engine.surveys.state(of: user) else { continue }
                let open = stage.disk.all.filter { $0.user == user && $0.state.isOpen }
                // Surveys of the same moment may be in another order after a snooze.
                #expect(state.open.sorted { $0.id < $1.id } == open.sorted { $0.id < $1.id }, step)
                #expect(state.gating == stage.disk.gating[user] ?? [:], step)
            }
        }
    }

    /// Performs one step; a refusal of the engine has a fitting reason.
    static func step(_ stage: inout Stage, _ random: inout SplitMix64) throws -> String {
        let scope = scopes.randomElement(using: &random) ?? scopes[0]
        let some = stage.presentations.randomElement(using: &random)?.id ?? Identifier(high: 1, low: 1)
        func attempt(_ name: String, _ body: (inout Stage) throws -> Presentation) -> String {
            do {
                _ = try body(&stage)
            } catch let error as WireError {
                #expect([.conflict, .alreadyClosed, .notFound].contains(error.reason), "\(error)")
            } catch {
                Issue.record(error)
            }
            return name
        }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30:
            let event = ["a", "b", "c"].randomElement(using: &random) ?? "a"
            try stage.record(event, in: scope)
            return "record \(event)"
        case 30..<50:
            return attempt("present") { stage throws in
                try stage.presentNext(in: scope) ?? stage.present(some)
            }
        case 50..<58: return attempt("answer") { try $0.answer(some, option: "Great") }
        case 58..<66: return attempt("dismiss") { try $0.dismiss(some) }
        case 66..<69: return attempt("snooze") { try $0.snooze(some, for: 300_000) }
        case 69..<72: return attempt("release") { try $0.release(some) }
        case 72..<74: return attempt("expire") { try $0.expire(some) }
        case 74..<80:
            try stage.startSession(users.randomElement(using: &random) ?? nil, in: scope)
            return "start a session"
        case 80..<82:
            stage.endSession(in: scope)
            return "end a session"
        case 82..<92:
            stage.pass(Int64.random(in: 0...3 * Stage.hour, using: &random))
            return "time passes"
        case 92..<95:
            stage.restart()
            return "restart"
        case 95..<97:
            stage.setClock(to: stage.now.adding(milliseconds: Int64.random(in: -Stage.day...Stage.day, using: &random)))
            return "the clock is set"
        case 97..<98:
            stage.commit()
            stage.commitsEachStep.toggle()
            return "commit"
        default:
            let kept = surveys.filter { _ in Int.random(in: 0..<10, using: &random) > 0 }
            stage.configure(SurveyConfiguration(kept))
            stage.configure(SurveyConfiguration(surveys))
            return "configure"
        }
    }

    @Test("nothing is shown twice at once, too often or to the wrong user, and nothing is lost", arguments: 0..<150)
    func walk(seed: Int) throws {
        var random = SplitMix64(state: UInt64(seed))
        var stage = Stage(Self.surveys)
        var watch = Watch()
        var log: [String] = []
        for number in 0..<120 {
            log.append(try Self.step(&stage, &random))
            watch.check(&stage, "seed \(seed), step \(number), \(log.suffix(5))")
        }
        // In the end everything falls due and everybody comes and answers: each presentation has one end.
        stage.commit()
        stage.commitsEachStep = true
        stage.pass(30 * Stage.day)
        #expect(stage.presentations(.scheduled).isEmpty)
        for scope in Self.scopes {
            for user in Self.users {
                try stage.startSession(user, in: scope)
                for shown in stage.presentations(.presented) where shown.scope == scope {
                    try stage.dismiss(shown.id)
                }
                while let shown = try stage.presentNext(in: scope) { try stage.answer(shown.id, option: "Poor") }
            }
        }
        watch.check(&stage, "seed \(seed), at the end")
        #expect(stage.presentations.allSatisfy { !$0.state.isOpen })
    }

    @Test("the walks go everywhere: each state is reached")
    func coverage() throws {
        var seen: Set<Presentation.State> = []
        var reasons: Set<String> = []
        for seed in 0..<120 {
            var random = SplitMix64(state: UInt64(seed))
            var stage = Stage(Self.surveys)
            for _ in 0..<200 { _ = try Self.step(&stage, &random) }
            seen.formUnion(stage.presentations.map(\.state))
            reasons.formUnion(stage.presentations.compactMap(\.reason))
        }
        #expect(seen == Set(Presentation.State.allCases))
        #expect(reasons.isSuperset(of: ["surveyRemoved", "answeredElsewhere", "withdrawn", "maxAttempts", "cooldown"]))
    }
}
