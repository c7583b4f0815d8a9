package import HarkCore

/// Records that were just committed, counted once for all the lanes that want to know how many of them are theirs.
package struct Arrivals {
    let records: [Record]
    /// By kind, as its raw value.
    private var counts = [Int](repeating: 0, count: Record.Kind.allCases.count)
    private var eventsOfSurveys = 0
    /// About so much memory.
    private(set) var bytes = 0

    package init(_ records: [Record]) {
        self.records = records
        records[...].inPlace { places in
            for place in 0..<places.count {
                let kind = places.kind(place)
                counts[Int(kind.rawValue)] += 1
                bytes += places.weight(place)
                if kind == .event, SurveyEvents.isName(records[place].name) { eventsOfSurveys += 1 }
            }
        }
    }

    /// How many a filter wants. Only what looks at more than kinds has to look at each record.
    func count(_ filter: DeliveryFilter) -> Int {
        guard filter.isOfKindsOnly else {
            return records.count { record in record.withView { filter.wants($0, of: record.session) } }
        }
        var count = 0
        for kind in Record.Kind.allCases where filter.kinds.contains(kind) {
            guard kind == .event else {
                count += counts[Int(kind.rawValue)]
                continue
            }
            let events = counts[Int(kind.rawValue)]
            switch filter.events {
            case .none: break
            case .ofSurveys: count += eventsOfSurveys
            case .others: count += events - eventsOfSurveys
            case .all: count += events
            }
        }
        return count
    }
}
