internal import HarkCore

extension Database {
    /// The last numbers used: the greatest in the tables, or the one remembered when the newest rows were deleted.
    func watermark() throws(StoreError) -> Engine.Watermark {
        let sequence = try integer(
            """
            SELECT max(coalesce((SELECT max(last) FROM block
                                 WHERE first >= (SELECT batch FROM block ORDER BY first DESC LIMIT 1)), 0),
                       coalesce((SELECT value FROM meta WHERE key = 'lastSequence'), 0),
                       coalesce((SELECT value FROM meta WHERE key = '\(SessionIndex.end)'), 0))
            """)
        let row = try integer(
            """
            SELECT max(coalesce((SELECT max(row) FROM session), 0),
                       coalesce((SELECT value FROM meta WHERE key = 'lastSessionRow'), 0))
            """)
        return Engine.Watermark(
            lastSequence: UInt64(try checked("lastSequence", sequence)),
            lastSessionRow: try checked("lastSessionRow", row))
    }

    /// A number to continue counting from; 0 if there is none yet.
    func checked(_ name: String, _ number: Int64?) throws(StoreError) -> Int64 {
        let range = 0...Statement.largest
        guard let number else { return 0 }
        guard range.contains(number) else { throw StoreError.outOfRange(name, number, in: range) }
        return number
    }
}
