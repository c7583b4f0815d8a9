internal import CSQLite
package import HarkCore
internal import HarkWire

extension StoreReader {
    /// Calls `body` for the showings of a query, oldest first, as the viewer may see them.
    ///
    /// - Returns: the row after which to continue; nil when there is nothing more.
    package func forEachTold(
        _ query: PresentationQuery, to viewer: UInt32, _ body: (ToldShowing) throws(StoreError) -> Void
    ) throws(StoreError) -> Int64? {
        try forEachShowing(query) { row throws(StoreError) in
            if let showing = try row.told(), showing.isPlain {
                guard query.states.contains(showing.row.state) else { return false }
                try body(showing)
                return true
            }
            guard let presentation = try surveys.presentation(in: row), query.states.contains(presentation.state)
            else { return false }
            try presentation.told(to: viewer).withTold(body)
            return true
        }
    }
}

extension Statement {
    /// The whole showing in a row of `PresentationTable`, in place; nil for a row that must be read as a
    /// presentation.
    fileprivate func told() throws(StoreError) -> ToldShowing? {
        guard isNull(20), let row = try showing(withTrigger: true),
            [1, 3, 4].allSatisfy({ sqlite3_column_type(handle, $0) == SQLITE_TEXT }),
            let id = withBytes(0, { Identifier(raw: $0) }),
            let session = withBytes(isNull(6) ? 5 : 6, { Identifier(raw: $0) })
        else { return nil }
        var told = ToldShowing(
            row, id: id, survey: withBytes(1) { $0 }, session: session, shown: withBytes(18) { $0 })
        told.expires = time(10)
        told.revises = isNull(24) ? nil : withBytes(24) { Identifier(raw: $0) }
        told.revisedBy = isNull(25) ? nil : withBytes(25) { Identifier(raw: $0) }
        told.changeableUntil = time(26)
        return told
    }
}
