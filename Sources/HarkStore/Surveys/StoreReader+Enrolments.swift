package import HarkCore

/// A query for enrolments, in the order in which users first joined.
package struct EnrolmentQuery: Sendable {
    package var survey: String?
    package var uid: UInt32?
    package var user: UserFilter?
    package var afterRow: Int64?
    package var limit = 100

    package init() {}
}

extension StoreReader {
    /// Reads a page of enrolments.
    ///
    /// - Returns: the enrolments, and the row after which the next page begins; nil for the last page.
    package func enrolments(_ query: EnrolmentQuery) throws(StoreError) -> (found: [Enrolment], next: Int64?) {
        var conditions = ["row > ?1"]
        if query.survey != nil { conditions.append("survey = ?2") }
        if query.uid != nil { conditions.append("uid = ?3") }
        if query.user != nil { conditions.append("user = ?4") }
        let statement = try database.prepare(
            "\(EnrolmentTable.selection) WHERE \(conditions.joined(separator: " AND ")) ORDER BY row LIMIT ?5"
        ).bind(1, query.afterRow ?? 0).bind(5, Int64(query.limit) + 1)
        if let survey = query.survey { statement.bind(2, survey) }
        if let uid = query.uid { statement.bind(3, Int64(uid)) }
        if case .user(let userId) = query.user { statement.bind(4, userId ?? "") }
        var found: [Enrolment] = []
        var last: Int64?
        defer { statement.reset() }
        var rows = 0
        while try statement.step() {
            guard rows < query.limit else { return (found, last) }
            rows += 1
            last = EnrolmentTable.number(statement)
            if let enrolment = try EnrolmentTable.read(statement, unreadable) { found.append(enrolment) }
        }
        return (found, nil)
    }
}
