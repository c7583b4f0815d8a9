import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("Statistics of events")
struct EventStatisticsTests {
    private static let session = SessionIdentity(
        row: 1, id: Identifier(high: 1, low: 2), scope: Scope(uid: 1000, app: "shop"), userId: nil,
        startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: false)

    private static func record(_ name: String, at time: Int64 = 0, _ members: [(String, PropertyValue)]) -> Record {
        Record(
            sequence: 1, id: Identifier(high: 0, low: 1), at: Timestamp(milliseconds: time), kind: .event,
            session: session, name: name, source: Source(uid: 1000, pid: 1), properties: Properties(members))
    }

    private static func statistics(
        _ question: StatisticsQuestion, of records: [Record], limit: Int = 10_000
    ) throws -> JSONValue {
        let statistics = EventStatistics(question)
        for record in records {
            statistics.beginBlock()
            record.withView { statistics.add($0, of: session) }
        }
        return try JSONDocument(statistics.info(limit: limit).json, .json).value
    }

    @Test("3 and 3.0 are one group, the text 3 and what is missing are others")
    func keys() throws {
        var question = StatisticsQuestion()
        question.by = [.property(ExactName("p"))]
        let values: [PropertyValue] = [.integer(3), .double(3), .string("3"), .bool(true), .double(0.5), .double(-0.0)]
        let records = values.map { Self.record("a", [("p", $0)]) } + [Self.record("a", [("q", .integer(3))])]
        let result = try Self.statistics(question, of: records)
        let groups = result["groups"]?.arrayValue ?? []
        #expect(groups.count == 6)
        #expect(groups.first?["by"] == [3] && groups.first?["count"] == 2)
        #expect(groups.contains { $0["by"] == [.null] } && groups.contains { $0["by"] == ["3"] })
    }

    @Test("groups with as many events are in the order of their values, texts by letter and numbers by size")
    func order() throws {
        var question = StatisticsQuestion()
        question.by = [.property(ExactName("p"))]
        let values: [PropertyValue] = [
            .string("tap"), .string("checkout"), .string("a"), .integer(10), .integer(-3), .integer(2), .double(0.5),
            .double(-0.5),
        ]
        let result = try Self.statistics(question, of: values.map { Self.record("a", [("p", $0)]) })
        let shown = (result["groups"]?.arrayValue ?? []).compactMap { $0["by"]?[0] }
        #expect(shown == ["a", "checkout", "tap", -3, 2, 10, -0.5, 0.5])
    }

    @Test("buckets begin at their boundary and end before the next; what is outside does not count")
    func buckets() throws {
        var question = StatisticsQuestion()
        question.boundaries = [10, 20, 50].map(Timestamp.init(milliseconds:))
        let records = [9, 10, 19, 20, 49, 50, 12].map { Self.record("a", at: $0, []) }
        let total = try Self.statistics(question, of: records)["total"]
        #expect(total?["count"] == 5)
        #expect(
            total?["buckets"] == [
                ["bucket": 0, "from": "1970-01-01T00:00:00.010Z", "count": 3],
                ["bucket": 1, "from": "1970-01-01T00:00:00.020Z", "count": 2],
            ])
    }

    @Test("groups beyond the bound are told as the rest, with nothing lost of the total")
    func rest() throws {
        var question = StatisticsQuestion()
        question.by = [.property(ExactName("p"))]
        question.value = question.by[0]
        question.percentiles = [50]
        let records = (0..<5_000).map { Self.record("a", [("p", .integer($0))]) }
        let result = try Self.statistics(question, of: records, limit: 10)
        let (known, rest) = (result["groupCount"]?.intValue ?? 0, result["rest"]?["count"]?.intValue ?? 0)
        #expect(result["groups"]?.arrayValue?.count == 10)
        #expect(known == Int64(question.groupLimit) && known + rest == 5_000 && rest > 0)
        #expect(result["total"]?["count"] == 5_000 && result["total"]?["sum"] == .int(4_999 * 2_500))
        let long = (0..<300).map { Self.record("a", [("p", .string(String(repeating: "x", count: 10_000) + "\($0)"))]) }
        let cut = try Self.statistics(question, of: long)
        #expect((cut["rest"]?["count"]?.intValue ?? 0) > 150 && cut["total"]?["count"] == 300)
    }

    @Test("over random events it counts and sums as a plain walk does")
    func random() throws {
        var random = SplitMix64(state: 3)
        var question = StatisticsQuestion()
        question.by = [.name, .property(ExactName("plan"))]
        question.value = .property(ExactName("amount"))
        question.distinct = .property(ExactName("amount"))
        question.boundaries = stride(from: 0, through: 1_000, by: 100).map(Timestamp.init(milliseconds:))
        let records = (0..<4_000).map { _ in
            let plan: [(String, PropertyValue)] = [[], [("plan", .string("pro"))], [("plan", .string("free"))]][
                Int.random(in: 0..<3, using: &random)]
            return Self.record(
                ["a", "b"][Int.random(in: 0..<2, using: &random)], at: .random(in: -100..<1_100, using: &random),
                plan + [("amount", .integer(.random(in: 0..<50, using: &random)))])
        }
        let result = try Self.statistics(question, of: records)
        for group in result["groups"]?.arrayValue ?? [] {
            let members = records.filter {
                group["by"] == [.string($0.name), $0.properties["plan"].map(JSONValue.init) ?? .null]
                    && (0..<1_000).contains($0.at.milliseconds)
            }
            func amounts(_ records: [Record]) -> [Int64] {
                records.compactMap { $0.properties["amount"].flatMap { JSONValue($0).intValue } }
            }
            #expect(group["count"] == .int(Int64(members.count)))
            #expect(group["sum"] == .int(amounts(members).reduce(0, +)))
            #expect(group["distinct"] == .int(Int64(Set(amounts(members)).count)))
            for bucket in group["buckets"]?.arrayValue ?? [] {
                let place = bucket["bucket"]?.intValue ?? -1
                let inside = members.filter { $0.at.milliseconds / 100 == place }
                #expect(bucket["count"] == .int(Int64(inside.count)))
                #expect(bucket["sum"] == .int(amounts(inside).reduce(0, +)))
            }
        }
        #expect(result["groupCount"] == 6)
    }
}
