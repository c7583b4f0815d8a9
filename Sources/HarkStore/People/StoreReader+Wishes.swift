internal import HarkCore
internal import HarkWire

extension StoreReader {
    /// All people's preferences on being asked.
    func wishes() throws(StoreError) -> [(key: WishKey, wish: Wish)] {
        try WishTable.all(database.prepare("\(WishTable.selection) ORDER BY row"), unreadable)
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
        try database.prepare("SELECT DISTINCT user FROM presentation WHERE uid = ? AND state = 0 AND due = ?")
            .bind(1, Int64(uid)).bind(2, due.milliseconds).all { UserKey(uid: uid, column: $0.text(0) ?? "") }
    }
}

extension ReadTable {
    fileprivate static let quiet = ReadTable(
        kind: "the quiet hours of an account", deletion: "DELETE FROM quiet WHERE uid = ?")
}
