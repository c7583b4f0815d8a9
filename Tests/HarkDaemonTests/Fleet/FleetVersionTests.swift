import Foundation
import HarkCore
import HarkDelivery
import HarkFleet
import HarkSettings
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub

/// A fleet of machines of several versions: each has the parts of the hub's documents that it can read.
@Suite(.timeLimit(.minutes(45))) struct FleetVersionTests {
    private static func survey(_ id: String, _ more: String = "") -> String {
        #"{"id":"\#(id)","title":"T","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"go"}}\#(more)}"#
    }

    /// One that every version reads, one that only this one does, and one that older versions show without its thanks.
    private static let mixed =
        #"{"surveys":[\#(survey("plain")),\#(survey("few", #","quota":{"answers":1}"#)),"#
        + #"\#(survey("nice", #","thanks":{"title":"Thanks"}"#))]}"#

    private static let kiosks = [
        FleetStage.Kiosk(reads: .first), FleetStage.Kiosk(name: "kiosk-2"),
        FleetStage.Kiosk(name: "kiosk-3", reads: .first),
    ]

    @DaemonActor
    private static func ids(_ machine: DaemonFixture) async throws -> [String] {
        try await machine.asker().call("survey.list")["surveys"]?.arrayValue?.compactMap { $0["surveyId"]?.stringValue }
            ?? []
    }

    @DaemonActor
    private static func wait(_ machine: DaemonFixture, for ids: [String]) async throws {
        try await eventually("a machine has \(ids)") { try await Self.ids(machine) == ids }
    }

    /// Waits until the machines have told the hub the versions that they read.
    @DaemonActor
    private static func areKnown(_ stage: FleetStage) async throws {
        try await eventually("the hub knows what they read") {
            try await stage.hub.fleetStatus()["machines"]?.arrayValue?.count { $0["reads"]?.stringValue != nil }
                == stage.machines.count
        }
    }

    /// The surveys of a document that are reported as held back.
    private static func held(_ status: JSONValue?) -> JSONValue? {
        status?["documents"]?.arrayValue?.first { $0["kind"] == "surveys" }
    }

    @DaemonActor
    private static func told(_ daemon: DaemonFixture) async throws -> JSONValue? {
        held(try await daemon.fleetStatus())
    }

    private static let parts: JSONValue = [
        ["id": "few", "member": "quota", "version": "0.2.0", "whole": true],
        ["id": "nice", "member": "thanks", "version": "0.2.0", "whole": false],
    ]

    @Test("an older machine has what it can read, which it tells and the hub tells; the document is made once for all")
    func older() async throws {
        try await FleetStage.run(Self.kiosks) { stage in
            let listener = try await Intruder(stage)
            try await listener.listen(to: "hark/shop/config/#")
            try await Self.areKnown(stage)
            let told = try await stage.push(Self.mixed)
            let issues = told["issues"]?.arrayValue?.compactMap { $0["message"]?.stringValue } ?? []
            #expect(
                issues == [
                    "2 machines read what version 0.1.0 reads: 'few' is held back ('quota' came with 0.2.0), "
                        + "'nice' goes without 'thanks' (0.2.0); update them"
                ])
            try await Self.wait(stage.machines[0], for: ["plain", "nice"])
            try await Self.wait(stage.machines[1], for: ["plain", "few", "nice"])
            try await Self.wait(stage.machines[2], for: ["plain", "nice"])
            try await listener.said()
            #expect(listener.messages.count { $0.topic.hasPrefix("hark/shop/config/") } == 1)
            listener.client.close()
            // The machine itself.
            try await eventually("it tells") { try await Self.told(stage.machine)?["heldCount"] == 1 }
            #expect(try await Self.told(stage.machine)?["held"] == Self.parts)
            #expect(try await Self.told(stage.machines[1])?["heldCount"] == 0)
            #expect(try await Self.told(stage.machines[1])?["held"] == [])
            // The hub: of all how many, of one which.
            var machines: [JSONValue] = []
            try await eventually("the hub tells, as all machines have told it what they have") {
                machines = try await stage.hub.fleetStatus()["machines"]?.arrayValue ?? []
                return machines.map { Self.held($0)?["heldCount"] } == [1, 0, 1]
            }
            #expect(try await stage.hub.fleetStatus()["heldCount"] == 2)
            #expect(machines.map { $0["reads"] } == ["0.1.0", .string(DocumentMember.newest.description), "0.1.0"])
            #expect(machines.allSatisfy { Self.held($0)?["held"] == [] })
            let one = try await stage.hub.fleetStatus(#"{"machine":"kiosk-1"}"#)["machines"]?[0]
            #expect(Self.held(one)?["held"] == Self.parts)
            #expect(try await Self.told(stage.hub)?["heldCount"] == 0, "what it has pushed is whole")
        }
    }

    @Test(
        "a machine that is updated has what it lacked, one that is set back no more than it can read, without the hub as well"
    )
    func changed() async throws {
        try await FleetStage.run([FleetStage.Kiosk(reads: .first)]) { stage in
            let machine = stage.machine
            try await stage.push(Self.mixed)
            try await Self.wait(machine, for: ["plain", "nice"])
            try await machine.restart(reading: DocumentMember.newest)
            #expect(try await Self.ids(machine) == ["plain", "few", "nice"])
            try await eventually("the hub knows") {
                try await stage.hub.fleetStatus()["machines"]?[0]?["reads"] != "0.1.0"
            }
            try await eventually("nothing is held back") { try await stage.hub.fleetStatus()["heldCount"] == 0 }
            try await stage.broker.kill()
            try await machine.restart(reading: .first)
            #expect(try await Self.ids(machine) == ["plain", "nice"])
            try await stage.broker.start()
            try await stage.serves()
            try await eventually("it tells again") { try await Self.told(machine)?["heldCount"] == 1 }
            // A document that all machines can read has one text, and no earlier text is left.
            try await stage.push(#"{"surveys":[\#(Self.survey("last"))]}"#)
            try await Self.wait(machine, for: ["last"])
            try await machine.restart(reading: DocumentMember.newest)
            #expect(try await Self.ids(machine) == ["last"])
            #expect(FleetPushes.names(in: machine.options.paths.state + "/fleet") == ["surveys.all.json"])
            try await stage.hub.connect().call("fleet.withdraw", #"{"kind":"surveys"}"#)
            try await Self.wait(machine, for: [])
            #expect(FleetPushes.names(in: machine.options.paths.state + "/fleet").isEmpty)
        }
    }

    @Test(
        "a machine that does not say what it reads is taken for one of version 0.1.0; what it takes of the message is what that reads"
    )
    func silent() async throws {
        try await FleetStage.run([]) { stage in
            let intruder = try await Intruder(stage)
            try await intruder.listen(to: "hark/shop/config/#")
            var hello = FleetHello(log: Identifier(high: 7, low: 7), run: Identifier(high: 8, low: 8))
            hello.version = "0.1.0"
            hello.documents = [FleetHello.Document(kind: .surveys, version: "1", problem: nil)]
            intruder.say("hark/shop/hello/0/old", hello.payload)
            try await eventually("the hub has heard of it") {
                try await stage.hub.fleetStatus()["machines"]?.arrayValue?.count == 1
            }
            let told = try await stage.push(Self.mixed)
            #expect(
                told["issues"]?[0]?["message"]?.stringValue?.hasPrefix("1 machine reads what version 0.1.0 reads")
                    == true)
            let status = try await stage.hub.fleetStatus(#"{"machine":"old"}"#)
            #expect(status["heldCount"] == 1 && status["machines"]?[0]?["reads"] == .null)
            #expect(Self.held(status["machines"]?[0])?["held"] == Self.parts)
            try await eventually("the broker has it") {
                intruder.messages.contains { $0.topic.hasSuffix("/all/surveys") }
            }
            let payload = try #require(intruder.messages.last { $0.topic.hasSuffix("/all/surveys") }?.payload)
            // The message as version 0.1.0 reads it.
            let message = try JSONDocument(payload, .json).value
            let text = try #require(message["text"]?.stringValue)
            let document = try JSONDocument(Array(text.utf8), .json5).value
            #expect(document["surveys"]?.arrayValue?.map { $0["id"] } == ["plain", "nice"])
            #expect(document["surveys"]?[1]?["thanks"] == nil)
            intruder.client.close()
        }
    }

    @Test("what is for a group is told of its machines alone; a hub that begins anew has the same for all")
    func groups() async throws {
        let kiosks = [
            FleetStage.Kiosk(reads: .first),
            FleetStage.Kiosk(name: "kiosk-2", fleet: #","group":"tills""#, reads: .first),
        ]
        try await FleetStage.run(kiosks) { stage in
            try await Self.areKnown(stage)
            let group = try await stage.push(Self.mixed, group: "tills")
            #expect(group["issues"]?[0]?["message"]?.stringValue?.hasPrefix("1 machine reads") == true)
            let all = try await stage.push(#"{"surveys":[\#(Self.survey("all"))]}"#)
            #expect(all["issues"] == [])
            try await Self.wait(stage.machines[0], for: ["all"])
            try await Self.wait(stage.machines[1], for: ["plain", "nice"])
            let listener = try await Intruder(stage)
            try await stage.hub.restart { try await listener.listen(to: "hark/shop/config/group/tills/surveys") }
            try await stage.serves()
            // The message that the broker has had, and the hub's new one.
            try await eventually("the hub says it again") { listener.messages.count >= 2 }
            let messages = listener.messages.compactMap {
                FleetDocument(payload: $0.payload, mostBytes: FleetDocument.mostBytes)
            }
            #expect(messages.count >= 2 && messages.allSatisfy { $0.held.count == 1 && $0.texts.count == 1 })
            listener.client.close()
            try await eventually("the hub tells it again") { try await stage.hub.fleetStatus()["heldCount"] == 1 }
            try await Self.wait(stage.machines[1], for: ["plain", "nice"])
            let counts = try await stage.hub.fleetStatus()["machines"]?.arrayValue?.map { Self.held($0)?["heldCount"] }
            #expect(counts == [0, 1])
        }
    }

    @Test("forms are held back as surveys are, and all of them where what is left refers to one that is")
    func forms() async throws {
        let forms = #"""
            {"forms":[{"id":"a","title":"A","questions":[{"id":"q","type":"text","question":"?"}]},
            {"id":"b","title":"B","questions":[{"id":"q","type":"number","question":"?"}]}]PROFILE}
            """#
        try await FleetStage.run([FleetStage.Kiosk(reads: .first)]) { stage in
            let machine = try stage.machine.connect()
            func starts(_ form: String) async throws -> Bool {
                try await machine.ask("form.start", #"{"formId":"\#(form)"}"#)["result"] != nil
            }
            try await stage.push(forms.replacing("PROFILE", with: ""), "forms")
            try await eventually("the form is there") { try await starts("a") }
            #expect(try await !starts("b"))
            let profile = #","profile":{"form":"b","values":{"age":{"answer":"q"}}}"#
            let fit = FleetDocument(
                kind: .forms, version: "1", pushedAt: Timestamp(milliseconds: 1),
                text: forms.replacing("PROFILE", with: profile)
            ).fitted()
            #expect(fit.text == #"{"forms":[]}"# && fit.held.count == 2 && fit.held.parts.map(\.id) == [nil])
            #expect(fit.texts.map(\.reads) == [DocumentMember.newest] && fit.texts.first?.held.isEmpty == true)
        }
    }

    @Test("a document is made once a version: three versions, three texts; what is the same for two is there once")
    func texts() {
        let (two, three) = (DocumentVersion(0, 2, 0), DocumentVersion(0, 3, 0))
        let rows = DocumentFit.Rows([
            DocumentMember(.survey, "quota", since: two, .meaning),
            DocumentMember(.survey, "thanks", since: three, .look),
            DocumentMember(.survey, "map", since: DocumentVersion(0, 4, 0), .look),
        ])
        func fitted(_ text: String) -> FleetDocument {
            FleetDocument(kind: .surveys, version: "1", pushedAt: Timestamp(milliseconds: 1), text: text).fitted(
                by: rows)
        }
        let message = fitted("// Mine.\n" + Self.mixed)
        #expect(message.texts.map(\.reads) == [two, three])
        #expect(message.texts.last?.text == "// Mine.\n" + Self.mixed)
        #expect(message.texts.first?.held.parts.map(\.member) == ["thanks"])
        #expect(message.held.parts.map(\.member) == ["quota", "thanks"])
        let plain = fitted("{\"surveys\":[]} // Mine.")
        #expect(plain.texts.isEmpty && plain.held.isEmpty && plain.text == "{\"surveys\":[]} // Mine.")
    }
}
