internal import HarkCore

/// Makes tallies of a survey's showings once it has many. Belongs to the `StoreWriter`.
///
/// Triggers delete a tally with the first change of one of its rows, so a tally is never out of date. Showings without
/// a tally are counted by their rows. The newest rows change most, and get no tally.
final class TallyWriter {
    private let database: Database
    /// The number of showings that were closed or removed since the last round over all surveys.
    private var changes = 0
    /// Whether no round was made since the store was opened.
    private var isFirst = true
    /// The current position of the round; nil when it is done.
    private var place: Place?

    private struct Place {
        var survey: String
        var after: Int64 = 0
    }

    /// The number of changes after which another round pays off. As many rows at the end of a survey stay without a
    /// tally.
    private static let enough = 512
    /// The least number of rows for a tally between two others.
    private static let fewest = 256
    /// The number of positions without work that one call skips.
    private static let mostSteps = 64

    init(_ database: Database) { self.database = database }

    func note(_ count: Int) { changes += count }

    /// Whether another round over all surveys is due.
    var isDue: Bool { !isFirst && place == nil && changes >= Self.enough }

    /// Ends the round. The next one begins after enough changes.
    func giveUp() { (place, changes, isFirst) = (nil, 0, false) }

    /// Makes a tally, or moves on to the place of the next one.
    ///
    /// - Returns: whether there may be more to do.
    func catchUp() throws(StoreError) -> Bool {
        if isFirst || isDue {
            giveUp()
            try goOn(after: "")
        }
        for _ in 0..<Self.mostSteps {
            guard let place else { return false }
            let next = try tally(of: place)
            if let gap = try gap(at: place, before: next?.first) {
                self.place?.after = try make(of: place, before: gap)
                return true
            }
            if let next { self.place?.after = next.last } else { try goOn(after: place.survey) }
        }
        return true
    }

    private func goOn(after survey: String) throws(StoreError) {
        place = try database.prepare("SELECT survey FROM presentation WHERE survey > ? ORDER BY survey LIMIT 1")
            .bind(1, survey).first { Place(survey: $0.text(0) ?? "") }
    }

    /// The next existing tally.
    private func tally(of place: Place) throws(StoreError) -> (first: Int64, last: Int64)? {
        try database.prepare("SELECT first, last FROM tally WHERE survey = ? AND last > ? ORDER BY last LIMIT 1")
            .bind(1, place.survey).bind(2, place.after).first { ($0.integer(0), $0.integer(1)) }
    }

    /// - Returns: the end of the rows that are worth a tally; nil if there are none.
    private func gap(at place: Place, before end: Int64?) throws(StoreError) -> Int64? {
        let wanted = end == nil ? ShowingTally.mostRows + Self.enough : Self.fewest
        let count = try database.prepare(
            "SELECT row FROM presentation WHERE survey = ? AND row > ? AND row < ? ORDER BY row LIMIT 1 OFFSET ?")
        defer { count.reset() }
        let end = end ?? .max
        return try count.bind(1, place.survey).bind(2, place.after).bind(3, end).bind(4, Int64(wanted - 1)).step()
            ? end : nil
    }

    /// - Returns: the last row that was visited.
    private func make(of place: Place, before end: Int64) throws(StoreError) -> Int64 {
        let rows = try database.prepare(
            "\(PresentationTable.selection) WHERE survey = ? AND row > ? AND row < ? ORDER BY row LIMIT ?"
        ).bind(1, place.survey).bind(2, place.after).bind(3, end).bind(4, Int64(ShowingTally.mostRows))
        defer { rows.reset() }
        var builder = ShowingTally.Builder()
        var (first, last): (Int64?, Int64) = (nil, place.after)
        while !builder.isFull, try rows.step() {
            let row = PresentationTable.number(rows)
            // A revised showing is not counted.
            if rows.isNull(25) {
                guard let showing = try rows.showing(), builder.add(showing) else {
                    // The next reader of the row notes the damage.
                    if first == nil { last = row }
                    break
                }
            }
            (first, last) = (first ?? row, row)
        }
        guard let first, !builder.isEmpty else { return last }
        try database.prepare("INSERT INTO tally(survey, first, last, data) VALUES (?, ?, ?, ?)")
            .bind(1, place.survey).bind(2, first).bind(3, last).bind(4, builder.packed).run()
        return last
    }
}
