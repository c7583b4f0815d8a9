/// A statement that is prepared on first use, as a lazy property: most stores never need the statements of some families.
final class DeferredStatement {
    private let database: Database
    private let sql: String
    private var statement: Statement?

    init(_ database: Database, _ sql: String) {
        self.database = database
        self.sql = sql
    }

    func callAsFunction() throws(StoreError) -> Statement {
        if let statement {
            // A statement that was stepped and not reset would silently ignore new bindings.
            statement.reset()
            return statement
        }
        let prepared = try database.prepare(sql)
        statement = prepared
        return prepared
    }
}
