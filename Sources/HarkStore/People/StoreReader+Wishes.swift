package import HarkCore
internal import HarkWire

extension StoreReader {
    /// Brings all that people have said of being asked to the engine, unless it has that.
    package func loadWishes(into engine: inout Engine) throws(StoreError) {
        guard !engine.wishes.isLoaded else { return }
        let statement = try database.prepare(
            "SELECT row, uid, survey, muted, prompts, every, asked, afar FROM wish ORDER BY row")
        var wishes: [(key: WishKey, wish: Wish)] = []
        while try statement.step() {
            let row = statement.integer(0)
            let wish = try unreadable.passOver(.wishes, [.number(row)]) { () throws(StoreError) in
                try StoreReader.wish(in: statement)
            }
            if let wish { wishes.append(wish) }
        }
        engine.admit(wishes: wishes)
    }

    private static func wish(in row: Statement) throws(StoreError) -> (key: WishKey, wish: Wish) {
        var wish = Wish()
        wish.mutedUntil = row.time(3)
        wish.mutesPrompts = row.integer(4) != 0
        wish.every = row.isNull(5) ? nil : try row.number(5, in: 0 ... .max)
        wish.askedAt = row.time(6)
        wish.askedFromAfarAt = row.time(7)
        let survey = row.text(2) ?? ""
        return (WishKey(uid: try row.uid(1), survey: survey.isEmpty ? nil : survey), wish)
    }
}

extension ReadTable {
    fileprivate static let wishes = ReadTable(
        kind: "what somebody has said of being asked", deletion: "DELETE FROM wish WHERE row = ?")
}
