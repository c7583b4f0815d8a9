package import HarkCore

/// Newly committed records, counted once for all lanes.
package struct Arrivals {
    let records: [Record]
    /// The counts by the raw value of the kind.
    private var counts = [Int](repeating: 0, count: Record.Kind.allCases.count)
    private var eventsOfSurveys = 0
    /// The approximate memory.
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

    /// The number of records that a filter matches. Records are inspected only if the filter needs more than the kind.
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
