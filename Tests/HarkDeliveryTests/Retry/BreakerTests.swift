import HarkCore
import HarkWire
import Testing

@testable import HarkDelivery

/// When a destination may be tried (rows L5, L6): every transition of the breaker.
@Suite struct BreakerTests {
    enum Step: Sendable {
        case ok
        case fail(DeliveryFailure.Kind, retryAfter: Double? = nil)
        /// Seconds; less than 0 for a clock that is set back.
        case pass(Double)
        /// Asks for permission, which must be this.
        case ask(String)
        case abandon, network, hurry, resume, restart
    }

    /// A breaker with its clock, and dice that show 1: each wait is as long as it can be.
    struct Stage {
        var breaker = Breaker()
        var policy = RetryPolicy()
        var now = Timestamp(milliseconds: 1_900_000_000_000)

        mutating func take(_ step: Step) {
            switch step {
            case .ok: breaker.succeed()
            case .fail(let kind, let retryAfter):
                let failure = DeliveryFailure(kind, retryAfter: retryAfter, "\(kind)")
                breaker.fail(failure, policy: policy, now: now, dice: 1)
            case .pass(let seconds): now = now.adding(milliseconds: Int64(seconds * 1_000))
            case .ask(let expected): #expect(ask() == expected, "\(breaker)")
            case .abandon: breaker.abandonProbe(at: now)
            case .network: breaker.networkReturned(at: now)
            case .hurry: breaker.hurry(at: now)
            case .resume: breaker.resume()
            case .restart:
                breaker = Breaker(packed: breaker.packed)
                breaker.restarted(at: now)
            }
        }

        mutating func ask() -> String {
            switch breaker.permission(at: now) {
            case .go: "go"
            case .probe: "probe"
            case .wait(let until): "wait \(Double(until.milliseconds - now.milliseconds) / 1_000)"
            case .no: "no"
            }
        }

        /// State, failures in a row, cause, and the seconds left.
        var summary: String {
            var words = ["\(breaker.state)", "\(breaker.failures)"]
            if let cause = breaker.cause { words.append(cause.rawValue) }
            if let left = breaker.millisecondsLeft(at: now) { words.append("\(Double(left) / 1_000)") }
            return words.joined(separator: " ")
        }
    }

    private static let once: [Step] = [.fail(.network)]
    private static let open = [Step](repeating: .fail(.network), count: 1).flatMap { step in
        [step, .pass(1), .ask("go"), step, .pass(2), .ask("go"), step]
    }
    private static let halfOpen = open + [.pass(4), .ask("probe")]

    struct Row: Sendable, CustomTestStringConvertible {
        let title: String
        let steps: [Step]
        let summary: String
        init(_ title: String, _ steps: [Step], _ summary: String) {
            (self.title, self.steps, self.summary) = (title, steps, summary)
        }
        var testDescription: String { title }
    }

    static let closedRows: [Row] = [
        Row("a new one", [.ask("go")], "closed 0"),
        Row("a success", [.ok, .ask("go")], "closed 0"),
        Row("a failure waits, and nothing passes meanwhile", once + [.ask("wait 1.0")], "waiting 1 failures 1.0"),
        Row("after the wait all may go, not one", once + [.pass(1), .ask("go"), .ask("go")], "closed 1 failures"),
        Row(
            "a millisecond before it, nothing may", once + [.pass(0.999), .ask("wait 0.001")],
            "waiting 1 failures 0.001"),
        Row("a success after the wait ends the row", once + [.pass(1), .ask("go"), .ok], "closed 0"),
        Row(
            "failures on both sides of a success are none in a row",
            once + [.pass(1), .ask("go"), .ok, .fail(.server)], "waiting 1 failures 1.0"),
        Row("the third in a row opens it", open, "open 3 failures 4.0"),
        Row(
            "so do faults of the server",
            [
                .fail(.server), .pass(1), .ask("go"), .fail(.network), .pass(2), .ask("go"), .fail(.server),
            ], "open 3 failures 4.0"),
        Row("what fails together is one failure", once + once + once, "waiting 1 failures 1.0"),
        Row("a success of what else was under way does not end the wait", once + [.ok], "waiting 1 failures 1.0"),
        Row("a refused entry is no failure of the server's", [.fail(.refused), .ask("go")], "closed 0"),
        Row("nor is one too large", [.fail(.tooLarge), .ask("go")], "closed 0"),
        Row("nor one that cannot be sent", [.fail(.unsendable), .ask("go")], "closed 0"),
        Row("nor one given up here", [.fail(.dropped), .ask("go")], "closed 0"),
        Row("a fault of this machine waits, and is no failure in a row", [.fail(.local)], "waiting 0 failures 1.0"),
        Row(
            "a fault of this machine knows how long", [.fail(.local, retryAfter: 30), .ask("wait 30.0")],
            "waiting 0 failures 30.0"),
        Row(
            "faults of this machine never open it",
            [Step](repeating: .fail(.local), count: 1).flatMap { [$0, .pass(1), .ask("go"), $0, .pass(1), .ask("go")] }
                + [.fail(.local), .pass(1), .ask("go"), .fail(.local)],
            "waiting 0 failures 1.0"),
        Row(
            "after them the first failure counts as the first",
            [
                .fail(.local), .pass(1), .ask("go"), .fail(.local), .pass(1), .ask("go"), .fail(.network),
            ], "waiting 1 failures 1.0"),
        Row("a wrong key opens it at once", [.fail(.unauthorized), .ask("wait 1.0")], "open 1 refused 1.0"),
        Row("a quota suspends it", [.fail(.quota), .ask("no")], "suspended 1 quota"),
    ]

