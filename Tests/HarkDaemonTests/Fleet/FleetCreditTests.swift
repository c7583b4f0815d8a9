import Foundation
import HarkCore
import HarkDelivery
import HarkFleet
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger

/// Quotas over a fleet: a hub deals their answers to its machines.
@Suite(.timeLimit(.minutes(45))) struct FleetCreditTests {
    private static func surveys(_ answers: Int) -> String {
        """
        {"surveys":[{"id":"rating","title":"T","message":"?","options":["Yes","No"],"oncePerSession":false,
        "trigger":{"event":{"name":"go"}},"quota":{"answers":\(answers)}}]}
        """
    }

    private static let kiosks = ["kiosk-1", "kiosk-2"].map {
        FleetStage.Kiosk(name: $0)
    }

    @DaemonActor
    private static func push(_ answers: Int, _ stage: FleetStage) async throws {
        try await stage.push(surveys(answers))
        for machine in stage.machines {
            try await eventually("a machine has the survey") {
                try await machine.asker().call("survey.list")["surveys"]?[0]?["quota"]?[0]?.stringValue?
                    .hasPrefix("\(answers) answer") ?? false
            }
            // Surveys from a hub ask an account once a week by default.
            try await machine.asker().call("mute.set", #"{"everySeconds":0}"#)
        }
    }

    /// A new user of the machine triggers the survey.
    @DaemonActor
    private static func go(_ machine: DaemonFixture, _ user: String, app: String = "default") async throws {
        let client = try machine.connect()
        try await client.call("session.start", #"{"userId":"\#(user)","app":"\#(app)"}"#)
        try await client.call("event.record", #"{"name":"go","app":"\#(app)"}"#)
    }

    /// Shows what may be shown; nil: nothing.
    @DaemonActor
    private static func present(_ machine: DaemonFixture, app: String = "default") async throws -> String? {
        let reply = try await machine.asker().ask("survey.present", #"{"app":"\#(app)"}"#)
        return reply["result"]?["survey"]?["presentationId"]?.stringValue
    }

    @DaemonActor
    private static func presented(_ machine: DaemonFixture, app: String = "default") async throws -> String {
        var shown: String?
        try await eventually("the hub lets the machine ask") {
            shown = try await present(machine, app: app)
            return shown != nil
        }
        return try #require(shown)
    }

    @DaemonActor
    private static func answer(_ machine: DaemonFixture, _ id: String) async throws {
        try await machine.asker().call("survey.answer", #"{"presentationId":"\#(id)","option":"Yes"}"#)
    }

    @DaemonActor
    private static func quota(_ machine: DaemonFixture) async throws -> String {
        let checks = try await machine.asker().call("survey.explain", #"{"surveyId":"rating"}"#)["checks"]?.arrayValue
        return checks?.first { $0["check"] == "quota" }?["explanation"]?.stringValue ?? ""
    }

    @Test(
        "two machines ask for two answers together; what one holds is given to the other; the hub records the last one")
    func together() async throws {
        try await FleetStage.run(Self.kiosks) { stage in
            let (one, two) = (stage.machines[0], stage.machines[1])
            try await Self.push(2, stage)
            try await Self.go(one, "ada")
            let first = try await Self.presented(one)
            // The other credits of the first machine are recalled for the second.
            try await Self.go(two, "bob")
            let second = try await Self.presented(two)
            try await Self.go(two, "cyn", app: "other")
            #expect(try await Self.present(two, app: "other") == nil, "both answers are being asked for")
            try await Self.answer(one, first)
            try await eventually("the hub has heard of the first answer") {
                try await Self.quota(one).hasPrefix("2 answers of the fleet: 1 is in, 1 is with machines")
            }
            try await Self.answer(two, second)
            let client = try stage.hub.connect()
            let events = (method: "event.list", params: #"{"name":"survey_quota"}"#)
            try await client.wait(for: events.method, events.params) { $0["events"]?.arrayValue?.count == 1 }
            try await Self.go(one, "dan")
            #expect(try await Self.present(one) == nil)
            // More answers are wanted, and waiting surveys get their turn.
            try await Self.push(3, stage)
            try await Self.answer(two, try await Self.presented(two, app: "other"))
            try await client.wait(for: events.method, events.params) { $0["events"]?.arrayValue?.count == 2 }
        }
    }

    @Test("over restarts on both sides, and while the hub is away, nobody asks for more than was dealt")
    func restarts() async throws {
        try await FleetStage.run(Self.kiosks) { stage in
            let (one, two) = (stage.machines[0], stage.machines[1])
            try await Self.push(1, stage)
            try await Self.go(one, "ada")
            let shown = try await Self.presented(one)
            try await stage.hub.restart {
                // The hub is away: the dealt credits can be used, and no others.
                try await Self.go(two, "bob")
                #expect(try await Self.present(two) == nil)
                try await Self.answer(one, shown)
                try await one.restart()
                #expect(try await Self.quota(one).contains("may not ask before it has heard from the hub"))
            }
            try await stage.serves()
            try await eventually("the hub has heard of the answer") {
                try await Self.quota(two).hasPrefix("1 answer of the fleet: 1 is in, 0 are with machines")
            }
            #expect(try await Self.present(two) == nil)
        }
    }

    @Test(
        "whichever commit of a hub is refused, no machine is told of an answer that the hub does not know to be dealt")
    func refused() async throws {
        try await FleetStage.run([Self.kiosks[0]]) { stage in
            let listener = try await Intruder(stage)
            var dealt = 0
            listener.onMessage = { message in
                guard let word = FleetCreditWord(payload: message.payload) else { return }
                do {
                    let pool = try stage.hub.daemon.ledger.lookUp { reader throws(StoreError) in
                        try reader.creditPool(of: "rating", begins: nil)
                    }
                    let known = pool.holders[CreditPool.Log(machine: "kiosk-1", id: word.log)]?.account[""].dealt ?? 0
                    for credit in word.credits {
                        dealt = max(dealt, credit.cells[""]?.dealt ?? 0)
                        #expect(known >= credit.cells[""]?.dealt ?? 0)
                    }
                } catch { Issue.record(error) }
            }
            try await listener.listen(to: "hark/shop/ack/+")
            // A hub that has begun just now hears its machines before it deals anything.
            try await Self.push(1, stage)
            try await Self.go(stage.machine, "ada")
            try await Self.answer(stage.machine, try await Self.presented(stage.machine))
            var commits: [NthCommit] = []
            repeat {
                let commit = NthCommit(commits.count + 1, lasts: true)
                commits.append(commit)
                try await stage.settle()
                commit.install(in: stage.hub.daemon.ledger.store)
                let watch = Task { @DaemonActor in
                    while !commit.isRefused { try await Task.sleep(for: .milliseconds(1)) }
                    defer { commit.end() }
                    // Nothing is stored before all that was said has reached the listener, which looks into the store.
                    try await listener.said()
                }
                // It is dealt ahead as soon as the machine has heard of it: with the first commit.
                try await Self.push(commits.count + 1, stage)
                var shown: String?
                var users = 0
                try await eventually("the hub lets it ask") {
                    users += 1
                    // A new report makes the hub answer again, as it does not answer a report that it could not store.
                    if users % 100 == 1 { try await Self.go(stage.machine, "u\(commits.count)-\(users)") }
                    shown = try await Self.present(stage.machine)
                    return shown != nil
                }
                try await Self.answer(stage.machine, try #require(shown))
                try await stage.settle()
                watch.cancel()
                try await eventually("the store takes commits") { stage.hub.daemon.ledger.trouble == nil }
            } while commits.last?.isRefused == true && commits.count < 12
            // Dealing and hearing of an answer are two commits, or more.
            #expect(commits.count > 2 && dealt > 2, "\(commits.count), \(dealt)")
            listener.client.close()
        }
    }

    @Test("a copy of a machine's disk under another name holds nothing of what that one was dealt")
    func copied() async throws {
        try await FleetStage.run(Self.kiosks) { stage in
            let (one, two) = (stage.machines[0], stage.machines[1])
            try await Self.push(1, stage)
            try await Self.go(one, "ada")
            _ = try await Self.presented(one)
            try await one.restart { try one.keepState() }
            try await two.restart { try two.takeState(from: one.folder.path + "/copy") }
            try await stage.settle()
            try await Self.go(two, "bob")
            try await eventually("the hub has told it how the fleet stands") {
                try await Self.quota(two).hasPrefix(
                    "1 answer of the fleet: 0 are in, 1 is with machines; this machine has 0 of them to ask for")
            }
            #expect(try await Self.present(two) == nil)
            try await Self.answer(one, try await Self.presented(one))
        }
    }

    @Test("a hub that is set back says so, and deals nothing that a machine holds to another")
    func hubSetBack() async throws {
        try await FleetStage.run(Self.kiosks) { stage in
            let (one, two) = (stage.machines[0], stage.machines[1])
            try await Self.push(1, stage)
            try await stage.settle()
            try await stage.hub.restart { try stage.hub.keepState() }
            try await stage.serves()
            try await Self.go(one, "ada")
            let shown = try await Self.presented(one)
            try await stage.hub.restart { try stage.hub.takeState(from: stage.hub.folder.path + "/copy") }
            try await stage.serves()
            try await Self.go(two, "bob")
            try await eventually("the hub tells of it") {
                try await stage.hub.fleetStatus()["problem"]?.stringValue?.contains(
                    "kiosk-1 was dealt more of the answers that quotas ask for than this hub knows") ?? false
            }
            try await eventually("the other has heard from the hub") {
                try await Self.quota(two).contains("1 is with machines; this machine has 0 of them")
            }
            #expect(try await Self.present(two) == nil)
            try await stage.hub.restart()
            try await stage.serves()
            try await eventually("it tells of it after a restart") {
                try await stage.hub.fleetStatus()["problem"]?.stringValue?.contains("was set back or replaced") ?? false
            }
            try await Self.answer(one, shown)
        }
    }

    @Test(
        "what is shown is taken off the screen when the hub was not heard of for creditSeconds, and shown again later")
    func lease() async throws {
        try await FleetStage.run([Self.kiosks[0]], hub: #","creditSeconds":4"#) { stage in
            let machine = stage.machine
            try await Self.push(1, stage)
            try await Self.go(machine, "ada")
            let shown = try await Self.presented(machine)
            // It is renewed while the hub is there, each time after half of it.
            let listener = try await Intruder(stage)
            try await listener.listen(to: "hark/shop/ack/+")
            try await eventually("the lease was renewed") {
                listener.messages.count { FleetCreditWord(payload: $0.payload)?.tag != nil } >= 3
            }
            listener.client.close()
            let words = try await Self.quota(machine)
            #expect(!words.contains("may not ask"), "\(words)")
            try await stage.hub.restart {
                try await eventually("the lease is over") { try await Self.quota(machine).contains("may not ask") }
                #expect(try await Self.present(machine) == nil)
            }
            try await stage.serves()
            #expect(try await Self.presented(machine) == shown)
            try await Self.answer(machine, shown)
        }
    }
}
