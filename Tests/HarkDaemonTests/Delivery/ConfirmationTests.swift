import HarkCore
import HarkDelivery
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger

/// Lines whose writer waits for a server to accept them (row L2).
@Suite(.timeLimit(.minutes(45))) struct ConfirmationTests {
    private static let params = #"{"message":"x","confirm":true}"#

    @Test("L2: the reply comes when the server has accepted the line, and names the destination")
    func accepted() async throws {
        let destinations = "\(DaemonFixture.hook()), \(DaemonFixture.sensorcore())"
        try await DaemonFixture.deliver(to: destinations) { daemon, client, receiver in
            receiver.isHeld = true
            try client.send(#"{"id":1,"method":"log.write","params":\#(Self.params)}"# + "\n")
            // It is on disk long before.
            try await eventually("the line is stored") { daemon.daemon.ledger.committedSequence == 1 }
            try await daemon.connect().call("hello")
            receiver.isHeld = false
            #expect(try await client.reply()["result"]?["delivered"] == "core")
            let other = try await client.call("log.write", #"{"message":"x","confirm":true,"destination":"hook"}"#)
            #expect(other["delivered"] == "hook")
            #expect(try await client.call("log.write", #"{"message":"x","confirm":false}"#)["delivered"] == nil)
        }
    }

    @Test(
        "L2: a line that was not accepted is an error of its kind, and says what becomes of the line",
        arguments: [
            (500, "", "serverError", "will be delivered"), (503, "", "serverError", "will be delivered"),
            (400, "", "serverError", "dead letters"), (401, "", "serverError", "dead letters"),
            (301, "", "serverError", "dead letters"), (429, "", "rateLimited", "will be delivered"),
            (403, #"{"code":"QUOTA_EXCEEDED"}"#, "quotaExceeded", "will be delivered"),
            (403, "", "serverError", "dead letters"), (413, "", "encodingFailed", "dead letters"),
        ])
    func refused(_ status: Int, _ body: String, _ reason: String, _ future: String) async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: status, body: body) }
            let error = try await client.ask("log.write", Self.params)["error"]
            #expect(error?["data"]?["reason"]?.stringValue == reason)
            #expect(error?["data"]?["status"] == .int(Int64(status)))
            #expect(error?["message"]?.stringValue?.contains(future) == true)
            #expect(error?["message"]?.stringValue?.contains("secret") == false)
            let outlet = try daemon.outlet("core")
            #expect(outlet.pending == (future == "dead letters" ? 0 : 1))
            #expect(try daemon.daemon.delivery.deadLetterCounts()["core"] == (future == "dead letters" ? 1 : nil))
        }
    }

    @Test(
        "L2: a server that is not reached is a network error; without persistFailedLogs the line is dropped",
        arguments: [false, true])
    func network(_ keeps: Bool) async throws {
        let settings = """
            {"name":"core","kind":"sensorcore","host":"http://core.test","socket":"$/nobody","apiKeyFile":"key",\
            "persistFailedLogs":\(keeps)}
            """
        try await DaemonFixture.deliver(to: settings) { daemon, client, receiver in
            let error = try await client.ask("log.write", Self.params)["error"]
            #expect(error?["data"]?["reason"] == "networkError")
            #expect(error?["data"]?["status"] == nil)
            #expect(error?["message"]?.stringValue?.contains(keeps ? "will be delivered" : "it was dropped") == true)
            // The breaker waits, so the next request gets the reason at once.
            #expect(try await client.ask("log.write", Self.params)["error"]?["data"]?["reason"] == "networkError")
            try await eventually("the account is kept") { try daemon.outlet("core").couriers[0].isResting }
            #expect(try daemon.outlet("core").dropped == (keeps ? [:] : [.notKept: 2]))
            #expect(try daemon.outlet("core").pending == (keeps ? 2 : 0))
        }
    }

    @Test("L2: a server that hangs is given up after its time")
    func hanging() async throws {
        let settings = """
            {"name":"core","kind":"sensorcore","host":"http://core.test","socket":"$/server","apiKeyFile":"key",\
            "timeoutSeconds":0.2}
            """
        try await DaemonFixture.deliver(to: settings) { daemon, client, receiver in
            receiver.isHeld = true
            let error = try await client.ask("log.write", Self.params)["error"]
            #expect(error?["data"]?["reason"] == "networkError")
        }
    }

    @Test(
        "L2: where nobody can confirm, the line is refused and not stored",
        arguments: [
            ("", #"{"message":"x","confirm":true}"#), (DaemonFixture.sensorcore(#","enabled":false"#), params),
            (DaemonFixture.sensorcore(#","level":"error""#), params),
            (DaemonFixture.sensorcore(#","kinds":["event"]"#), params),
            (DaemonFixture.sensorcore().replacing(#""apiKeyFile":"key","#, with: ""), params),
            (DaemonFixture.sensorcore().replacing(#""key""#, with: #""nowhere""#), params),
            (DaemonFixture.sensorcore(), #"{"message":"x","confirm":true,"destination":"archive"}"#),
        ])
    func notConfigured(_ destinations: String, _ params: String) async throws {
        try await DaemonFixture.deliver(to: destinations) { daemon, client, receiver in
            let error = try await client.ask("log.write", params)["error"]
            #expect(error?["data"]?["reason"] == "notConfigured")
            #expect(error?["message"]?.stringValue?.contains("nothing was stored") == true)
            #expect(daemon.daemon.ledger.committedSequence == 0)
            #expect(receiver.requests.isEmpty)
        }
    }

    @Test("L2: who waits is told when harkd ends, and the line is delivered after the next start")
    func end() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            receiver.isHeld = true
            try client.send(#"{"id":1,"method":"log.write","params":\#(Self.params)}"# + "\n")
            try await eventually("a delivery is under way") { receiver.isAsked }
            let restarting = DaemonActor.task { try? await daemon.restart() }
            let error = try await client.reply()["error"]
            #expect(error?["data"]?["reason"] == "networkError")
            await restarting.value
            receiver.isHeld = false
            try await daemon.settle("core")
            #expect(receiver.contents.last == "x")
        }
    }

    @Test("L2: many at once are each told once")
    func many() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            receiver.answer = { request in
                Receiver.Answer(status: request.body?["content"]?.stringValue?.hasSuffix("3") == true ? 400 : 200)
            }
            for number in 0..<40 {
                try client.send(
                    #"{"id":\#(number),"method":"log.write","params":{"message":"\#(number)","confirm":true,"#
                        + #""userId":"u\#(number % 5)"}}"# + "\n")
            }
            var told: [Int64: Bool] = [:]
            for _ in 0..<40 {
                let reply = try await client.reply()
                let id = try #require(reply["id"]?.intValue)
                #expect(told[id] == nil)
                told[id] = reply["result"] != nil
            }
            #expect(told.filter { !$0.value }.keys.sorted() == [3, 13, 23, 33])
        }
    }
}