    static let retryAfterRows: [Row] = [
        Row(
            "429 opens it for as long as was asked", [.fail(.throttled, retryAfter: 90), .ask("wait 90.0")],
            "open 1 rateLimited 90.0"),
        Row("429 without a word about it waits as after a failure", [.fail(.throttled)], "open 1 rateLimited 1.0"),
        Row(
            "429 that asks for no wait is given a second, not a storm", [.fail(.throttled, retryAfter: 0)],
            "open 1 rateLimited 1.0"),
        Row(
            "nobody is made to wait for more than a day", [.fail(.throttled, retryAfter: 1e12)],
            "open 1 rateLimited 86400.0"),
        Row("what cannot be told either", [.fail(.throttled, retryAfter: .infinity)], "open 1 rateLimited 86400.0"),
        Row(
            "a fault of the server waits for as long as was asked, if that is longer",
            [.fail(.server, retryAfter: 20)], "waiting 1 rateLimited 20.0"),
        Row("and else as after any failure", [.fail(.server, retryAfter: 0.5)], "waiting 1 rateLimited 1.0"),
        Row(
            "after what was asked for comes a probe",
            [
                .fail(.throttled, retryAfter: 90), .pass(90), .ask("probe"), .ask("no"),
            ], "halfOpen 1 rateLimited"),
        Row(
            "429 while it waits holds if it is longer", once + [.fail(.throttled, retryAfter: 60)],
            "open 1 rateLimited 60.0"),
        Row(
            "a failure does not shorten it", [.fail(.throttled, retryAfter: 60), .fail(.network)],
            "open 1 rateLimited 60.0"),
        Row(
            "nor does a longer wait make it one that may be hurried",
            [.fail(.throttled, retryAfter: 60), .fail(.server, retryAfter: 90), .hurry], "open 1 rateLimited 90.0"),
        Row(
            "it may not be hurried", [.fail(.throttled, retryAfter: 60), .hurry, .ask("wait 60.0")],
            "open 1 rateLimited 60.0"),
        Row("nor what a fault asked for", [.fail(.server, retryAfter: 60), .hurry], "waiting 1 rateLimited 60.0"),
        Row("nor ended by the network", [.fail(.throttled, retryAfter: 60), .network], "open 1 rateLimited 60.0"),
        Row("but somebody may resume", [.fail(.throttled, retryAfter: 60), .resume, .ask("go")], "closed 0"),
    ]

