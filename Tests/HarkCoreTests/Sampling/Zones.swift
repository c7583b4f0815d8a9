import Foundation
import HarkWire
import Testing

@testable import HarkCore

/// The time zones of this machine's tzdata.
enum Zones {
    static let folder = "/usr/share/zoneinfo"

    static func file(_ name: String) throws -> ZoneFile {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        return try #require(ZoneFile([UInt8](data)), "\(name) cannot be read")
    }

    static func zone(_ name: String) throws -> LocalZone { LocalZone(try file(name)) }

    /// The names of all zones of tzdata, without links to others, sorted.
    static let all: [String] = {
        let table = (try? String(contentsOfFile: "\(folder)/tzdata.zi", encoding: .utf8)) ?? ""
        return table.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count > 1 && words[0] == "Z" ? String(words[1]) : nil
        }.sorted()
    }()

    /// The dates from 2020 to 2030 on which the clocks of a zone are set.
    static func leaps(_ name: String) throws -> [SamplingDate] {
        let file = try file(name)
        let start = CivilDate(year: 2020, month: 1, day: 1).daysSince1970
        let end = CivilDate(year: 2031, month: 1, day: 1).daysSince1970
        var dates: [SamplingDate] = []
        for day in start..<end where file.offset(atSeconds: day * 86_400) != file.offset(atSeconds: (day + 1) * 86_400)
        {
            for hour in (day * 24)..<((day + 1) * 24)
            where file.offset(atSeconds: hour * 3_600) != file.offset(atSeconds: (hour + 1) * 3_600) {
                let date = LocalZone(file).date(Timestamp(milliseconds: hour * 3_600_000))
                if dates.last != date { dates.append(date) }
            }
        }
        return dates
    }
}
