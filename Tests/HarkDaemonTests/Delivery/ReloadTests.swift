import HarkDelivery
import HarkSettings
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkServer

/// A configuration that is read again while destinations are at work.
@Suite(.timeLimit(.minutes(45))) struct DestinationReloadTests {
    @Test("what has not changed goes on as it is")
    func unchanged() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            let outlet = try daemon.outlet("core")
            try await daemon.reload(destinations: "\(DaemonFixture.sensorcore()), \(DaemonFixture.hook())")
            #expect(try daemon.outlet("core") === outlet)
            #expect(daemon.daemon.delivery.servers.map(\.name) == ["core", "hook"])
        }
    }

    @Test(
        "what has changed is in force at once, be it shown by config.get or not",
        arguments: [
            (hook(#","headers":{"X-Site":"one"}"#), hook(#","headers":{"X-Site":"two"}"#), "x-site: two"),
            (hook(url: "http://hook.test/in?key=one"), hook(url: "http://hook.test/in?key=two"), "POST /in?key=two"),
            (
                hook(url: "http://u:one@hook.test/in"), hook(url: "http://u:two@hook.test/in"),
                "authorization: Basic dTp0d28="
            ),
            (hook(), hook(#","method":"PUT""#), "PUT /in"), (hook(), hook(#","format":"array""#), "[{"),
            (hook(), hook(url: "http://hook.test/out"), "POST /out"),
            (hook(#","headers":{"A":{"file":"key"}}"#), hook(#","headers":{"B":{"file":"key"}}"#), "b: secret-key-1"),
        ])
    func changed(_ before: String, _ after: String, _ sign: String) async throws {
        try await DaemonFixture.deliver(to: before) { daemon, client, receiver in
            try await client.call("log.write", #"{"message":"1"}"#)
            try await daemon.settle("hook")
            #expect(receiver.requests.count == 1)
            #expect(receiver.requests.last?.shows(sign) == false)
            try await daemon.reload(destinations: after)
            try await client.call("log.write", #"{"message":"2"}"#)
            try await daemon.settle("hook")
            #expect(receiver.requests.last?.shows(sign) == true)
        }
    }

    private static func hook(_ settings: String = "", url: String = "http://hook.test/in") -> String {
        DaemonFixture.hook(settings, url: url)
    }

    @Test("destinations keep the order of the configuration, which decides who confirms")
    func order() async throws {
        let (core, hook) = (DaemonFixture.sensorcore(), DaemonFixture.hook())
        try await DaemonFixture.deliver(to: "\(hook), \(core)") { daemon, client, receiver in
            for (destinations, names) in [
                ("\(DaemonFixture.hook(#","method":"PUT""#)), \(core)", ["hook", "core"]),
                ("\(core), \(hook)", ["core", "hook"]), ("\(hook), \(core)", ["hook", "core"]), (core, ["core"]),
            ] {
                try await daemon.reload(destinations: destinations)
                #expect(daemon.daemon.delivery.servers.map(\.name) == names)
            }
        }
    }

    @Test("reloads in quick succession leave the last one in force, once")
    func quickly() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            receiver.isHeld = true
            daemon.daemon.delivery.patienceMicroseconds = DeliveryDesk.endless
            try await client.call("log.write", #"{"message":"1"}"#)
            try await eventually("a delivery is under way") { receiver.isAsked }
            for letters in 11...14 {
                try daemon.write(destinations: DaemonFixture.sensorcore(#","maxDeadLetters":\#(letters)"#))
                _ = try await daemon.daemon.reload()
            }
            receiver.isHeld = false
            try await eventually("the destinations are in place") { daemon.daemon.delivery.isInPlace }
            #expect(daemon.daemon.delivery.servers.map { $0.settings?.maxDeadLetters } == [14])
            try await client.call("log.write", #"{"message":"2"}"#)
            try await daemon.settle("core")
            #expect(receiver.contents == ["1", "2"])
            #expect(try daemon.outlet("core").accepted == 2)
        }
    }

    @Test("what waits is tried at once with other settings, also when they are read twice at a time")
    func twice() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: 503) }
            try await client.call("log.write", #"{"message":"1"}"#)
            try await eventually("it waits") {
                try daemon.outlet("core").gate.breaker.state == .waiting && daemon.outlet("core").isResting
            }
            receiver.answer = { _ in Receiver.Answer() }
            try daemon.write(destinations: DaemonFixture.sensorcore(#","maxDeadLetters":20"#))
            for _ in 0..<2 { _ = try await daemon.daemon.reload() }
            try await eventually("the destinations are in place") { daemon.daemon.delivery.isInPlace }
            try await eventually("it is delivered", within: 20) { receiver.contents == ["1", "1"] }
        }
    }

    @Test("a delivery under way comes to its end before the changed destination begins: nothing comes twice")
    func underWay() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            receiver.isHeld = true
            daemon.daemon.delivery.patienceMicroseconds = DeliveryDesk.endless
            for number in 1...3 { try await client.call("log.write", #"{"message":"\#(number)"}"#) }
            try await eventually("a delivery is under way") { receiver.isAsked }
            try daemon.write(destinations: DaemonFixture.sensorcore(#","maxDeadLetters":20"#))
            _ = try await daemon.daemon.reload()
            #expect(!daemon.daemon.delivery.isInPlace)
            try await client.call("log.write", #"{"message":"4"}"#)
            receiver.isHeld = false
            try await eventually("the destinations are in place") { daemon.daemon.delivery.isInPlace }
            try await daemon.settle("core")
            #expect(receiver.contents.sorted() == ["1", "2", "3", "4"])
            #expect(try daemon.outlet("core").accepted == 4)
        }
    }

    @Test("a reload is answered once changed destinations are in force, or after the patience with what is under way")
    func answered() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            receiver.isHeld = true
            try await client.call("log.write", #"{"message":"1"}"#)
            try await eventually("a delivery is under way") { receiver.isAsked }
            for letters in [21, 22] {
                try daemon.write(destinations: DaemonFixture.sensorcore(#","maxDeadLetters":\#(letters)"#))
                let reply = try await client.call("config.reload")
                #expect(reply["reloaded"] == true)
                #expect(daemon.daemon.delivery.servers.map { $0.settings?.maxDeadLetters } == [letters])
            }
            receiver.isHeld = false
            try await daemon.settle("core")
        }
    }

    @Test("a clear waits for the last delivery of a destination that is taken away: nothing leaves after it")
    func clear() async throws {
        let settings = DaemonFixture.sensorcore(#","concurrency":1"#)
        try await DaemonFixture.deliver(to: settings) { daemon, client, receiver in
            receiver.isHeld = true
            daemon.daemon.delivery.patienceMicroseconds = DeliveryDesk.endless
            for number in 1...3 { try await client.call("log.write", #"{"message":"\#(number)","userId":"ada"}"#) }
            try await eventually("a delivery is under way") { receiver.isAsked }
            try daemon.write(destinations: "")
            _ = try await daemon.daemon.reload()
            let other = try daemon.connect()
            try client.send(#"{"id":1,"method":"event.clear","params":{"userId":"ada"}}"# + "\n")
            // Time for a removal that does not wait to be over.
            for _ in 0..<100 { try await other.call("hello") }
            receiver.isHeld = false
            _ = try await client.reply()
            let before = receiver.contents
            try await eventually("the destinations are in place") { daemon.daemon.delivery.isInPlace }
            #expect(receiver.contents == before)
        }
    }

    @Test("a destination that is set up anew during a removal goes on where it is: nothing comes twice")
    func removal() async throws {
        func settings(_ name: String, _ more: String = "") -> String {
            """
            {"name":"\(name)","kind":"http","url":"http://hook.test/\(name)","socket":"$/\(name)","kinds":["event"],\
            "timeoutSeconds":600,"batchEntries":1\(more)}
            """
        }
        try await DaemonFixture.deliver { daemon, client, _ in
            let (slow, changed) = (try daemon.receiver("slow"), try daemon.receiver("changed"))
            try await daemon.reload(destinations: "\(settings("slow")),\(settings("changed"))")
            for user in ["ada", "bob"] {
                try await client.call("session.start", #"{"app":"\#(user)","userId":"\#(user)"}"#)
            }
            changed.answer = { _ in Receiver.Answer(status: 503) }
            for user in ["bob", "ada"] { try await client.call("event.record", #"{"name":"1","app":"\#(user)"}"#) }
            try await daemon.settle("slow")
            try await eventually("it waits") {
                try daemon.outlet("changed").gate.breaker.state == .waiting && daemon.outlet("changed").isResting
            }
            daemon.daemon.delivery.patienceMicroseconds = DeliveryDesk.endless
            var hasCome = false
            slow.holds = { _ in
                hasCome = true
                return true
            }
            try await client.call("event.record", #"{"name":"2","app":"bob"}"#)
            try await eventually("a delivery is under way") { hasCome }
            let other = try daemon.connect()
            try other.send(#"{"id":1,"method":"event.clear","params":{"userId":"ada"}}"# + "\n")
            try await eventually("the removal is under way") { daemon.daemon.sweeper.isRunning }
            for _ in 0..<100 { try await client.call("hello") }
            changed.answer = { _ in Receiver.Answer() }
            let before = changed.requests.count
            try await daemon.reload(destinations: "\(settings("slow")),\(settings("changed", #","maxDeadLetters":9"#))")
            try await daemon.settle("changed")
            slow.holds = { _ in false }
            #expect(try await other.reply()["result"]?["sessions"] == 1)
            try await daemon.restart()
            try await daemon.settle("changed")
            #expect(changed.requests.dropFirst(before).map { $0.body?["app"] } == ["bob", "bob"])
            #expect(try daemon.outlet("changed").accepted == 2)
            #expect(try daemon.outlet("changed").dropped == [.removed: 1])
        }
    }

    @Test("L3: a key that is replaced is used from the next reload on; one that is missing is waited for")
    func key() async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore()) { daemon, client, receiver in
            try await client.call("log.write", #"{"message":"1"}"#)
            try await daemon.settle("core")
            try daemon.put("secret-key-2", in: "key")
            try await daemon.reload()
            try await client.call("log.write", #"{"message":"2"}"#)
            try await daemon.settle("core")
            try daemon.put("\n", in: "key")
            try await daemon.reload()
            try await client.call("log.write", #"{"message":"3"}"#)
            try await eventually("the fault is told") { try daemon.outlet("core").lastError != nil }
            #expect(try daemon.outlet("core").lastError?.contains("does not hold a key") == true)
            #expect(try daemon.outlet("core").pending == 1)
            try daemon.put("secret-key-3", in: "key")
            try await daemon.reload()
            try daemon.pass(seconds: 60, for: "core")
            try await daemon.settle("core")
            let keys = receiver.requests.map { $0.headers["x-api-key"] }
            #expect(keys == ["secret-key-1", "secret-key-2", "secret-key-3"])
        }
    }
}

/// A suspension until the next start, while the configuration is read again (row L6).
@Suite(.timeLimit(.minutes(45))) struct SuspensionReloadTests {
    private static let suspending = #","suspendUntilRestart":true"#

    /// A daemon that is suspended, and a server that takes everything since.
    private static func suspended(
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient, Receiver) async throws -> Void
    ) async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.sensorcore(suspending)) { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: 429) }
            try await client.call("log.write", #"{"message":"x"}"#)
            try await eventually("it is suspended") {
                try daemon.outlet("core").state == .suspended && daemon.outlet("core").isResting
            }
            receiver.answer = { _ in Receiver.Answer() }
            try await body(daemon, client, receiver)
        }
    }

    @Test("L6: another setting, another key, or being away for a while do not end it; the next start does")
    func holds() async throws {
        try await Self.suspended { daemon, client, receiver in
            try await daemon.reload(destinations: DaemonFixture.sensorcore(Self.suspending + #","timeoutSeconds":9"#))
            #expect(try daemon.outlet("core").state == .suspended)
            try daemon.put("another", in: "key")
            try await daemon.reload()
            #expect(try daemon.outlet("core").state == .suspended)
            try await daemon.reload(destinations: "")
            try await daemon.reload(destinations: DaemonFixture.sensorcore(Self.suspending))
            #expect(try daemon.outlet("core").state == .suspended)
            try await client.call("delivery.flush")
            try await eventually("the pass is over") { try daemon.outlet("core").isResting }
            #expect(receiver.requests.count == 1)
            try await daemon.restart()
            try await daemon.settle("core")
            #expect(receiver.contents == ["x", "x"])
        }
    }

    @Test("L6: when nothing is to be suspended any more, it is over")
    func over() async throws {
        try await Self.suspended { daemon, client, receiver in
            try await daemon.reload(destinations: DaemonFixture.sensorcore())
            try await daemon.settle("core")
            #expect(receiver.contents == ["x", "x"])
        }
    }
}

extension DeliveryDesk {
    /// A patience that no busy machine wears out.
    fileprivate static let endless: UInt64 = 3_600_000_000
}

extension Receiver.Request {
    /// Whether it has this line, header or beginning of its body.
    fileprivate func shows(_ sign: String) -> Bool {
        ([line] + headers.map { "\($0.key): \($0.value)" }).contains(sign) || text.hasPrefix(sign)
    }
}