    static let probingRows: [Row] = [
        Row("open, nothing passes", open + [.ask("wait 4.0")], "open 3 failures 4.0"),
        Row("then one does, and one only", halfOpen + [.ask("no"), .ask("no")], "halfOpen 3 failures"),
        Row("accepted, it is closed and has forgotten", halfOpen + [.ok, .ask("go")], "closed 0"),
        Row("failed, it waits twice as long", halfOpen + once + [.ask("wait 8.0")], "open 4 failures 8.0"),
        Row("and again", halfOpen + once + [.pass(8), .ask("probe")] + once, "open 5 failures 16.0"),
        Row("a wrong key makes the probe a failure", halfOpen + [.fail(.unauthorized)], "open 4 refused 8.0"),
        Row("429 as well", halfOpen + [.fail(.throttled, retryAfter: 2)], "open 4 rateLimited 2.0"),
        Row("a quota suspends", halfOpen + [.fail(.quota)], "suspended 4 quota"),
        Row(
            "a fault of this machine leaves it open: another probe comes",
            halfOpen + [.fail(.local), .ask("wait 1.0")],
            "open 3 failures 1.0"),
        Row("abandoned, the next may go at once", halfOpen + [.abandon, .ask("probe")], "halfOpen 3 failures"),
        Row("there is none to abandon when it is closed", [.abandon, .ask("go")], "closed 0"),
        Row("nor when it is open", open + [.abandon, .ask("wait 4.0")], "open 3 failures 4.0"),
        Row("hurried, it probes now", open + [.hurry, .ask("probe")], "halfOpen 3 failures"),
        Row("the network is back: it probes now", open + [.network, .ask("probe")], "halfOpen 3 failures"),
        Row(
            "then three tries in vain make it wait for a moment only, and count for nothing",
            open + [
                .network, .ask("probe"), .fail(.unreachable), .ask("wait 0.2"), .pass(0.2), .ask("probe"),
                .fail(.unreachable), .pass(0.2), .ask("probe"), .fail(.unreachable), .ask("wait 0.2"),
            ], "open 3 failures 0.2"),
        Row(
            "but not when the server itself breaks off",
            open + [
                .network, .ask("probe"), .fail(.unreachable), .pass(0.2), .ask("probe"), .fail(.network),
                .ask("wait 8.0"),
            ], "open 4 failures 8.0"),
        Row(
            "the fourth counts again",
            [.network]
                + [Step](repeating: .fail(.unreachable), count: 1).flatMap { step in
                    [step, .pass(0.2), .ask("go"), step, .pass(0.2), .ask("go"), step, .pass(0.2), .ask("go"), step]
                }, "waiting 1 failures 1.0"),
        Row(
            "the network has nothing to do with the server's fault",
            [
                .fail(.server), .network, .ask("wait 1.0"),
            ], "waiting 1 failures 1.0"),
        Row("nor with a probe under way", halfOpen + [.network, .hurry, .ask("no")], "halfOpen 3 failures"),
        Row("resumed, all may go", open + [.resume, .ask("go")], "closed 0"),
        Row("suspended, no time ends it", [.fail(.quota), .pass(1e9), .ask("no")], "suspended 1 quota"),
        Row(
            "nor do success, failure, hurry or network",
            [
                .fail(.quota), .ok, .fail(.network), .fail(.throttled, retryAfter: 5), .hurry, .network, .ask("no"),
            ], "suspended 1 quota"),
        Row("but somebody does", [.fail(.quota), .resume, .ask("go")], "closed 0"),
    ]

    static let clocksRows: [Row] = [
        Row(
            "set back by a day, what is left stays as long as it was",
            open + [
                .pass(1), .pass(-86_400), .ask("wait 4.0"), .pass(4), .ask("probe"),
            ], "halfOpen 3 failures"),
        Row(
            "set back by less than what has passed, it is a longer wait, but no longer than that",
            open + [
                .pass(3), .pass(-2), .ask("wait 3.0"),
            ], "open 3 failures 3.0"),
        Row("set forward, the wait may be over", open + [.pass(86_400), .ask("probe")], "halfOpen 3 failures"),
        Row(
            "set forward and back, it is not for ever",
            [
                .fail(.throttled, retryAfter: 60), .pass(-1e9), .ask("wait 60.0"), .pass(1e9), .ask("probe"),
            ], "halfOpen 1 rateLimited"),
        Row("set back before a new start", open + [.pass(-86_400), .restart, .ask("wait 4.0")], "open 3 failures 4.0"),
    ]

