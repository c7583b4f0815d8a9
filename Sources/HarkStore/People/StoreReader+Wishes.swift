package import HarkCore
package import HarkWire

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
        engine.admit(wishes: wishes, quiet: try quietHours())
    }

    private func quietHours() throws(StoreError) -> [UInt32: PersonalQuiet] {
        let statement = try database.prepare("SELECT uid, hours, alarms FROM quiet ORDER BY uid")
        var quiet: [UInt32: PersonalQuiet] = [:]
        while try statement.step() {
            let row = statement.integer(0)
            let read = try unreadable.passOver(.quiet, [.number(row)]) {
                () throws(StoreError) -> (uid: UInt32, quiet: PersonalQuiet) in
                let hours = statement.text(1).map { QuietHours(text: $0) }
                if case .some(nil) = hours {
                    throw StoreError(.damaged, "the quiet hours of an account in the store cannot be read")
                }
                return (
                    try statement.uid(0), PersonalQuiet(hours: hours ?? nil, allowsAlarms: statement.integer(2) != 0)
                )
            }
            if let read { quiet[read.uid] = read.quiet }
        }
        return quiet
    }

    /// Brings in the users of an account for whom something is put off until a moment.
    package func loadHeld(until due: Timestamp?, of uid: UInt32, into engine: inout Engine) throws(StoreError) {
        guard let due else { return }
        let statement = try database.prepare(
            "SELECT DISTINCT user FROM presentation WHERE uid = ? AND state = 0 AND due = ?")
        statement.bind(1, Int64(uid)).bind(2, due.milliseconds)
        var users: [String] = []
        while try statement.step() { users.append(statement.text(0) ?? "") }
        for user in users { try load(UserKey(uid: uid, userId: user.isEmpty ? nil : user), into: &engine) }
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
    fileprivate static let quiet = ReadTable(
        kind: "somebody's quiet hours", deletion: "DELETE FROM quiet WHERE uid = ?")
}
