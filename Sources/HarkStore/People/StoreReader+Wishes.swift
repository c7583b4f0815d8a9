internal import HarkCore
internal import HarkWire

extension StoreReader {
    /// All people's preferences on being asked.
    func wishes() throws(StoreError) -> [(key: WishKey, wish: Wish)] {
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
        return wishes
    }

    func quietHours() throws(StoreError) -> [UInt32: PersonalQuiet] {
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

    /// The users of an account who have a survey postponed until a time.
    func usersHeld(until due: Timestamp, of uid: UInt32) throws(StoreError) -> [UserKey] {
        let statement = try database.prepare(
            "SELECT DISTINCT user FROM presentation WHERE uid = ? AND state = 0 AND due = ?")
        statement.bind(1, Int64(uid)).bind(2, due.milliseconds)
        var users: [UserKey] = []
        while try statement.step() { users.append(UserKey(uid: uid, column: statement.text(0) ?? "")) }
        return users
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
