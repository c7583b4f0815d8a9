/// A statement that is prepared when it is first needed: most stores never need those of some families.
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
            // What was stepped and not reset takes no new values, and says so to nobody.
            statement.reset()
            return statement
        }
        let prepared = try database.prepare(sql)
        statement = prepared
        return prepared
    }
}
