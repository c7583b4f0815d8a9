import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// `where` on lists and streams.
@Suite(.timeLimit(.minutes(45))) struct ConditionFilterTests {
    private static func sequences(_ reply: JSONValue) -> [Int64] {
        reply["events"]?.arrayValue?.compactMap { $0["seq"]?.intValue } ?? []
    }

    @Test("A5: a list has the events for which the condition holds, page by page, as text and as JSON")
    func list() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("session.start", #"{"userId":"ada"}"#)
            for number in 1...40 {
                let plan = number % 2 == 0 ? #","plan":"pro""# : ""
                try await client.call("event.record", #"{"name":"buy","properties":{"amount":\#(number)\#(plan)}}"#)
            }
            var found: [Int64] = []
            var after: Int64? = 0
            while let place = after {
                let page = try await client.call(
                    "event.list",
                    #"{"where":"amount > 20 and plan = pro and @user = ada","limit":3,"afterSeq":\#(place)}"#)
                found += Self.sequences(page)
                after = page["nextAfterSeq"]?.intValue
            }
            #expect(found == stride(from: 22, through: 40, by: 2).map { Int64($0 + 1) })
            let same = try await client.call(
                "event.list", #"{"where":{"amount":{"op":"gt","value":20},"plan":"pro"},"order":"desc"}"#)
            #expect(Self.sequences(same) == found.reversed())
            let error = try await client.ask("event.list", #"{"where":"amount > 20 an"}"#)["error"] ?? .null
            #expect(error["message"]?.stringValue?.contains("at character 13, 'an'") == true)
            #expect(error["data"]?["path"] == "$.params.where")
        }
    }

    @Test("A5: a stream tells of the events for which the condition holds, and of sessions, also where that takes long")
    func stream() async throws {
        try await DaemonFixture.run { fixture in
            let (client, reader) = (try fixture.connect(), try fixture.connect())
            try await reader.call("event.subscribe", #"{"where":"n > 2"}"#)
            // So much to look through that it is read from the store.
            let parts = (0..<9).map { #"t\#($0) contains \"nothing\""# }.joined(separator: " or ")
            let slow = try fixture.connect()
            try await slow.call("event.subscribe", #"{"include":["events"],"where":"(\#(parts)) or n > 2"}"#)
            let text = String(repeating: "x", count: 20_000)
            for number in 1...4 {
                try await client.call("event.record", #"{"name":"a","properties":{"n":\#(number),"t0":"\#(text)"}}"#)
            }
            #expect(try await reader.notification()["method"] == "session.started")
            for number in [3, 4] as [JSONValue] {
                for subscriber in [reader, slow] {
                    let event = try await subscriber.notification()["params"]?["event"]
                    #expect(event?["properties"]?["n"] == number)
                }
            }
        }
    }
}
