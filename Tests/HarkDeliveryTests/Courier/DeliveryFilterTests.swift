import HarkCore
import HarkWire
import Testing

@testable import HarkDelivery

/// Which records a lane carries (row L9).
@Suite struct DeliveryFilterTests {
    private func includes(_ filter: DeliveryFilter, _ record: Record) -> Bool {
        let isIncluded = record.withView { filter.wants($0, of: record.session) }
        #expect(record.withView { filter.includes($0, of: record.session) } == isIncluded)
        // Where the kind decides, it decides the same.
        if let byKind = filter.byKind { #expect(record.withView { byKind.includes($0) } == isIncluded) }
        return isIncluded
    }

    private let event = Samples.record(.event, "door_opened")
    private let answer = Samples.record(.event, "survey_response")
    private let log = Samples.log(LogEntry("x", userId: "ada"))
    private let started = Samples.record(.sessionStarted)

    @Test("L9: kinds that are not asked for are not carried")
    func kinds() {
        for (kinds, kind) in [
            (Record.Kinds.sessionStarted, Record.Kind.sessionStarted), (.sessionEnded, .sessionEnded), (.log, .log),
            (.form, .form), (.profile, .profile),
        ] {
            for other in Record.Kind.allCases {
                let record = other == .log ? log : Samples.record(other, other == .event ? "tick" : "")
                #expect(includes(DeliveryFilter(kinds: kinds), record) == (other == kind), "\(other) by \(kind)")
            }
        }
    }

    @Test("L9: what surveys record of themselves is apart from all other events")
    func events() {
        for (events, isEvent, isAnswer) in [
            (DeliveryFilter.Events.none, false, false), (.ofSurveys, false, true), (.others, true, false),
            (.all, true, true),
        ] {
            let filter = DeliveryFilter(kinds: [], events: events)
            #expect(includes(filter, event) == isEvent, "\(events)")
            #expect(includes(filter, answer) == isAnswer, "\(events)")
            #expect(!includes(filter, log) && !includes(filter, started))
        }
    }

    @Test("L9: names are for events alone, and one that matches is enough")
    func names() {
        var filter = DeliveryFilter(kinds: [.log, .sessionStarted], events: .all)
        filter.names = ["door_*", "alarm"].map(NamePattern.init)
        for (name, isWanted) in [
            ("door_opened", true), ("door_", true), ("alarm", true), ("door", false), ("alarms", false), ("", false),
        ] {
            #expect(includes(filter, Samples.record(.event, name)) == isWanted, "\(name)")
        }
        #expect(includes(filter, log) && includes(filter, started))
    }

    @Test("L3: of log entries those of a level and above are carried, graver ones too; other records are")
    func level() {
        for (least, wanted) in [
            (LogEntry.Level.info, LogEntry.Level.allCases), (.messages, LogEntry.Level.allCases),
            (.warning, [.warning, .error]), (.error, [.error]),
        ] {
            var filter = DeliveryFilter(kinds: [.log, .sessionStarted], events: .all)
            filter.leastGravity = least.gravity
            for level in LogEntry.Level.allCases {
                let record = Samples.log(LogEntry("x", level: level, userId: "ada"))
                #expect(includes(filter, record) == wanted.contains(level), "\(level) of \(least)")
            }
            #expect(includes(filter, event) && includes(filter, started))
        }
    }

    @Test("L3: stretches of the log that are left out are, to their very ends")
    func skips() {
        var filter = DeliveryFilter(kinds: [.log], events: .all)
        filter.skips = [3...4, 7...UInt64.max]
        let carried = (1...9).filter { number in
            includes(filter, Samples.record(.event, "tick", sequence: number))
        }
        #expect(carried == [1, 2, 5, 6])
    }

    @Test("what a session that is removed held up to then is left out, and what other sessions hold is not")
    func removed() {
        var filter = DeliveryFilter(kinds: [.log], events: .all)
        filter.removed = [2: 5]
        for (row, sequence, isWanted) in [(1, 4, true), (2, 4, false), (2, 5, false), (2, 6, true)] {
            let session = Samples.session(row: Int64(row))
            let record = Samples.record(.event, "tick", of: session, sequence: UInt64(sequence))
            #expect(record.withView { filter.includes($0, of: session) } == isWanted, "\(row) \(sequence)")
            #expect(record.withView { filter.wants($0, of: session) })
        }
    }

    private func condition(_ text: String) throws -> EventCondition {
        let (condition, issues) = Condition.read(.string(text), path: "$")
        #expect(issues.errors.isEmpty)
        return try EventCondition(try #require(condition))
    }

    @Test("a condition is for events alone, and asks their properties, their session and themselves")
    func conditions() throws {
        let large = Samples.record(.event, "sold", Properties([("amount", .integer(60))]), of: Samples.session("ada"))
        for (text, isWanted) in [
            ("amount > 50", true), ("amount > 60", false), ("plan = pro", false), ("@user = ada", true),
            ("@user = bob", false), ("@app = default and @name = sold", true), ("@seq > 5", false),
            ("not amount = 1", true),
        ] {
            var filter = DeliveryFilter(kinds: [.log, .sessionStarted], events: .all)
            filter.condition = try condition(text)
            #expect(includes(filter, large) == isWanted, "\(text)")
            #expect(includes(filter, log) && includes(filter, started))
            filter.names = [NamePattern("door_*")]
            #expect(!includes(filter, large), "\(text) with another name")
        }
    }

    @Test(
        "a session is looked up only where something is asked of it, and one that is gone has no record that is wanted")
    func lookup() throws {
        var filter = DeliveryFilter(kinds: [.log], events: .all)
        filter.names = [NamePattern("door_*")]
        var looks = 0
        func includes(_ record: Record, _ session: SessionIdentity?) -> Bool {
            record.withView { view in
                filter.includes(view, ofSession: 1) {
                    looks += 1
                    return session
                }
            }
        }
        #expect(includes(event, nil) && includes(log, nil))
        filter.condition = try condition("@user = ada")
        #expect(includes(log, nil) && !includes(answer, nil))
        #expect(looks == 0)
        #expect(includes(event, Samples.session("ada")) && !includes(event, Samples.session()) && !includes(event, nil))
        #expect(looks == 3)
    }
}
