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

/// The documents of a hub on machines.
@Suite(.timeLimit(.minutes(45))) struct FleetDocumentTests {
    private static func surveys(_ id: String) -> String {
        """
        {"surveys":[{"id":"\(id)","title":"T","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"go"}}}]}
        """
    }

    /// The surveys that a machine has in force.
    @DaemonActor
    private static func ids(_ machine: DaemonFixture) async throws -> [JSONValue?] {
        try await machine.asker().call("survey.list")["surveys"]?.arrayValue?.map { $0["surveyId"] } ?? []
    }

    @DaemonActor
    private static func wait(_ machine: DaemonFixture, for ids: [JSONValue?]) async throws {
        try await eventually("a machine has \(ids)") { try await Self.ids(machine) == ids }
    }

    @DaemonActor
    private static func problem(_ stage: FleetStage, _ machine: DaemonFixture) async throws -> [JSONValue?] {
        let own = try await machine.fleetStatus()["documents"]?[0]?["problem"]
        let there = try await stage.hub.fleetStatus()["machines"]?[0]?["documents"]?[0]?["problem"]
        return [own, there]
    }

    @Test("a document reaches all machines, or those of a group, which take that instead; withdrawn, they go back")
    func push() async throws {
        let kiosks = [
            FleetStage.Kiosk(surveys: Self.surveys("own")),
            FleetStage.Kiosk(name: "kiosk-2", fleet: #","group":"tills""#, surveys: Self.surveys("own")),
        ]
        try await FleetStage.run(kiosks) { stage in
            let (one, two) = (stage.machines[0], stage.machines[1])
            let client = try stage.hub.connect()
            try await Self.wait(one, for: ["own"])
            let first = try await stage.push(Self.surveys("all"))
            #expect(first["changed"] == true && first["group"] == .null && first["kind"] == "surveys")
            try await Self.wait(one, for: ["all"])
            try await Self.wait(two, for: ["all"])
            try await stage.push(Self.surveys("tills"), group: "tills")
            try await Self.wait(two, for: ["tills"])
            #expect(try await Self.ids(one) == ["all"])
            let again = try await stage.push(Self.surveys("all"))
            #expect(again["changed"] == false && again["version"] == first["version"])
            // A document for all does not concern machines of the group.
            try await stage.push(Self.surveys("next"))
            try await Self.wait(one, for: ["next"])
            #expect(try await Self.ids(two) == ["tills"])
            let told = try await stage.hub.fleetStatus()["documents"]?.arrayValue
            #expect(told?.map { $0["group"] } == [.null, "tills"])
            try await client.wait(for: "fleet.status") { status in
                let versions = status["machines"]?.arrayValue?.map { $0["documents"]?[0]?["version"] }
                return versions == told?.map { $0["version"] }
            }
            #expect(
                try await client.call("fleet.withdraw", #"{"kind":"surveys","group":"tills"}"#)["withdrawn"] == true)
            try await Self.wait(two, for: ["next"])
            #expect(try await client.call("fleet.withdraw", #"{"kind":"surveys"}"#)["withdrawn"] == true)
            try await Self.wait(one, for: ["own"])
            try await Self.wait(two, for: ["own"])
            #expect(try await client.call("fleet.withdraw", #"{"kind":"surveys"}"#)["withdrawn"] == false)
            #expect(try await client.call("fleet.withdraw", #"{"kind":"flags"}"#)["withdrawn"] == false)
            #expect(try await stage.hub.fleetStatus()["documents"] == [])
            #expect(try await one.fleetStatus()["documents"] == [])
        }
    }

    @Test("flags and forms as well")
    func kinds() async throws {
        try await FleetStage.run { stage in
            try await stage.push(#"{"new": true}"#, "flags")
            try await stage.push(
                #"{"forms":[{"id":"f","title":"F","questions":[{"id":"q","type":"text","question":"?"}]}]}"#, "forms")
            let machine = try stage.machine.connect()
            try await machine.wait(for: "fleet.status") {
                $0["documents"]?.arrayValue?.map { $0["kind"] } == ["forms", "flags"]
                    || $0["documents"]?.arrayValue?.map { $0["kind"] } == ["flags", "forms"]
            }
            try await eventually("the form is there") {
                try await machine.ask("form.start", #"{"formId":"f"}"#)["result"] != nil
            }
        }
    }

    @Test("what has errors is not pushed, and changes nothing; nor is it by who is no hub, or for no group")
    func refused() async throws {
        try await FleetStage.run { stage in
            let client = try stage.hub.connect()
            try await stage.push(Self.surveys("good"))
            try await Self.wait(stage.machine, for: ["good"])
            for text in ["", "{", "[]", #"{"surveys":[{"id":""}]}"#, "\u{0}"] {
                let reply = try await client.ask("fleet.push", FleetStage.pushing(text))
                #expect(reply["error"]?["data"]?["reason"] == "invalidParams", "\(text)")
                #expect(reply["error"]?["data"]?["path"] == "$.params.text", "\(text)")
            }
            for group in ["", "a/b", "#", String(repeating: "g", count: 65)] {
                let reply = try await client.ask("fleet.push", FleetStage.pushing("{}", "flags", group: group))
                #expect(reply["error"]?["data"]?["path"] == "$.params.group", "\(group)")
            }
            let machine = try stage.machine.connect()
            for method in ["push", "withdraw"] {
                let reply = try await machine.ask("fleet.\(method)", FleetStage.pushing("{}", "flags"))
                let reason = reply["error"]?["data"]?["reason"]
                #expect(reason == "conflict" || method == "withdraw", "\(method)")
            }
            #expect(try await Self.ids(stage.machine) == ["good"])
            #expect(try await stage.hub.fleetStatus()["documents"]?.arrayValue?.count == 1)
        }
    }

    @Test(
        "a bad document that gets past the hub is refused, which both tell; the last good one stays, over restarts as well"
    )
    func past() async throws {
        try await FleetStage.run([FleetStage.Kiosk(surveys: Self.surveys("own"))]) { stage in
            let machine = stage.machine
            let intruder = try await Intruder(stage)
            try await stage.push(Self.surveys("good"))
            try await Self.wait(machine, for: ["good"])
            let bad = FleetDocument(
                kind: .surveys, version: "1", pushedAt: Timestamp(milliseconds: 1), text: #"{"surveys":[{"id":"x"}]}"#)
            intruder.say("hark/shop/config/all/surveys", bad.payload, retained: true)
            try await eventually("both tell") {
                try await Self.problem(stage, machine).allSatisfy { $0?.stringValue != nil }
            }
            #expect(try await Self.ids(machine) == ["good"])
            try await machine.restart()
            try await Self.wait(machine, for: ["good"])
            try await eventually("both tell again") {
                try await Self.problem(stage, machine).allSatisfy { $0?.stringValue != nil }
            }
            // A message that is no document is ignored.
            for payload in [
                Array("{}".utf8), [0, 1, 2], [],
                FleetDocument(kind: .flags, version: "1", pushedAt: Timestamp(milliseconds: 1), text: "{}").payload,
            ] {
                intruder.say("hark/shop/config/all/surveys", payload)
            }
            let long = FleetDocument(
                kind: .surveys, version: "1", pushedAt: Timestamp(milliseconds: 1),
                text: Self.surveys("long") + String(repeating: " ", count: FleetDocument.mostBytes))
            intruder.say("hark/shop/config/all/surveys", long.payload)
            try await eventually("too long a one is told of") {
                try await machine.fleetStatus()["documents"]?[0]?["problem"]?.stringValue?.contains("MiB") == true
            }
            #expect(try await Self.ids(machine) == ["good"])
            intruder.client.close()
            try await stage.broker.kill()
            try await machine.restart()
            try await Self.wait(machine, for: ["good"])
            #expect(try await machine.fleetStatus()["state"] == "connecting")
            // The broker has lost its retained messages, and gets the good document from the hub again.
            try await stage.broker.start()
            try await stage.serves()
            try await eventually("all is well") {
                try await Self.problem(stage, machine) == [.null, .null]
            }
            #expect(try await Self.ids(machine) == ["good"])
            let late = try await Intruder(stage)
            try await late.listen(to: "hark/shop/config/#")
            try await eventually("it is kept again") { late.messages.contains { $0.isRetained } }
            late.client.close()
        }
    }

    @Test("a bad document for all is no matter of a machine whose group has one of its own")
    func others() async throws {
        try await FleetStage.run([FleetStage.Kiosk(fleet: #","group":"tills""#)]) { stage in
            let intruder = try await Intruder(stage)
            try await stage.push(Self.surveys("mine"), group: "tills")
            try await Self.wait(stage.machine, for: ["mine"])
            let bad = FleetDocument(kind: .surveys, version: "1", pushedAt: Timestamp(milliseconds: 1), text: "{")
            intruder.say("hark/shop/config/all/surveys", bad.payload)
            intruder.say("hark/shop/config/group/others/surveys", bad.payload)
            // Behind it, something that is seen when it comes.
            let flags = FleetDocument(kind: .flags, version: "1", pushedAt: Timestamp(milliseconds: 1), text: "{}")
            intruder.say("hark/shop/config/all/flags", flags.payload)
            try await stage.machine.connect().wait(for: "fleet.status") { $0["documents"]?.arrayValue?.count == 2 }
            let documents = try await stage.machine.fleetStatus()["documents"]?.arrayValue
            #expect(documents?.allSatisfy { $0["problem"] == .null } == true)
            #expect(try await Self.ids(stage.machine) == ["mine"])
            intruder.client.close()
        }
    }

    @Test("a pushed survey is asked on the machine, and its answer counts at the hub")
    func answered() async throws {
        try await FleetStage.run { stage in
            try await stage.push(Self.surveys("pushed"))
            try await Self.wait(stage.machine, for: ["pushed"])
            let client = try stage.machine.connect()
            try await client.call("event.record", #"{"name":"go"}"#)
            let shown = try await client.call("survey.present")["survey"]
            #expect(shown?["surveyId"] == "pushed")
            let id = try #require(shown?["presentationId"]?.stringValue)
            try await client.call("survey.answer", #"{"presentationId":"\#(id)","option":"Yes"}"#)
            try await stage.settle()
            try stage.compare()
            guard getuid() == 0 else { return }
            let results = try await stage.hub.connect().call("survey.results", #"{"surveyId":"pushed"}"#)
            #expect(results["answered"] == 1)
            #expect(results["questions"]?[0]?["answers"]?[0] == ["value": "Yes", "count": 1])
        }
    }

    @Test("a machine that joins a group, leaves it, or the fleet, has what is for it then")
    func group() async throws {
        try await FleetStage.run([FleetStage.Kiosk(surveys: Self.surveys("own"))]) { stage in
            let (machine, url) = (stage.machine, stage.broker.url())
            try await stage.push(Self.surveys("all"))
            try await stage.push(Self.surveys("tills"), group: "tills")
            try await Self.wait(machine, for: ["all"])
            for (fleet, id) in [#","group":"tills""#: "tills", "": "all", #","group":"others""#: "all"].sorted(by: {
                $0.key > $1.key
            }) {
                try machine.configure(FleetStage.Kiosk(fleet: fleet, surveys: "").text(url))
                try await machine.reload()
                try await Self.wait(machine, for: [.string(id)])
            }
            try machine.configure(FleetStage.Kiosk(fleet: nil).text(url))
            try await machine.reload()
            try await Self.wait(machine, for: ["own"])
        }
    }
}
