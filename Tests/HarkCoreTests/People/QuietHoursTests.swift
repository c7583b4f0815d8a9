import Foundation
import HarkWire
import Testing

@testable import HarkCore

@Suite("Quiet hours on the clock on the wall")
struct QuietHoursTests {
    private static func zone(_ name: String) throws -> LocalZone {
        let zone = try #require(TimeZone(identifier: name))
        return LocalZone { time in
            Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000))) * 1_000
        }
    }

    /// Spans as they are written, reckoned minute by minute from their words alone.
    private struct Model {
        private var spans: [(from: Int, until: Int, days: Set<Int>)] = []

        init(_ text: String) {
            let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
            for span in text.split(separator: ";") {
                let words = span.split(separator: " ")
                let days = words.count > 1 ? words[1].split(separator: ",").map(String.init) : names
                let ends = words[0].split(separator: "-").map { clock in
                    clock.split(separator: ":").compactMap { Int($0) }.reduce(0) { $0 * 60 + $1 }
                }
                spans.append((ends[0], ends[1], Set(days.compactMap { names.firstIndex(of: $0) })))
            }
        }

        func isQuiet(_ wall: Int64) -> Bool {
            let minutes = Int(wall / 60_000)
            let (minute, day) = (minutes % 1_440, (minutes / 1_440 + 3) % 7)
            return spans.contains { span in
                if span.from < span.until {
                    return span.days.contains(day) && minute >= span.from && minute < span.until
                }
                return span.days.contains(day) && minute >= span.from
                    || span.days.contains((day + 6) % 7) && minute < span.until
            }
        }
    }

    private static let spans = [
        "22:00-07:00", "22:00-02:30", "02:15-02:45", "01:00-03:00 sun", "22:00-07:00 sat",
        "23:30-00:30;00:00-24:00 sun", "00:00-12:00;12:00-18:00 mon,tue", "03:00-02:00 sat,sun",
    ]

    @Test(
        "until when it is quiet, and when it is next, is what a look at every minute says, where clocks are set and where not",
        arguments: [
            "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca",
            "Asia/Kathmandu",
        ])
    func everyMinute(name: String) throws {
        let zone = try Self.zone(name)
        let (start, day) = (Timestamp("2026-01-01T00:00:00Z")!, Int64(86_400_000))
        func offset(_ time: Timestamp) -> Int64 { zone.wall(time) - time.milliseconds }
        let days = (0..<365).map { start.adding(milliseconds: Int64($0) * day) }
        let changes = days.filter { offset($0) != offset($0.adding(milliseconds: day)) }
        #expect(changes.isEmpty == (name == "Asia/Kathmandu"))
        // The day on which they are set, and the one before, from which that is to come.
        let looked = Set([start] + changes + changes.map { $0.adding(milliseconds: -day) })
        for from in looked {
            let minutes = (0...Int64(9 * 1_440)).map { from.adding(milliseconds: $0 * 60_000) }
            let walls = minutes.map { zone.wall($0) }
            for text in Self.spans {
                let (hours, model) = (try #require(QuietHours(text: text)), Model(text))
                var (end, begin): (Timestamp?, Timestamp?) = (nil, nil)
                // From the back, so that what follows is known.
                for (index, at) in minutes.enumerated().reversed() {
                    let isQuiet = model.isQuiet(walls[index])
                    if isQuiet { begin = at } else { end = at }
                    guard index < 1_440, index % 7 == 0 else { continue }
                    #expect(hours.end(at: at, in: zone) == (isQuiet ? end : nil), "\(text) in \(name), at \(at)")
                    #expect(hours.begin(after: at, in: zone) == (isQuiet ? nil : begin), "\(text) in \(name), at \(at)")
                }
            }
        }
    }

    @Test("in the middle of a minute as well")
    func milliseconds() throws {
        let hours = try #require(QuietHours(text: "22:00-07:00 sat"))
        let last = Timestamp("2026-11-22T06:59:59.999Z")!
        #expect(hours.end(at: last, in: .utc) == Timestamp("2026-11-22T07:00:00Z"))
        #expect(hours.end(at: last.adding(milliseconds: 1), in: .utc) == nil)
        #expect(hours.begin(after: last.adding(milliseconds: 1), in: .utc) == Timestamp("2026-11-28T22:00:00Z"))
    }

    @Test("what takes the whole week, or is no span, is refused; what was given is told again")
    func reading() throws {
        func read(_ text: String) throws -> QuietHours? {
            try QuietHours.read(try Samples.json(text).arrayValue ?? [])
        }
        for text in [
            #"[{"from":"00:00","until":"24:00"}]"#, #"[{"from":"22:00","until":"22:00"}]"#,
            #"[{"from":"22:00","until":"10:00"},{"from":"10:00","until":"22:00"}]"#, #"[{"from":"22:00"}]"#,
            #"[{"from":"25:00","until":"07:00"}]"#, #"[{"from":"22:00","until":"07:00","days":["someday"]}]"#,
            #"[{"from":"22:00","until":"07:00","days":[]}]"#, #"[{"from":"22:00","until":"07:00","day":"sat"}]"#, "[7]",
        ] {
            let error = #expect(throws: WireError.self) { _ = try read(text) }
            #expect(error?.reason == .invalidParams, "\(text)")
        }
        let given = #"[{"from":"22:00","until":"07:00","days":["sat","sun"]},{"from":"12:00","until":"13:00"}]"#
        let hours = try #require(try read(given))
        var json = JSONWriter()
        hours.write(to: &json)
        #expect(String(decoding: json.bytes, as: UTF8.self) == given)
        #expect(QuietHours(text: hours.text) == hours)
        #expect(try read("[]") == nil)
        #expect(QuietHours(text: "nonsense") == nil && QuietHours(text: "") == nil)
    }
}
