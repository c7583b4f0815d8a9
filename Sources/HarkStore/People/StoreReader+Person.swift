package import HarkCore
internal import HarkWire

/// A query for a user's data outside the log and the showings of surveys.
package struct PersonQuery: Sendable {
    /// nil: all anonymous users.
    package let userId: String?
    /// Only this account; nil for all.
    package let uid: UInt32?
    /// nil: all machines, and the hub itself.
    package let machines: MachineFilter?

    package init(userId: String?, uid: UInt32?, machines: MachineFilter?) {
        self.userId = userId
        self.uid = uid
        self.machines = machines
    }
}

extension StoreReader {
    /// A page of a user's survey histories, in the order of accounts and surveys.
    package func gatings(
        of query: PersonQuery, after place: (uid: UInt32, survey: String)?, limit: Int
    ) throws(StoreError) -> [(user: UserKey, survey: String, gating: Gating)] {
        let statement = try database.prepare(
            """
            \(GatingTable.selection)
            WHERE user = ?1 AND (uid, survey) > (?2, ?3)\(query.uid == nil ? "" : " AND uid = ?4")
            ORDER BY uid, survey LIMIT ?5
            """
        ).bind(1, query.userId ?? "").bind(2, place.map { Int64($0.uid) } ?? -1).bind(3, place?.survey ?? "")
            .bind(5, Int64(limit))
        if let uid = query.uid { statement.bind(4, Int64(uid)) }
        return try GatingTable.all(statement)
    }

    /// A page of the times of events that surveys' rules ask for, in the order of accounts and rules.
    package func eventTimes(
        of query: PersonQuery, after place: (uid: UInt32, rule: String)?, limit: Int
    ) throws(StoreError) -> [(user: UserKey, rule: String, times: RecentTimes)] {
        let statement = try database.prepare(
            """
            \(EventTimesTable.selection)
            WHERE user = ?1 AND (uid, rule) > (?2, ?3)\(query.uid == nil ? "" : " AND uid = ?4")
            ORDER BY uid, rule LIMIT ?5
            """
        ).bind(1, query.userId ?? "").bind(2, place.map { Int64($0.uid) } ?? -1).bind(3, place?.rule ?? "")
            .bind(5, Int64(limit))
        if let uid = query.uid { statement.bind(4, Int64(uid)) }
        return try EventTimesTable.all(statement)
    }

    /// A user's forms under the first account after `uid` that has any; nil if there is none left.
    package func filledForms(
        of query: PersonQuery, after uid: UInt32?
    ) throws(StoreError) -> (user: UserKey, forms: UserForms)? {
        let statement = try database.prepare(
            "SELECT min(uid) FROM form WHERE user = ?1 AND uid > ?2\(query.uid == nil ? "" : " AND uid = ?3")"
        ).bind(1, query.userId ?? "").bind(2, uid.map(Int64.init) ?? -1)
        if let uid = query.uid { statement.bind(3, Int64(uid)) }
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        let user = UserKey(uid: try statement.uid(0), userId: query.userId)
        return (user, try forms.forms(of: user))
    }

    /// The forms whose servers may have answers that a clear deletes here.
    package func submittedForms(of selection: Selection) throws(StoreError) -> [String] {
        var condition = "state NOT IN (\(Submission.State.queued.rawValue), \(Submission.State.failed.rawValue))"
        if selection.uid != nil { condition += " AND uid = ?1" }
        var user: String?
        switch selection.target {
        case .all: break
        case .user(let userId):
            user = userId ?? ""
            condition += " AND user = ?2"
        case .session: return []
        }
        let statement = try database.prepare("SELECT DISTINCT form FROM form_answer WHERE \(condition) ORDER BY form")
        if let uid = selection.uid { statement.bind(1, Int64(uid)) }
        if let user { statement.bind(2, user) }
        return try statement.all { $0.text(0) ?? "" }
    }

    /// A page of dead letters of a user's records.
    package func deadLetters(
        of query: PersonQuery, after place: (destination: String, sequence: UInt64)?, limit: Int
    ) throws(StoreError) -> [DeadLetter] {
        let machines = query.machines.map(MachineCondition.init)
        let statement = try database.prepare(
            """
            SELECT \(DeadLetterTable.columns(.read, of: "d."))
            FROM deadLetter d JOIN session s ON s.row = d.session
            WHERE s.removed = 0 AND s.user IS ?1 AND (d.destination, d.sequence) > (?2, ?3)
                \(query.uid == nil ? "" : "AND s.uid = ?4") \(machines.map { "AND " + $0.sql(on: "s.uid") } ?? "")
            ORDER BY d.destination, d.sequence LIMIT ?5
            """
        ).bind(1, query.userId).bind(2, place?.destination ?? "").bind(
            3, place.map { Int64(clamping: $0.sequence) } ?? 0
        )
        .bind(5, Int64(limit))
        if let uid = query.uid { statement.bind(4, Int64(uid)) }
        machines?.bind(to: statement)
        return try DeadLetterTable.all(statement)
    }
}
