import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// What was just committed, counted once for all lanes.
@Suite struct ArrivalsTests {
    private static let names = [
        "survey_presented", "survey_response", "survey_dismissed", "survey_other_thing", "survey", "door_open", "x",
    ]

    private static func records(_ random: inout SplitMix64) -> [Record] {
        let session = SessionIdentity(
            row: 1, id: Identifier(high: 1, low: 1), scope: Scope(uid: 1000), userId: nil,
            startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: true)
        return (0..<40).map { number in
            let kind = Record.Kind.allCases.randomElement(using: &random)!
            let name =
                switch kind {
                case .event: names.randomElement(using: &random)!
                case .log: LogEntry.Level.allCases.randomElement(using: &random)!.rawValue
                default: ""
                }
            return Record(
                sequence: UInt64(number + 1), id: Identifier(high: 2, low: UInt64(number)),
                at: Timestamp(milliseconds: 0), kind: kind, session: session, name: name,
                source: Source(uid: 1000, pid: 1))
        }
    }

    @Test("counts what a look at each record would", arguments: 0..<200 as Range<UInt64>)
    func counts(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let records = Self.records(&random)
        let arrivals = Arrivals(records)
        for events in [DeliveryFilter.Events.none, .ofSurveys, .others, .all] {
            var kinds: Record.Kinds = []
            for kind: Record.Kinds in [.sessionStarted, .sessionEnded, .log, .form, .profile]
            where Bool.random(using: &random) {
                kinds.insert(kind)
            }
            var filter = DeliveryFilter(kinds: kinds, events: events)
            if seed % 4 == 1 { filter.names = [NamePattern("door_*")] }
            if seed % 4 == 2 { filter.leastGravity = LogEntry.Level.warning.gravity }
            if seed % 4 == 3 { filter.condition = try EventCondition(.value("@seq", Matcher(.gt, .int(20)))) }
            let wanted = records.count { record in record.withView { filter.wants($0, of: record.session) } }
            #expect(arrivals.count(filter) == wanted)
        }
    }
}