    static let restartsRows: [Row] = [
        Row(
            "closed, with what failed in a row", once + [.pass(1), .ask("go"), .restart, .ask("go")],
            "closed 1 failures"),
        Row("waiting", once + [.pass(0.25), .restart, .ask("wait 0.75")], "waiting 1 failures 0.75"),
        Row("open", open + [.restart, .ask("wait 4.0")], "open 3 failures 4.0"),
        Row(
            "open, and the time passes while nobody runs", open + [.pass(100), .restart, .ask("probe")],
            "halfOpen 3 failures"),
        Row("a probe that nobody heard of any more", halfOpen + [.restart, .ask("probe")], "halfOpen 3 failures"),
        Row(
            "429", [.fail(.throttled, retryAfter: 600), .pass(60), .restart, .ask("wait 540.0")],
            "open 1 rateLimited 540.0"),
        Row(
            "429 is not hurried after it either", [.fail(.throttled, retryAfter: 600), .restart, .hurry],
            "open 1 rateLimited 600.0"),
        Row(
            "nor ended by the network", [.fail(.throttled, retryAfter: 600), .restart, .network],
            "open 1 rateLimited 600.0"),
        Row(
            "the network still ends what its absence made", open + [.restart, .network, .ask("probe")],
            "halfOpen 3 failures"),
        Row("suspended for the quota", [.fail(.quota), .restart, .ask("no")], "suspended 1 quota"),
    ]

    @Test("L5, L6: closed and waiting", arguments: closedRows)
    func closed(_ row: Row) { check(row) }

    @Test("L6: what the server asks for", arguments: retryAfterRows)
    func retryAfter(_ row: Row) { check(row) }

    @Test("L6: open, probing and suspended", arguments: probingRows)
    func probing(_ row: Row) { check(row) }

    @Test("L6: the clock is set", arguments: clocksRows)
    func clocks(_ row: Row) { check(row) }

    @Test("L6: a new start forgets nothing", arguments: restartsRows)
    func restarts(_ row: Row) { check(row) }

    private func check(_ row: Row) {
        var stage = Stage()
        for step in row.steps { stage.take(step) }
        #expect(stage.summary == row.summary)
    }

    @Test("L6: with suspendUntilRestart a 429 ends delivery until the next start, whatever was asked")
    func suspendUntilRestart() {
        var stage = Stage()
        stage.policy.suspendsUntilRestart = true
        for step: Step in [.fail(.throttled, retryAfter: 5), .pass(1e6), .ask("no"), .hurry, .network, .ask("no")] {
            stage.take(step)
        }
        #expect(stage.summary == "suspended 1 rateLimited")
        stage.breaker.configuredAnew(stage.policy, at: stage.now)
        #expect(stage.summary == "suspended 1 rateLimited")
        var other = stage
        other.policy.suspendsUntilRestart = false
        other.breaker.configuredAnew(other.policy, at: other.now)
        #expect(other.summary == "closed 0")
        stage.take(.restart)
        stage.take(.ask("go"))
        #expect(stage.summary == "closed 0")
    }

    @Test("L6: set up anew while the daemon runs, everything else stays as it is, and a probe is nobody's any more")
    func configuredAnew() {
        for (steps, summary) in [
            (Self.once, "waiting 1 failures 1.0"), (Self.open, "open 3 failures 4.0"),
            (Self.halfOpen, "open 3 failures 0.0"), ([.fail(.quota)], "suspended 1 quota"),
            ([.fail(.throttled, retryAfter: 60)], "open 1 rateLimited 60.0"),
        ] {
            var stage = Stage()
            for step in steps { stage.take(step) }
            stage.breaker.configuredAnew(stage.policy, at: stage.now)
            #expect(stage.summary == summary)
        }
    }

    @Test("what went wrong last is remembered until something is accepted")
    func lastFailure() {
        var stage = Stage()
        let failure = DeliveryFailure(.server, status: 503, "has a fault")
        stage.breaker.fail(failure, policy: stage.policy, now: stage.now, dice: 1)
        #expect(stage.breaker.lastFailure == failure)
        stage.take(.restart)
        #expect(stage.breaker.lastFailure == failure)
        stage.take(.pass(1))
        stage.take(.ask("go"))
        #expect(stage.breaker.lastFailure == failure)
        stage.take(.ok)
        #expect(stage.breaker.lastFailure == nil)
    }

    @Test("what a store hands back that no breaker wrote is a closed one, or one that may be tried")
    func foreign() {
        for packed: Properties in [
            .none, Properties([("state", .integer(99))]), Properties([("state", .string("open"))]),
            Properties([("first", .integer(1)), ("done", .integer(7))]),
            Properties([("state", .integer(1)), ("until", .double(1)), ("cause", .integer(3)), ("kind", .string("?"))]),
        ] {
            var breaker = Breaker(packed: packed)
            #expect(breaker.permission(at: Timestamp(milliseconds: 1)) == .go)
        }
    }
}
