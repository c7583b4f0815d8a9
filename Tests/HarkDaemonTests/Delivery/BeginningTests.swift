import HarkDelivery
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// The position at which a destination begins, and that it is remembered (row L9).
@Suite(.timeLimit(.minutes(45))) struct BeginningTests {
    @Test("L9: a new destination gets what comes from then on, and nothing of the past")
    func fromThenOn() async throws {
        try await DaemonFixture.deliver { daemon, client, receiver in
            try await client.call("log.write", #"{"message":"before"}"#)
            try await daemon.reload(destinations: DaemonFixture.sensorcore())
            try await client.call("log.write", #"{"message":"after"}"#)
            try await daemon.settle("core")
            #expect(receiver.contents == ["after"])
        }
    }

    @Test("L9: where it began is kept at once: what came before its first delivery arrives after a new start")
    func keptAtOnce() async throws {
        let settings = DaemonFixture.hook(#","kinds":["event","log","survey"]"#)
        try await DaemonFixture.deliver(to: settings) { daemon, client, receiver in
            receiver.isHeld = true
            try await client.call("event.record", #"{"name":"one"}"#)
            try await client.call("log.write", #"{"message":"two"}"#)
            // Nothing has gathered long enough to be sent.
            #expect(receiver.requests.isEmpty)
            receiver.isHeld = false
            try await daemon.restart()
            try await daemon.settle("hook")
            let kinds = receiver.requests.compactMap { $0.body?["kind"]?.stringValue }
            #expect(Set(kinds) == ["event", "log"])
        }
    }

    @Test("L9: a lane that never got its turn, as the server was down, has lost nothing after a new start")
    func otherLane() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.hook(#","batchEntries":1"#)) { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: 503) }
            try await client.call("log.write", #"{"message":"first"}"#)
            try await eventually("the server was asked") { try daemon.outlet("hook").gate.breaker.state == .waiting }
            try await client.call("event.record", #"{"name":"second"}"#)
            try await daemon.restart()
            receiver.answer = { _ in Receiver.Answer() }
            try daemon.pass(seconds: 400, for: "hook")
            try await daemon.settle("hook")
            let texts = receiver.requests.map(\.text)
            #expect(texts.contains { $0.contains("second") })
            #expect(texts.contains { $0.contains("session.started") })
        }
    }

    @Test("L3: what is recorded while a destination is off is not sent, not after a new start either")
    func off() async throws {
        let off = DaemonFixture.sensorcore(#","enabled":false"#)
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            func write(_ message: String) async throws {
                try await daemon.connect().call("log.write", #"{"message":"\#(message)"}"#)
            }
            try await write("on")
            try await daemon.settle("core")
            try await daemon.reload(destinations: off)
            #expect(try daemon.outlet("core").state == .off)
            try await write("off 1")
            try await daemon.restart()
            try await write("off 2")
            try await daemon.restart()
            try await write("off 3")
            try await daemon.reload(destinations: DaemonFixture.sensorcore())
            try await write("on again")
            try await daemon.settle("core")
            #expect(receiver.contents == ["on", "on again"])
            #expect(try daemon.outlet("core").accepted == 2)
            #expect(try daemon.outlet("core").pending == 0)
        }
    }

    @Test("L3: what is recorded while a destination is off is not sent, also if the store refused that it is off")
    func offWhileRefused() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            try await client.call("log.write", #"{"message":"on"}"#)
            try await daemon.settle("core")
            try daemon.refuse("INSERT ON destination WHEN NEW.name LIKE 'core/%'")
            try await daemon.reload(destinations: DaemonFixture.sensorcore(#","enabled":false"#))
            try await daemon.refusal()
            try await daemon.recover()
            try await client.call("log.write", #"{"message":"off"}"#)
            try await daemon.reload(destinations: DaemonFixture.sensorcore())
            try await client.call("log.write", #"{"message":"on again"}"#)
            try await daemon.settle("core")
            #expect(receiver.contents == ["on", "on again"])
        }
    }

    @Test("L3: from the start that turns a destination on, everything is sent, though the next start comes soon")
    func onByStart() async throws {
        let off = DaemonFixture.sensorcore(#","enabled":false"#)
        try await DaemonFixture.deliver(to: off) { daemon, client, receiver in
            try await client.call("log.write", #"{"message":"off"}"#)
            try daemon.write(destinations: DaemonFixture.sensorcore())
            try await daemon.restart()
            receiver.isHeld = true
            try await daemon.connect().call("log.write", #"{"message":"on"}"#)
            receiver.isHeld = false
            try await daemon.restart()
            try await daemon.settle("core")
            #expect(receiver.contents.last == "on")
            #expect(!receiver.contents.contains("off"))
        }
    }

    @Test("L9: taken away and put back, a destination goes on where it was")
    func awayAndBack() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            try await client.call("log.write", #"{"message":"1"}"#)
            try await daemon.settle("core")
            try await daemon.reload(destinations: "")
            #expect(daemon.daemon.delivery.outlet(named: "core") == nil)
            try await client.call("log.write", #"{"message":"2"}"#)
            try await daemon.reload(destinations: DaemonFixture.sensorcore())
            try await client.call("log.write", #"{"message":"3"}"#)
            try await daemon.settle("core")
            #expect(receiver.contents == ["1", "2", "3"])
            #expect(try daemon.outlet("core").accepted == 3)
        }
    }
}
