import Glibc
import HarkCore
import HarkSettings
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Synchronization
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkServer

/// Nobody waits for what others ask for.
@Suite(.timeLimit(.minutes(45))) struct FairnessTests {
    @Test("the status is told while the store is being read, and with what was committed before it was asked for")
    func status() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("event.record", #"{"name":"x"}"#)
            let hold = try await fixture.holdReader()
            defer { hold.end() }
            for expected in 1...3 {
                let status = try await client.call("daemon.status")["store"]
                #expect(status?["events"] == .int(Int64(expected)) && status?["unreadable"] == 0)
                try await client.call("event.record", #"{"name":"x"}"#)
            }
        }
    }

    @Test("who asks once is answered before who has asked sixty times")
    func turns() async throws {
        try await DaemonFixture.run { fixture in
            let (busy, other) = (try fixture.connect(), try fixture.connect())
            try await other.call("event.record", #"{"name":"x"}"#)
            let hold = try await fixture.holdReader()
            let request = #"{"id":"busy","method":"event.list"}"# + "\n"
            try busy.send(String(repeating: request, count: 60))
            try await eventually("all of them wait") { fixture.daemon.ledger.store.waitingQueries == 60 }
            try other.send(#"{"id":"other","method":"event.list"}"# + "\n")
            try await eventually("the other waits, too") { fixture.daemon.ledger.store.waitingQueries == 61 }
            hold.end()
            #expect(try await other.reply()["id"] == "other")
            // One of the busy client's came before it, and not many more while its reply was on the way.
            for _ in 0..<60 { #expect(try await busy.reply()["id"] == "busy") }
        }
    }

    @Test("of a client who is gone nothing is looked up any more, and what it asked to be done is done")
    func gone() async throws {
        try await DaemonFixture.run { fixture in
            let other = try fixture.connect()
            try await other.call("event.record", #"{"name":"x"}"#)
            let hold = try await fixture.holdReader()
            defer { hold.end() }
            var client: FixtureClient? = try fixture.connect()
            let lists = String(repeating: #"{"id":1,"method":"event.list"}"# + "\n", count: 100)
            try client?.send(lists + #"{"method":"event.record","params":{"name":"last"}}"# + "\n")
            try await eventually("as many wait as may") { fixture.daemon.ledger.store.waitingQueries == 64 }
            client = nil
            try await eventually("nothing waits any more") { fixture.daemon.ledger.store.waitingQueries == 0 }
            hold.end()
            try await eventually("its last word was heard") {
                fixture.daemon.server.connections.count == 1 && fixture.daemon.ledger.isSettled
            }
            let events = try await other.call("event.list", #"{"name":"last"}"#)["events"]
            #expect(events?.arrayValue?.count == 1)
        }
    }

    @Test("a user has no more calls under way than a bound, over all clients, and a client without any is served")
    func bound() async throws {
        try await DaemonFixture.run { fixture in
            let hold = try await fixture.holdReader()
            let request = #"{"id":1,"method":"event.list"}"# + "\n"
            let clients = try (0..<8).map { _ in try fixture.connect() }
            for client in clients { try client.send(String(repeating: request, count: 70)) }
            try await eventually("as many wait as may") { fixture.daemon.ledger.store.waitingQueries >= 256 }
            // All of them are looked at before the loop has answered somebody ten times.
            let other = try fixture.connect()
            for _ in 0..<10 { try await other.call("hello") }
            #expect(fixture.daemon.ledger.store.waitingQueries <= 256 + clients.count)
            try await fixture.connect().call("event.record", #"{"name":"x"}"#)
            hold.end()
            for client in clients { for _ in 0..<70 { _ = try await client.reply() } }
        }
    }

    @Test("a client that sends without end leaves the loop to others after each slice")
    func slices() async throws {
        try await DaemonFixture.run { fixture in
            let (busy, other) = (try fixture.connect(), try fixture.connect())
            // Far more than a slice, in one go.
            try busy.send(String(repeating: #"{"id":1,"method":"hello"}"# + "\n", count: 3_000))
            try other.send(#"{"id":2,"method":"hello"}"# + "\n")
            #expect(try await other.reply()["id"] == 2)
            #expect(busy.unreadReplies < 3_000)
            for _ in 0..<3_000 { #expect(try await busy.reply()["id"] == 1) }
        }
    }

    @Test("a document is checked away from the loop")
    func validation() async throws {
        try await DaemonFixture.run { fixture in
            let (author, other) = (try fixture.connect(), try fixture.connect())
            let text = "[" + String(repeating: "{},", count: 30_000) + "]"
            try author.send(
                #"{"id":1,"method":"config.validate","params":{"kind":"surveys","text":"{\"surveys\":\#(text)}"}}"#
                    + "\n")
            try await other.call("event.record", #"{"name":"x"}"#)
            #expect(author.isSilent)
            let reply = try await author.reply()["result"]
            #expect(reply?["valid"] == false && reply?["errors"]?.arrayValue?.count == 100)
        }
    }

    @Test("settings are read away from the loop, and hold when the reply comes")
    func reload() async throws {
        try await DaemonFixture.run { fixture in
            let (author, other) = (try fixture.connect(), try fixture.connect())
            let crowd = (0..<5_000).map {
                #"{"id":"s\#($0)","title":"T","message":"M","options":["A"],"trigger":{"event":{"name":"e\#($0)"}}}"#
            }
            try fixture.write(surveys: #"{"surveys":[\#(crowd.joined(separator: ","))]}"#)
            try author.send(#"{"id":1,"method":"daemon.reload"}"# + "\n")
            try await other.call("event.record", #"{"name":"x"}"#)
            #expect(author.isSilent)
            #expect(try await author.reply()["result"]?["reloaded"] == true)
            #expect(fixture.daemon.ledger.settings.surveys.surveys.count == 5_000)
            try fixture.write(surveys: "{} {}")
            try await author.call("daemon.reload")
            #expect(fixture.daemon.ledger.settings.surveys.surveys.count == 5_000)
            #expect(fixture.daemon.surveys.source.problems.first?.description.contains("line 1, column 4") == true)
        }
    }
}
