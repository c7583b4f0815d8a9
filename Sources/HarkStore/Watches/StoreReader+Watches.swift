internal import HarkCore
internal import HarkWire

extension StoreReader {
    /// All watches.
    func watches() throws(StoreError) -> [Watch] {
        let statement = try database.prepare(
            """
            SELECT uid, id, event, every, condition, app, user, added, since, lastAt, lastSequence, missed, came, misses, row,
                   hours, days
            FROM watch ORDER BY row
            """)
        var watches: [Watch] = []
        while try statement.step() {
            let row = statement.integer(14)
            let watch = try unreadable.passOver(.watches, [.number(row)]) { () throws(StoreError) in
                try StoreReader.watch(in: statement)
            }
            if let watch { watches.append(watch) }
        }
        return watches
    }

    private static func watch(in row: Statement) throws(StoreError) -> Watch {
        var condition: EventCondition?
        if !row.isNull(4) {
            condition = JSONValue(packed: row.bytes(4)).flatMap { Condition.read($0, path: "$").condition }
                .flatMap { condition in
                    do throws(ConditionFault) { return try EventCondition(condition) } catch { return nil }
                }
            // Without its condition, the watch would accept any event.
            if condition == nil { throw StoreError(.damaged, "the condition of a watch in the store cannot be read") }
        }
        var terms = WatchTerms()
        terms.every = try row.number(3, in: Watch.shortest...Watch.longest)
        terms.app = row.text(5)
        terms.userId = row.text(6)
        terms.between = row.text(15)
        terms.days = row.text(16)
        let hours: WatchHours?
        do throws(WireError) {
            hours = try WatchHours(between: terms.between, days: terms.days)
        } catch {
            throw StoreError(.damaged, "the hours of a watch in the store cannot be read")
        }
        var state = WatchState(since: row.timestamp(8))
        state.lastAt = row.time(9)
        state.lastSequence = row.isNull(10) ? nil : try row.sequence(10)
        state.missedAt = row.time(11)
        state.hasCome = row.integer(12) != 0
        state.misses = row.tally(13)
        return Watch(
            key: WatchKey(uid: try row.uid(0), id: ExactName(row.text(1) ?? "")), event: row.text(2) ?? "",
            terms: terms, condition: condition, hours: hours, addedAt: row.timestamp(7), state: state)
    }
}

extension ReadTable {
    fileprivate static let watches = ReadTable(kind: "a watch", deletion: "DELETE FROM watch WHERE row = ?")
}
