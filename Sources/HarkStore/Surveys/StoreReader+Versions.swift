package import HarkWire

extension StoreReader {
    /// The version of a showing's answers: 1 for the first answers.
    ///
    /// - Parameter most: the number at which counting stops.
    package func version(ofAnswersIn id: Identifier, atMost most: Int) throws(StoreError) -> Int {
        let statement = try database.prepare(
            """
            WITH RECURSIVE version(id, number) AS (
                VALUES (?1, 1)
                UNION ALL
                SELECT p.revises, v.number + 1 FROM version v JOIN presentation p ON p.id = v.id
                WHERE p.revises IS NOT NULL AND v.number < ?2)
            SELECT max(number) FROM version
            """
        ).bind(1, id.rawBytes).bind(2, Int64(most))
        return try statement.step() ? statement.tally(0) : 1
    }
}
