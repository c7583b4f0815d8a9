import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkStore

/// A family is its folder and its place in one list: `Family.notes`, which only the tests have.
@Suite struct SampleFamilyTests {
    private static func run(
        limit: Int = 100, _ body: @escaping @DaemonActor @Sendable (DaemonFixture) async throws -> Void
    ) async throws {
        try await DaemonFixture.run(
            families: Family.all + [.notes], configuration: settings(limit: limit), body)
    }

    private static func settings(limit: Int) -> String { #"{"notify":null,"notes":{"limit":\#(limit)}}"# }

    @Test("it is served over the socket, goes by its settings, and is there after a restart")
    func life() async throws {
        try await Self.run(limit: 2) { fixture in
            var client = try fixture.connect()
            for text in ["milk", "bread"] { try await client.note(text) }
            let refusal = try await client.ask("note.add", #"{"userId":"ada","text":"more"}"#)["error"]
            #expect(
                refusal?["data"]?["reason"] == "tooLarge" && refusal?["message"]?.stringValue?.contains("2") == true)
            let missing = try await client.ask("note.add")["error"]
            #expect(missing?["data"]?["path"] == "$.params.text")
            #expect(try await client.notes() == ["milk", "bread"])
            #expect(try await client.call("note.list")["notes"] == [])
            let told = try await client.call("hello")["capabilities"]?.arrayValue ?? []
            #expect(told.contains("note.add") && told.contains("note.list"))

            #expect(try await client.call("config.get")["config"]?["notes"] == ["limit": 2])
            try fixture.configure(Self.settings(limit: 0))
            let fault = try await client.ask("daemon.reload")["error"]?["message"]?.stringValue
            #expect(fault?.contains("$.notes.limit") == true)
            let judged = try await client.call("config.validate", #"{"text":"{notes: {limti: 5}}"}"#)
            #expect(judged["problems"]?.arrayValue?.first?["path"] == "$.notes.limti")
            #expect(try await client.call("daemon.status")["problems"] == [])
            try fixture.configure(Self.settings(limit: 1))
            try await client.call("daemon.reload")
            #expect(try await client.call("daemon.status")["problems"]?.arrayValue?.first?["about"] == "notes")

            try await fixture.restart()
            client = try fixture.connect()
            #expect(try await client.notes() == ["milk", "bread"])
            #expect(try await client.call("daemon.status")["problems"]?.arrayValue?.first?["about"] == "notes")
        }
    }

    @Test("a clear takes along what is at hand and what is only in the store, and nothing that comes after it")
    func clear() async throws {
        try await Self.run { fixture in
            var client = try fixture.connect()
            for user in ["ada", "bob", "eve"] { try await client.note("of \(user)", user) }
            try await client.call("event.clear", #"{"userId":"ada"}"#)
            #expect(try await client.notes("ada") == [])
            #expect(try await client.notes("bob") == ["of bob"])

            try await fixture.restart()
            client = try fixture.connect()
            // Asked for while the store does not know of the clear yet, and noted in the same transaction.
            try client.send(
                """
                {"id":1,"method":"event.clear","params":{"userId":"bob"}}
                {"id":2,"method":"note.list","params":{"userId":"bob"}}
                {"id":3,"method":"note.add","params":{"userId":"bob","text":"anew"}}

                """)
            var told: JSONValue?
            for _ in 1...3 {
                let reply = try await client.reply()
                if reply["id"] == 2 { told = reply["result"]?["notes"] }
            }
            #expect(told == [])
            #expect(try await client.notes("bob") == ["anew"])
            #expect(try await client.notes("eve") == ["of eve"])

            try await fixture.restart()
            client = try fixture.connect()
            #expect(try await client.notes("ada") == [])
            #expect(try await client.notes("bob") == ["anew"])
            try await client.call("event.clear", #"{"all":true}"#)
            for user in ["ada", "bob", "eve"] { #expect(try await client.notes(user) == []) }
        }
    }

    @Test("what a user of the machine may keep of it has a bound over all its users, which a clear makes room in")
    func bound() async throws {
        try await Self.run { fixture in
            var client = try fixture.connect()
            let long = String(repeating: "x", count: 40)
            for user in ["ada", "bob"] { try await client.note(long, user) }
            for _ in 0..<2 {
                let refusal = try await client.ask("note.add", #"{"text":"\#(long)"}"#)["error"]
                #expect(refusal?["message"]?.stringValue?.contains("take 80 bytes") == true)
                try await fixture.restart()
                client = try fixture.connect()
            }
            try await client.call("event.clear", #"{"userId":"bob"}"#)
            try await client.note(long, "eve")
        }
    }

    @Test("whichever commit is refused, what was told is what is there, before and after a restart")
    func refusals() async throws {
        var number = 1
        while try await Self.live(refusing: number) { number += 1 }
        #expect(number > 6)
    }

    /// - Returns: Whether there were that many commits.
    private static func live(refusing number: Int) async throws -> Bool {
        let commit = NthCommit(number)
        try await run { fixture in
            var client = try fixture.connect()
            try await eventually("all is quiet") { fixture.daemon.ledger.isSettled }
            commit.install(in: fixture.daemon.ledger.store)
            var expected: [String: [String]] = [:]
            for step in 1...3 {
                for user in ["ada", "bob"] {
                    let text = "\(step)"
                    let reply = try await client.ask("note.add", #"{"userId":"\#(user)","text":"\#(text)"}"#)
                    if reply["result"] != nil { expected[user, default: []].append(text) }
                }
                guard step == 2 else { continue }
                let isCleared = try await client.ask("event.clear", #"{"userId":"ada"}"#)["result"] != nil
                // A refused commit may be stored all the same if the one after it could not be.
                let left = isCleared ? [] : try await client.notes("ada")
                #expect(left.isEmpty || left == expected["ada"], "commit \(number)")
                expected["ada"] = left
            }
            try await eventually("the store takes commits") {
                fixture.daemon.ledger.trouble == nil && fixture.daemon.ledger.isSettled
            }
            for _ in 0..<2 {
                for user in ["ada", "bob"] {
                    #expect(try await client.notes(user) == expected[user] ?? [], "commit \(number), \(user)")
                }
                try await fixture.restart()
                client = try fixture.connect()
            }
        }
        return commit.isRefused
    }

    @Test("a row that cannot be read is passed over, told and removed by daemon.repair")
    func unreadable() async throws {
        try await Self.run { fixture in
            var client = try fixture.connect()
            for text in ["milk", "bread"] { try await client.note(text) }
            try Database(path: fixture.daemon.ledger.store.path, access: .write)
                .execute("UPDATE note SET id = x'01' WHERE text = 'milk'")
            try await fixture.restart()
            client = try fixture.connect()
            #expect(try await client.notes() == ["bread"])
            #expect(try await client.call("daemon.status")["store"]?["unreadable"] == 1)
            #expect(try await client.call("daemon.repair")["removed"] == 1)
            #expect(try await client.call("daemon.status")["store"]?["unreadable"] == 0)
            let count = try Database(path: fixture.daemon.ledger.store.path, access: .read)
                .integer("SELECT count(*) FROM note")
            #expect(count == 1)
        }
    }

    @Test("a daemon without the family does not touch a store that has it")
    func without() async throws {
        try await Self.run { fixture in
            try await fixture.connect().note("milk")
            await fixture.daemon.stop()
            let error = #expect(throws: StoreError.self) { try Daemon(fixture.options, loop: fixture.loop) }
            #expect(error?.code == .tooNew)
        }
    }
}

extension FixtureClient {
    fileprivate func note(_ text: String, _ user: String = "ada") async throws {
        try await call("note.add", #"{"userId":"\#(user)","text":"\#(text)"}"#)
    }

    fileprivate func notes(_ user: String = "ada") async throws -> [String] {
        try await call("note.list", #"{"userId":"\#(user)"}"#)["notes"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
