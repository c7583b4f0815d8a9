import HarkDelivery
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger

/// `delivery.status`, `flush` and `resume` (rows L5, L6, L9).
@Suite(.timeLimit(.minutes(45))) struct DeliveryMethodTests {
    private static let both = "\(DaemonFixture.sensorcore()), \(DaemonFixture.hook(#","kinds":["log","event"]"#))"

    @Test("L9: the status of all destinations, in the order of the configuration, or of one")
    func status() async throws {
        try await DaemonFixture.deliver(to: Self.both) { daemon, client, receiver in
            for (params, names) in [
                ("{}", ["archive", "core", "hook"]), (#"{"destination":null}"#, ["archive", "core", "hook"]),
                (#"{"destination":"hook"}"#, ["hook"]), (#"{"destination":"archive"}"#, ["archive"]),
            ] {
                let told = try await client.call("delivery.status", params)["destinations"]?.arrayValue
                #expect(told?.compactMap { $0["name"]?.stringValue } == names, "\(params)")
            }
        }
    }

    @Test("L9: the status tells what was delivered, what waits, what was dropped and why, for each lane too")
    func account() async throws {
        let settings = DaemonFixture.hook(#","kinds":["log","event"],"batchEntries":1"#)
        try await DaemonFixture.deliver(to: settings) { daemon, client, receiver in
            receiver.answer = { Receiver.Answer(status: $0.text.contains("wrong") ? 400 : 200) }
            for message in ["one", "wrong", "two"] { try await client.call("log.write", #"{"message":"\#(message)"}"#) }
            try await client.call("event.record", #"{"name":"wrong"}"#)
            try await daemon.settle("hook")
            receiver.answer = { _ in Receiver.Answer(status: 500) }
            try await client.call("event.record", #"{"name":"three"}"#)
            try await eventually("it was tried") { try daemon.outlet("hook").gate.breaker.state == .waiting }
            try await eventually("the account is kept") { try daemon.outlet("hook").isResting }
            let status = try #require(try await client.call("delivery.status", Self.hook)["destinations"]?[0])
            #expect(
                status.objectValue?.keys == [
                    "name", "kind", "state", "cursor", "pending", "delivered", "dropped", "deadLetters", "lastError",
                    "retryAt", "lanes",
                ])
            #expect(status["kind"] == "http" && status["state"] == "waiting")
            #expect(status["pending"] == 1 && status["delivered"] == 2 && status["deadLetters"] == 2, "\(status)")
            #expect(status["dropped"] == ["refused": 2])
            #expect(status["lastError"]?.stringValue?.contains("HTTP 500") == true)
            let due = try #require(try daemon.outlet("hook").gate.breaker.dueAt)
            #expect(status["retryAt"]?.stringValue == due.description)
            let lanes = status["lanes"]?.arrayValue ?? []
            #expect(lanes.map { $0["name"]?.stringValue } == ["events", "logs"])
            #expect(lanes.map { $0["pending"] } == [1, 0] && lanes.map { $0["delivered"] } == [0, 2], "\(lanes)")
            #expect(lanes.map { $0["dropped"] } == [["refused": 1], ["refused": 1]])
            #expect(status["cursor"] == lanes.compactMap { $0["cursor"]?.intValue }.min().map { .int($0) })
        }
    }

    private static let hook = #"{"destination":"hook"}"#

    @Test(
        "L6: each state is told by its name",
        arguments: [
            ("idle", 200, "", ""), ("waiting", 500, "", ""), ("open", 429, "", ""), ("open", 401, "", ""),
            ("suspended", 403, #"{"code":"QUOTA_EXCEEDED"}"#, ""),
            ("suspended", 429, "", #","suspendUntilRestart":true"#),
            ("off", 200, "", #","enabled":false"#),
        ])
    func states(_ state: String, _ status: Int, _ body: String, _ settings: String) async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore(settings)) { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: status, body: body) }
            try await client.call("log.write", #"{"message":"x"}"#)
            try await eventually("the server has answered") {
                let outlet = try daemon.outlet("core")
                return state == "off"
                    || receiver.requests.count == 1 && outlet.isResting && outlet.couriers[0].state != .delivering
            }
            let told = try await client.call("delivery.status", #"{"destination":"core"}"#)["destinations"]?[0]
            #expect(told?["state"]?.stringValue == state, "\(told ?? nil)")
            #expect((told?["retryAt"]?.isNull == false) == ["waiting", "open"].contains(state))
            #expect((told?["lastError"]?.isNull == false) == !["idle", "off"].contains(state))
        }
    }

    @Test("L5: a flush tries at once what waits after a failure")
    func flush() async throws {
        let settings = DaemonFixture.sensorcore(#","retryBaseSeconds":86400,"retryCapSeconds":86400"#)
        try await DaemonFixture.deliver(to: settings) { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: 500) }
            try await client.call("log.write", #"{"message":"x"}"#)
            try await eventually("it waits") {
                try daemon.outlet("core").gate.breaker.state == .waiting && daemon.outlet("core").isResting
            }
            receiver.answer = { _ in Receiver.Answer() }
            let told = try await client.call("delivery.flush", #"{"destination":"core"}"#)["destinations"]
            #expect(told?.arrayValue?.count == 1 && told?[0]?["name"] == "core")
            try await daemon.settle("core")
            #expect(receiver.contents == ["x", "x"])
        }
    }

    @Test("L5: a flush without a name is one of all destinations, and tells how each stood")
    func flushAll() async throws {
        // An hour to gather.
        try await DaemonFixture.deliver(to: Self.both) { daemon, client, receiver in
            receiver.isHeld = true
            try await client.call("log.write", #"{"message":"x"}"#)
            let told = try await client.call("delivery.flush")["destinations"]?.arrayValue ?? []
            #expect(told.map { $0["name"]?.stringValue } == ["archive", "core", "hook"])
            #expect(told.map { $0["pending"] } == [0, 1, 1])
            receiver.isHeld = false
            try await daemon.settle("core")
            try await daemon.settle("hook")
            #expect(receiver.requests.count == 2)
        }
    }

    @Test(
        "L6: what the server asked for, and a suspension, hold against a flush; resume ends them",
        arguments: [
            (429, "", ["Retry-After: 3600"], ""), (503, "", ["Retry-After: 3600"], ""),
            (403, #"{"error":"QUOTA_EXCEEDED"}"#, [], ""), (429, "", [], #","suspendUntilRestart":true"#),
        ])
    func resume(_ status: Int, _ body: String, _ headers: [String], _ settings: String) async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore(settings)) { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: status, headers: headers, body: body) }
            try await client.call("log.write", #"{"message":"x"}"#)
            try await eventually("it waits") {
                let outlet = try daemon.outlet("core")
                return receiver.requests.count == 1 && outlet.gate.breaker.state != .closed && outlet.isResting
            }
            receiver.answer = { _ in Receiver.Answer() }
            for _ in 0..<3 {
                try await client.call("delivery.flush")
                try await eventually("the pass is over") { try daemon.outlet("core").isResting }
            }
            #expect(receiver.requests.count == 1)
            #expect(try await client.call("delivery.resume", #"{"destination":"core"}"#)["resumed"] == ["core"])
            try await daemon.settle("core")
            #expect(receiver.contents == ["x", "x"])
            #expect(try await client.call("delivery.resume")["resumed"] == [])
            #expect(try daemon.outlet("core").dropped == [:])
        }
    }

    @Test("L6: a suspension that somebody ended stays ended after a new start")
    func resumeIsKept() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: 403, body: #"{"code":"QUOTA_EXCEEDED"}"#) }
            try await client.call("log.write", #"{"message":"x"}"#)
            try await eventually("it is suspended") {
                try daemon.outlet("core").gate.breaker.state == .suspended && daemon.outlet("core").isResting
            }
            try await daemon.restart()
            #expect(try daemon.outlet("core").gate.breaker.state == .suspended)
            // The server does not answer, so a resume alone can have been stored.
            receiver.isHeld = true
            #expect(try await daemon.connect().call("delivery.resume")["resumed"] == ["core"])
            let stored = try daemon.daemon.ledger.lookUp { reader throws(StoreError) in
                try reader.destination("core").map { Breaker(packed: $0.state) }
            }
            #expect(stored?.state == .closed)
            try await daemon.restart()
            #expect(try daemon.outlet("core").gate.breaker.state == .closed)
            receiver.answer = { _ in Receiver.Answer() }
            receiver.isHeld = false
            try await daemon.settle("core")
            #expect(try daemon.outlet("core").accepted == 1)
        }
    }

    @Test("L9: a log entry that a server is slow to take is in no other record's way")
    func lanes() async throws {
        let settings = DaemonFixture.hook(#","kinds":["log","event","survey"],"batchEntries":1"#)
        try await DaemonFixture.deliver(to: settings) { daemon, client, receiver in
            receiver.holds = { $0.text.contains(#""kind":"log""#) }
            for number in 1...3 { try await client.call("log.write", #"{"message":"\#(number)"}"#) }
            try await eventually("a log entry is under way") {
                try daemon.outlet("hook").couriers.contains { $0.lane.name == "logs" && $0.state == .delivering }
            }
            try await client.call("event.record", #"{"name":"tick"}"#)
            try await eventually("the event is there") {
                try daemon.outlet("hook").couriers.contains { $0.lane.name == "events" && $0.progress.accepted == 1 }
            }
            #expect(try daemon.outlet("hook").pending == 3)
            receiver.holds = { _ in false }
            try await daemon.settle("hook")
        }
    }

    @Test("an unknown destination is refused by every method, with the names of those there are")
    func unknown() async throws {
        try await DaemonFixture.deliver(to: Self.both) { daemon, client, receiver in
            for method in ["status", "flush", "resume", "deadletters", "replay", "drop"] {
                for name in ["nowhere", "", "Core", String(repeating: "x", count: 5_000)] {
                    let error = try await client.ask("delivery.\(method)", #"{"destination":"\#(name)"}"#)["error"]
                    #expect(error?["data"]?["reason"] == "notFound", "\(method) \(name.prefix(10))")
                    #expect(error?["data"]?["path"] == "$.params.destination")
                    let message = error?["message"]?.stringValue ?? ""
                    #expect(
                        message.hasSuffix("there are: archive, core, hook") && message.utf8.count < 200, "\(message)")
                }
                let mistyped = try await client.ask("delivery.\(method)", #"{"destination":7}"#)["error"]
                #expect(mistyped?["data"]?["reason"] == "invalidParams", "\(method)")
                #expect(mistyped?["data"]?["path"] == "$.params.destination")
            }
            for method in ["replay", "drop"] {
                let error = try await client.ask("delivery.\(method)")["error"]
                #expect(error?["data"]?["reason"] == "invalidParams")
                #expect(error?["data"]?["path"] == "$.params.destination")
                #expect(error?["message"]?.stringValue?.contains("is missing") == true)
            }
        }
    }
}
