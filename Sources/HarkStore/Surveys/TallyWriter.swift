internal import HarkCore

/// Makes tallies of a survey's showings once it has many. Lives with the `StoreWriter`.
///
/// Triggers delete a tally with the first change of one of its rows, so a tally is never out of date. Showings without a tally are
/// counted by their rows. The newest rows change most, and get no tally.
final class TallyWriter {
    private let database: Database
    /// How many showings have ended, or were removed, since it last went through all surveys.
    private var changes = 0
    /// It has not been through since the store was opened.
    private var isFirst = true
    /// Where it is; nil: it has been through.
    private var place: Place?

    private struct Place {
        var survey: String
        var after: Int64 = 0
    }

    /// Another round is worth it after this number of changes. The same number of rows stays without a tally at the end of a survey.
    private static let enough = 512
    /// A gap between two tallies with fewer rows than this stays a gap.
    private static let fewest = 256
    /// The most places without work that one call passes.
    private static let mostSteps = 64

    init(_ database: Database) { self.database = database }

    func note(_ count: Int) { changes += count }

    /// Whether it is time to go through all surveys again.
    var isDue: Bool { !isFirst && place == nil && changes >= Self.enough }

    /// Stops here. The next round begins after enough changes.
    func giveUp() { (place, changes, isFirst) = (nil, 0, false) }

    /// Makes a tally, or goes on to where one is to be made.
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
        let next = try database.prepare(
            "SELECT survey FROM presentation WHERE survey > ? ORDER BY survey LIMIT 1")
        defer { next.reset() }
        place = try next.bind(1, survey).step() ? Place(survey: next.text(0) ?? "") : nil
    }

    /// The next one there is.
    private func tally(of place: Place) throws(StoreError) -> (first: Int64, last: Int64)? {
        let next = try database.prepare(
            "SELECT first, last FROM tally WHERE survey = ? AND last > ? ORDER BY last LIMIT 1")
        defer { next.reset() }
        guard try next.bind(1, place.survey).bind(2, place.after).step() else { return nil }
        return (next.integer(0), next.integer(1))
    }

    /// - Returns: the end of what is worth a tally; nil where nothing is.
    private func gap(at place: Place, before end: Int64?) throws(StoreError) -> Int64? {
        let wanted = end == nil ? ShowingTally.mostRows + Self.enough : Self.fewest
        let count = try database.prepare(
            "SELECT row FROM presentation WHERE survey = ? AND row > ? AND row < ? ORDER BY row LIMIT 1 OFFSET ?")
        defer { count.reset() }
        let end = end ?? .max
        return try count.bind(1, place.survey).bind(2, place.after).bind(3, end).bind(4, Int64(wanted - 1)).step()
            ? end : nil
    }

    /// - Returns: the row it went up to.
    private func make(of place: Place, before end: Int64) throws(StoreError) -> Int64 {
        let rows = try database.prepare(
            """
            SELECT \(SurveyReader.columns) FROM presentation WHERE survey = ? AND row > ? AND row < ? ORDER BY row LIMIT ?
            """
        ).bind(1, place.survey).bind(2, place.after).bind(3, end).bind(4, Int64(ShowingTally.mostRows))
        defer { rows.reset() }
        var builder = ShowingTally.Builder()
        var (first, last): (Int64?, Int64) = (nil, place.after)
        while !builder.isFull, try rows.step() {
            let row = rows.integer(20)
            // One that was changed is not counted.
            if rows.isNull(26) {
                guard let showing = try rows.showing(), builder.add(showing) else {
                    // The damage is noted by the next reader of the row.
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
