import Foundation
import HarkCore
import HarkDelivery
import HarkFleet
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger

/// Stores that are lost, copied, set back, refuse commits, or change hands: every record is at the hub, once.
@Suite(.timeLimit(.minutes(45))) struct FleetStoreTests {
    /// Checks that all records of some machines are at the hub, once, under any name.
    @DaemonActor
    private static func expectAll(_ ids: [Identifier], _ stage: FleetStage, _ comment: Comment? = nil) throws {
        let there = try stage.hub.storedRecords().filter { $0.session.machine != nil }.map(\.id)
        #expect(there.count == Set(there).count, comment)
        #expect(Set(there) == Set(ids), comment)
    }

    @DaemonActor
    private static func names(_ stage: FleetStage) async throws -> [JSONValue?] {
        try await stage.hub.fleetStatus()["machines"]?.arrayValue?.map { $0["machine"] } ?? []
    }

    @Test("a machine with a new store under the old name is another log, and nothing is mixed")
    func newStore() async throws {
        try await FleetStage.run { stage in
            try await stage.machine.record("old", 5)
            try await stage.settle()
            let old = try stage.machine.storedRecords().map(\.id)
            try await stage.machine.restart { try stage.machine.loseState() }
            try await stage.machine.record("new", 3)
            try await stage.settle()
            try stage.compare(as: "kiosk-1~2")
            try Self.expectAll(try stage.machine.storedRecords().map(\.id) + old, stage)
            #expect(try await Self.names(stage) == ["kiosk-1", "kiosk-1~2"])
            let machines = try await stage.hub.fleetStatus()["machines"]
            #expect(
                machines?[0]?["note"] == .null && machines?[1]?["note"]?.stringValue?.contains("another log") == true)
            #expect(machines?[0]?["here"] == false && machines?[1]?["here"] == true)
            // Also after a restart of the hub.
            try await stage.hub.restart()
            try await stage.serves()
            try await stage.machine.record("newer", 3)
            try await stage.settle()
            try stage.compare(as: "kiosk-1~2")
            #expect(try await Self.names(stage) == ["kiosk-1", "kiosk-1~2"])
            #expect(try await stage.hub.fleetStatus()["machineCount"] == 2)
        }
    }

    @Test(
        "a store that was copied is noticed at one of the machines; both are kept apart, and nothing is missing or double"
    )
    func copied() async throws {
        try await FleetStage.run([FleetStage.Kiosk(), FleetStage.Kiosk(fleet: nil)]) { stage in
            let (one, two) = (stage.machines[0], stage.machines[1])
            try await one.record("both", 6)
            try await stage.settle([one])
            try await one.restart { try one.keepState() }
            let common = try one.storedRecords().map(\.id)
            try await two.restart {
                try two.takeState(from: one.folder.path + "/copy")
                try two.configure(FleetStage.Kiosk().text(stage.broker.url()))
            }
            for round in 1...3 {
                try await one.record("one", 4, from: round * 10)
                try await two.record("two", 4, from: round * 10)
            }
            try await stage.settle()
            try await one.record("one", 2, from: 100)
            try await two.record("two", 2, from: 100)
            try await stage.settle()
            let all = Set(try one.storedRecords().map(\.id) + two.storedRecords().map(\.id))
            #expect(all.isSuperset(of: common) && all.count > 26)
            try Self.expectAll(Array(all), stage)
            let notes = try await [one.fleetStatus(), two.fleetStatus()].map { $0["notes"]?.arrayValue?.count ?? 0 }
            #expect(notes.sorted() == [0, 1])
            #expect(try await Self.names(stage) == ["kiosk-1", "kiosk-1~2"])
            // The records of each disk have one name.
            let there = try stage.hub.storedRecords()
            for name in ["one", "two"] {
                #expect(Set(there.filter { $0.name == name }.map { $0.session.machine?.name }).count == 1)
            }
        }
    }

    @Test("a hub whose store is set back gets everything again that it lacks; a new one gets all")
    func setBack() async throws {
        try await FleetStage.run([FleetStage.Kiosk(), FleetStage.Kiosk(name: "kiosk-2", fleet: #","names":["b*"]"#)]) {
            stage in
            @DaemonActor func record(_ name: String) async throws {
                for machine in stage.machines { try await machine.record(name, 4) }
                try await stage.settle()
            }
            @DaemonActor func compare(_ comment: Comment) throws {
                try stage.compare(as: "kiosk-1", comment)
                try stage.compare(stage.machines[1], as: "kiosk-2", comment) {
                    FleetStage.isUsual($0) && ($0.kind != .event || $0.name.hasPrefix("b"))
                }
            }
            try await record("both")
            try await stage.hub.restart { try stage.hub.keepState() }
            try await stage.serves()
            try await record("before")
            // The destination wants none of these records, so its account is ahead of the hub.
            try await record("a")
            try compare("before")
            try await stage.hub.restart { try stage.hub.takeState(from: stage.hub.folder.path + "/copy") }
            try await stage.serves()
            try await stage.settle()
            try compare("set back")
            try await record("bit more")
            try compare("more")
            try await stage.hub.restart { try stage.hub.loseState() }
            try await stage.serves()
            try await record("but new")
            try compare("new")
        }
    }

    @Test("a machine whose store is set back goes on as another log, and nothing is missing or double")
    func machineSetBack() async throws {
        try await FleetStage.run { stage in
            let machine = stage.machine
            try await machine.record("first", 3)
            try await stage.settle()
            try await machine.restart { try machine.keepState() }
            try await machine.record("lost", 5)
            try await stage.settle()
            let before = try machine.storedRecords().map(\.id)
            try await machine.restart { try machine.takeState(from: machine.folder.path + "/copy") }
            try await machine.record("again", 7)
            try await stage.settle()
            try Self.expectAll(Array(Set(try machine.storedRecords().map(\.id) + before)), stage)
            #expect(try await machine.fleetStatus()["notes"]?.arrayValue?.count == 1)
        }
    }

    @Test("two logs of a name that come up in the same moment are told apart")
    func together() async throws {
        let kiosks = [FleetStage.Kiosk(), FleetStage.Kiosk(), FleetStage.Kiosk()]
        try await FleetStage.run(kiosks) { stage in
            for (number, machine) in stage.machines.enumerated() { try await machine.record("of-\(number)", 5) }
            try await stage.settle()
            try Self.expectAll(try stage.machines.flatMap { try $0.storedRecords().map(\.id) }, stage)
            #expect(try await Self.names(stage) == ["kiosk-1", "kiosk-1~2", "kiosk-1~3"])
            let there = try stage.hub.storedRecords()
            let names = (0..<3).map { number in
                Set(there.filter { $0.name == "of-\(number)" }.compactMap { $0.session.machine?.name })
            }
            #expect(names.allSatisfy { $0.count == 1 })
            #expect(Set(names.flatMap(\.self)).count == 3)
        }
    }

    @Test(
        "whichever commit of a hub is refused, nothing is lost or double, and nothing is acknowledged that is not stored"
    )
    func refused() async throws {
        let surveys = """
            {"surveys":[{"id":"a","title":"A","message":"?","options":["Yes"],"trigger":{"event":{"name":"a"}}}]}
            """
        try await FleetStage.run(
            [FleetStage.Kiosk(fleet: #","batchBytes":4096"#, surveys: surveys)], hub: #","followClears":true"#
        ) { stage in
            let listener = try await Intruder(stage)
            listener.onMessage = { message in
                guard let word = FleetAcknowledgement(payload: message.payload), let mark = word.mark else { return }
                do {
                    #expect(try stage.hub.storedRecords().contains { $0.id == mark.id && $0.origin == mark.sequence })
                } catch { Issue.record(error) }
            }
            try await listener.listen(to: "hark/shop/ack/+")
            var commits: [NthCommit] = []
            var number = 0
            repeat {
                number += 1
                let commit = NthCommit(number)
                commits.append(commit)
                commit.install(in: stage.hub.daemon.ledger.store)
                let client = try stage.machine.connect()
                try await client.call("session.start", #"{"userId":"u\#(number)"}"#)
                for part in 1...60 {
                    try await client.call("event.record", #"{"name":"e","properties":{"n":\#(number),"p":\#(part)}}"#)
                    if part == 20 { try await client.call("event.record", #"{"name":"a"}"#) }
                    if part.isMultiple(of: 20) { try await stage.settle() }
                }
                let shown = try await client.call("survey.present")["survey"]?["presentationId"]?.stringValue
                if let shown {
                    try await client.call("survey.answer", #"{"presentationId":"\#(shown)","option":"Yes"}"#)
                }
                try await client.call("log.write", #"{"message":"\#(number)"}"#)
                try await eventually("the store takes commits") { stage.hub.daemon.ledger.trouble == nil }
                try await stage.settle()
                try stage.compare(nil, "commit \(number)")
            } while commits.last?.isRefused == true
            #expect(number > 3)
            #expect(try await stage.hub.fleetStatus()["refused"] == 0)
            #expect(!listener.messages.isEmpty)
            listener.client.close()
        }
    }

    @Test("whatever of the settings is changed while records are on their way, each comes once")
    func reload() async throws {
        try await FleetStage.run([FleetStage.Kiosk(fleet: #","batchBytes":4096"#)]) { stage in
            let url = stage.broker.url()
            let machine = stage.machine
            for round in 1...12 {
                let client = try machine.connect()
                for number in 1...60 {
                    try client.send(
                        #"{"id":\#(number),"method":"event.record","params":{"name":"e","properties":{"r":\#(round),"n":\#(number)}}}"#
                            + "\n")
                }
                switch round % 4 {
                case 0: try machine.configure(FleetStage.Kiosk(fleet: #","group":"g\#(round)""#).text(url))
                case 1: try stage.hub.configure(FleetStage.hub(url, fleet: #","followClears":\#(round % 8 == 1)"#))
                case 2: try machine.configure(FleetStage.Kiosk(fleet: #","batchBytes":\#(4096 + round)"#).text(url))
                default: try machine.configure(FleetStage.Kiosk(fleet: #","userName":"user\#(round)""#).text(url))
                }
                _ = try await machine.daemon.reload()
                _ = try await stage.hub.daemon.reload()
                for _ in 1...60 { _ = try await client.reply() }
            }
            try await eventually("the destinations are in place") { machine.daemon.delivery.isInPlace }
            try await stage.serves()
            try await stage.settle()
            try stage.compare()
        }
    }

    @Test(
        "a machine that goes to another broker and hub brings all there; one that becomes a hub, or leaves, ends its part"
    )
    func moves() async throws {
        try await FleetStage.run { stage in
            try await stage.machine.record("first", 3)
            try await stage.settle()
            try await FleetStage.run([]) { other in
                try stage.machine.configure(FleetStage.Kiosk().text(other.broker.url()))
                try await stage.machine.reload()
                try await stage.machine.record("second", 3)
                try await eventually("all is at the other hub") {
                    try other.hub.storedRecords().count == stage.machine.storedRecords().count
                }
                try other.compare(stage.machine)
                try await eventually("the first knows that it is gone") {
                    try await stage.hub.fleetStatus()["machines"]?[0]?["here"] == false
                }
                // It becomes the hub's rival, and stands by.
                try stage.machine.configure(FleetStage.hub(other.broker.url()))
                try await stage.machine.reload()
                try await eventually("it stands by") {
                    let status = try await stage.machine.fleetStatus()
                    return status["state"] == "standby"
                        && status["problem"]?.stringValue?.contains("another hub") == true
                }
                #expect(other.hub.daemon.fleet.hub?.state == .serving)
                try stage.machine.configure(FleetStage.Kiosk(fleet: nil).text(""))
                try await stage.machine.reload()
                #expect(try await stage.machine.fleetStatus() == ["role": .null])
            }
            try stage.machine.configure(FleetStage.Kiosk().text(stage.broker.url()))
            try await stage.machine.reload()
            try await stage.machine.record("third", 3)
            try await stage.settle()
            let there = try stage.hub.storedRecords().map(\.id)
            #expect(there.count == Set(there).count)
            #expect(
                Set(there).isSuperset(
                    of: try stage.machine.storedRecords().filter { $0.name != "fleet.clear" }.map(\.id)))
        }
    }
}
