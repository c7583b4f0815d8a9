internal import HarkCore

/// A cursor over the log in the order of a query, which returns the parts where blocks may match.
///
/// Blocks are identified by the numbers of their first records. Parts outside of all stretches may match.
struct NameWalk {
    struct Part {
        private(set) var range: ClosedRange<Int64>
        private(set) var mayHold: Bool

        /// Extends the part to a later one, including the gap between them, if both may match.
        mutating func join(_ next: Part) {
            if mayHold, next.mayHold {
                let (lower, upper) = (next.range.lowerBound, next.range.upperBound)
                range = min(range.lowerBound, lower)...max(range.upperBound, upper)
            } else if next.mayHold || !mayHold {
                self = next
            }
        }
    }

    private let query: RecordQuery
    private let stretches: Statement
    /// The parts of the current stretch, the next one last.
    private var parts: [Part] = []
    /// The range not visited yet; nil at the end.
    private var rest: ClosedRange<Int64>?

    /// - Parameter bounds: the range to visit.
    init(_ query: RecordQuery, within bounds: ClosedRange<Int64>, _ database: Database) throws(StoreError) {
        self.query = query
        rest = bounds
        stretches = try database.prepare(
            query.descending
                ? "SELECT \(NameStretch.columns) FROM stretch WHERE first <= ?1 ORDER BY first DESC"
                : """
                SELECT \(NameStretch.columns) FROM stretch
                WHERE first >= coalesce((SELECT max(first) FROM stretch WHERE first <= ?1), 0) ORDER BY first
                """
        ).bind(1, query.descending ? bounds.upperBound : bounds.lowerBound)
    }

    /// The next part of the log, whether it may match or not; nil at the end.
    mutating func next() throws(StoreError) -> Part? {
        while parts.isEmpty {
            guard let rest else { return nil }
            guard try stretches.stepUnlessDamaged() ?? false else {
                self.rest = nil
                return Part(range: rest, mayHold: true)
            }
            let (first, last) = (stretches.integer(0), stretches.integer(1))
            guard first <= last, (first...last).overlaps(rest) else { continue }
            let own = (first...last).clamped(to: rest)
            // First the gap between two stretches, then the stretch.
            if query.descending {
                if own.upperBound < rest.upperBound { add(own.upperBound + 1...rest.upperBound) }
                self.rest = own.lowerBound > rest.lowerBound ? rest.lowerBound...own.lowerBound - 1 : nil
            } else {
                if own.lowerBound > rest.lowerBound { add(rest.lowerBound...own.lowerBound - 1) }
                self.rest = own.upperBound < rest.upperBound ? own.upperBound + 1...rest.upperBound : nil
            }
            let places = NameStretch.places(of: query, in: stretches).filter { $0.overlaps(own) }
            for place in query.descending ? places.reversed() : places { add(place.clamped(to: own)) }
            if places.isEmpty { parts.append(Part(range: own, mayHold: false)) }
            parts.reverse()
        }
        return parts.popLast()
    }

    private mutating func add(_ range: ClosedRange<Int64>) { parts.append(Part(range: range, mayHold: true)) }

    func reset() { stretches.reset() }
}

/// Looks up whether single blocks may match a query.
struct NameLookUp {
    private let query: RecordQuery
    private let stretch: Statement
    /// The last stretch used.
    private var known: (range: ClosedRange<Int64>, places: [ClosedRange<Int64>])?

    init(_ query: RecordQuery, _ database: Database) throws(StoreError) {
        self.query = query
        stretch = try database.prepare(
            "SELECT \(NameStretch.columns) FROM stretch WHERE first <= ? ORDER BY first DESC LIMIT 1")
    }

    /// - Parameter block: the number of its first record.
    mutating func mayHold(_ block: Int64) throws(StoreError) -> Bool {
        if let known, known.range.contains(block) { return known.places.contains { $0.contains(block) } }
        defer { stretch.reset() }
        guard try stretch.bind(1, block).stepUnlessDamaged() ?? false, stretch.integer(0) <= stretch.integer(1) else {
            return true
        }
        let range = stretch.integer(0)...stretch.integer(1)
        guard range.contains(block) else { return true }
        let places = NameStretch.places(of: query, in: stretch)
        known = (range, places)
        return places.contains { $0.contains(block) }
    }
}
