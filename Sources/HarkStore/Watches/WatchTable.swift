internal import HarkCore
internal import HarkWire

extension StoreFamily {
    static let watches = StoreFamily(
        migrations: [
            13: Schema.watches,
            19: Schema.watchHours,
        ]
    ) { WatchWriter($0) }
}

enum WatchTable: NumberedTable {
    static let name = "watch"
    static let kind = "a watch"

    static func map(_ column: inout Columns<Watch>) throws(StoreError) -> Watch {
        let key = WatchKey(uid: column("uid", .key) { $0.key.uid }, id: column("id", .key) { $0.key.id })
        let event = column("event") { $0.event }
        var terms = WatchTerms()
        terms.every = column("every") { $0.terms.every }
        // Without its condition, the watch would accept any event.
        let condition = column("condition") { $0.condition }
        terms.app = column("app") { $0.terms.app }
        terms.userId = column("user") { $0.terms.userId }
        let addedAt = column("added") { $0.addedAt }
        var state = WatchState(since: column("since") { $0.state.since })
        state.lastAt = column("lastAt") { $0.state.lastAt }
        state.lastSequence = column("lastSequence") { $0.state.lastSequence }
        state.missedAt = column("missed") { $0.state.missedAt }
        state.hasCome = column("came") { $0.state.hasCome }
        state.misses = column("misses") { $0.state.misses }
        terms.between = column("hours") { $0.terms.between }
        terms.days = column("days") { $0.terms.days }
        if let written = column.written { return written }
        let bounds = Watch.shortest...Watch.longest
        guard bounds.contains(terms.every) else { throw StoreError.outOfRange("every", terms.every, in: bounds) }
        do throws(WireError) {
            let hours = try WatchHours(between: terms.between, days: terms.days)
            return Watch(
                key: key, event: event, terms: terms, condition: condition, hours: hours, addedAt: addedAt, state: state
            )
        } catch {
            throw StoreError(.damaged, "the hours of a watch in the store cannot be read")
        }
    }
}

extension EventCondition: StoredBytes {
    static func unpacked(_ bytes: [UInt8]) -> EventCondition? {
        JSONValue(packed: bytes).flatMap { Condition.read($0, path: "$").condition }
            .flatMap { try? EventCondition($0) }
    }

    var packed: [UInt8] { condition.document.packed }
}
