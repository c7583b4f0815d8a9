import HarkDelivery
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// `delivery.deadletters`, `replay` and `drop` (row L9).
@Suite(.timeLimit(.minutes(45))) struct DeadLetterMethodTests {
    /// Log entries `1` to `count`, all refused by two destinations, which accept later ones.
    private static func withLetters(
        _ count: Int, _ settings: String = "",
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient, Receiver) async throws -> Void
    ) async throws {
        let hook = DaemonFixture.hook(#","kinds":["log"],"batchEntries":1\#(settings)"#)
        try await DaemonFixture.deliver(to: "\(DaemonFixture.sensorcore()), \(hook)") { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: 422) }
            for number in 1...count { try await client.call("log.write", #"{"message":"\#(number)"}"#) }
            try await daemon.settle("core")
            try await daemon.settle("hook")
            receiver.answer = { _ in Receiver.Answer() }
            try await body(daemon, client, receiver)
        }
    }

    /// The numbers of the letters a request lists.
    @DaemonActor
    private static func list(_ client: FixtureClient, _ params: String = #"{"destination":"hook"}"#) async throws
        -> [Int64]
    {
        let letters = try await client.call("delivery.deadletters", params)["deadLetters"]?.arrayValue ?? []
        return letters.compactMap { $0["seq"]?.intValue }
    }

    @Test("L9: a dead letter tells whose it is, why it is one, and what is in it")
    func letter() async throws {
        try await Self.withLetters(1) { daemon, client, receiver in
            let letters = try await client.call("delivery.deadletters")["deadLetters"]?.arrayValue ?? []
            #expect(Set(letters.map { $0["destination"]?.stringValue }) == ["core", "hook"])
            let letter = try #require(letters.first { $0["destination"] == "hook" })
            #expect(
                letter.objectValue?.keys == [
                    "destination", "seq", "lane", "cause", "status", "reason", "at", "replays", "record",
                ])
            #expect(letter["lane"] == "logs" && letter["cause"] == "refused" && letter["status"] == 422)
            #expect(letter["replays"] == 0 && letter["at"] == "2100-01-01T00:00:00.000Z")
            #expect(letter["reason"]?.stringValue?.contains("refuses it (HTTP 422)") == true)
            #expect(letter["record"]?["kind"] == "log" && letter["record"]?["log"]?["message"] == "1")
        }
    }

    @Test("L9: dead letters are tried again too if their destination is set up anew while that is asked for")
    func replayDuringReload() async throws {
        try await Self.withLetters(2) { daemon, client, receiver in
            let other = try daemon.connect()
            try await other.call("hello")
            let hold = try await daemon.holdReader()
            defer { hold.end() }
            try client.send(#"{"id":"r","method":"delivery.replay","params":{"destination":"hook"}}"# + "\n")
            for _ in 0..<100 { try await other.call("hello") }
            let hook = DaemonFixture.hook(#","kinds":["log"],"batchEntries":2"#)
            try await daemon.reload(destinations: "\(DaemonFixture.sensorcore()), \(hook)")
            try await daemon.settle("hook")
            hold.end()
            #expect(try await client.reply()["result"]?["replayed"] == 2)
            try await daemon.settle("hook")
            #expect(try daemon.daemon.delivery.deadLetterCounts() == ["core": 2])
        }
    }

    @Test("L9: dead letters are listed in the order of their numbers, a page at a time")
    func pages() async throws {
        try await Self.withLetters(5) { daemon, client, receiver in
            let all = try await Self.list(client)
            #expect(all.count == 5 && all == all.sorted())
            #expect(try await Self.list(client, #"{"destination":"hook","limit":2}"#) == Array(all[..<2]))
            #expect(
                try await Self.list(client, #"{"destination":"hook","limit":2,"afterSeq":\#(all[1])}"#)
                    == Array(all[2..<4]))
            #expect(try await Self.list(client, #"{"destination":"hook","afterSeq":\#(all[4])}"#) == [])
            #expect(try await Self.list(client, "{}").count == 10)
            for (params, path) in [
                (#"{"limit":0}"#, "$.params.limit"), (#"{"limit":1001}"#, "$.params.limit"),
                (#"{"limit":"2"}"#, "$.params.limit"), (#"{"destination":"hook","afterSeq":-1}"#, "$.params.afterSeq"),
                (#"{"destination":"hook","afterSeq":"7"}"#, "$.params.afterSeq"),
            ] {
                let error = try await client.ask("delivery.deadletters", params)["error"]
                #expect(error?["data"]?["reason"] == "invalidParams", "\(params)")
                #expect(error?["data"]?["path"]?.stringValue == path)
            }
        }
    }

    @Test("L9: dead letters of all destinations are listed page by page, which also end by their bytes")
    func pagesOfAll() async throws {
        try await Self.withLetters(3) { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: 422) }
            let text = String(repeating: "x", count: 90_000)
            for _ in 1...16 { try await client.call("log.write", #"{"message":"m","metadata":{"t":"\#(text)"}}"#) }
            try await daemon.settle("core")
            try await daemon.settle("hook")
            var found: [String] = []
            var after = ""
            var pages = 0
            repeat {
                let page = try await client.call("delivery.deadletters", #"{"limit":1000\#(after)}"#)
                let letters = page["deadLetters"]?.arrayValue ?? []
                #expect(letters.count { $0["record"]?["log"]?["metadata"]?["t"] != nil } <= 12)
                found += letters.map { "\($0["destination"]?.stringValue ?? "") \($0["seq"]?.intValue ?? 0)" }
                #expect(page["more"] == .bool(page["next"] != .null))
                pages += 1
                guard let next = page["next"]?.stringValue else { break }
                #expect(next.split(separator: " ").reversed().joined(separator: " ") == found.last)
                after = #","after":"\#(next)""#
            } while pages < 20
            #expect(found.count == 38 && Set(found).count == 38 && pages >= 3)
            for cursor in ["", "7", "hook 7", "-1 hook"] {
                let error = try await client.ask("delivery.deadletters", #"{"after":"\#(cursor)"}"#)["error"]
                #expect(error?["data"]?["path"] == "$.params.after", "\(cursor)")
            }
        }
    }

    @Test("L9: the letters that are named are tried again, of that destination only; without names, all of them")
    func replay() async throws {
        try await Self.withLetters(4) { daemon, client, receiver in
            let all = try await Self.list(client)
            let before = receiver.requests.count
            let some = try await client.call(
                "delivery.replay", #"{"destination":"hook","seqs":[\#(all[2]),\#(all[0]),\#(all[0]),999999]}"#)
            #expect(some["replayed"] == 2)
            try await daemon.settle("hook")
            #expect(try await Self.list(client) == [all[1], all[3]])
            #expect(receiver.requests.dropFirst(before).count == 2)
            #expect(try daemon.outlet("hook").accepted == 2)
            #expect(try daemon.outlet("hook").dropped == [.refused: 2])
            #expect(try await client.call("delivery.replay", #"{"destination":"hook","seqs":[]}"#)["replayed"] == 0)
            #expect(try await client.call("delivery.replay", #"{"destination":"hook"}"#)["replayed"] == 2)
            try await daemon.settle("hook")
            #expect(try await Self.list(client) == [])
            #expect(try daemon.outlet("hook").dropped == [:])
            #expect(try daemon.outlet("core").dropped == [.refused: 4])
            #expect(try await client.call("delivery.replay", #"{"destination":"hook"}"#)["replayed"] == 0)
        }
    }

    @Test("L9: letters that are to be tried again are so after a new start, or with other settings, too")
    func replayLater() async throws {
        try await Self.withLetters(3) { daemon, client, receiver in
            receiver.isHeld = true
            #expect(try await client.call("delivery.replay", #"{"destination":"hook"}"#)["replayed"] == 3)
            try await daemon.restart()
            #expect(try daemon.outlet("hook").accepted == 0)
            receiver.isHeld = false
            try await daemon.settle("hook")
            #expect(try daemon.outlet("hook").accepted == 3)
            #expect(try await Self.list(daemon.connect()) == [])
        }
    }

    @Test("L9: letters that are dropped are forgotten, and stay counted as what they were dropped for")
    func drop() async throws {
        try await Self.withLetters(4) { daemon, client, receiver in
            let all = try await Self.list(client)
            let before = receiver.requests.count
            let some = try await client.call("delivery.drop", #"{"destination":"hook","seqs":[\#(all[1]),999999]}"#)
            #expect(some["dropped"] == 1)
            #expect(try await Self.list(client) == [all[0], all[2], all[3]])
            #expect(try await client.call("delivery.drop", #"{"destination":"hook","seqs":[]}"#)["dropped"] == 0)
            #expect(try await Self.list(client).count == 3)
            #expect(try await client.call("delivery.drop", #"{"destination":"hook"}"#)["dropped"] == 3)
            #expect(try await Self.list(client) == [])
            #expect(try await Self.list(client, #"{"destination":"core"}"#).count == 4)
            #expect(try daemon.outlet("hook").dropped == [.refused: 4])
            #expect(try await client.call("delivery.replay", #"{"destination":"hook"}"#)["replayed"] == 0)
            #expect(receiver.requests.count == before)
        }
    }

    @Test("L9: no more dead letters are kept than maxDeadLetters says, the newest", arguments: [0, 1, 3])
    func bound(_ most: Int) async throws {
        try await Self.withLetters(5, #","maxDeadLetters":\#(most)"#) { daemon, client, receiver in
            let letters = try await client.call("delivery.deadletters", #"{"destination":"hook"}"#)["deadLetters"]
            let texts = letters?.arrayValue?.compactMap { $0["record"]?["log"]?["message"]?.stringValue }
            #expect(texts == (1...5).suffix(most).map(String.init))
            #expect(try daemon.outlet("hook").dropped == [.refused: 5])
        }
    }

    @Test("numbers that are none are refused, and no letter is touched")
    func noNumbers() async throws {
        try await Self.withLetters(1) { daemon, client, receiver in
            let before = receiver.requests.count
            for method in ["replay", "drop"] {
                for numbers in [
                    "7", #""7""#, #"["7"]"#, "[1,null]", "[-1]", "[1.5]", "[[1]]", "{}",
                ] {
                    let error = try await client.ask(
                        "delivery.\(method)", #"{"destination":"hook","seqs":\#(numbers)}"#)["error"]
                    #expect(error?["data"]?["reason"] == "invalidParams", "\(numbers)")
                    #expect(error?["data"]?["path"] == "$.params.seqs")
                    #expect(error?["message"]?.stringValue?.contains("an array of numbers") == true)
                }
            }
            #expect(try await Self.list(client).count == 1)
            #expect(receiver.requests.count == before)
        }
    }
}
