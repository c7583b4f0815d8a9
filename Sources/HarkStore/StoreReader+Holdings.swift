package import HarkCore

extension StoreReader {
    /// Brings to the engine what a user keeps in all apps, as far as it is wanted and not known.
    package func load(_ holdings: [Holding], of uid: UInt32, into engine: inout Engine) throws(StoreError) {
        for holding in engine.unknownHoldings(holdings, of: uid) {
            engine.admit(try amount(of: holding, uid), holding, of: uid)
        }
    }

    /// Costs a walk over what the user keeps, not over its content: all of it has bounds.
    package func amount(of holding: Holding, _ uid: UInt32) throws(StoreError) -> Amount {
        switch holding {
        case .apps: return try amount("count(*), 0 FROM current WHERE uid = ?", uid)
        case .counters:
            return try amount(
                """
                count(*), sum(length(CAST(name AS BLOB)) + length(initial) + coalesce(length(changed), 0))
                FROM counter WHERE uid = ?
                """, uid)
        case .executions:
            return try amount(
                "count(*), sum(length(CAST(id AS BLOB)) + length(definition)) FROM execution WHERE uid = ?", uid)
        case .presentations:
            return try amount("count(*), sum(length(answers)) FROM presentation WHERE uid = ? AND state < 3", uid)
        case .forms:
            let place = "length(CAST(user AS BLOB)) + length(CAST(form AS BLOB))"
            var forms = try amount("count(*), sum(\(place) + coalesce(length(draft), 0)) FROM form WHERE uid = ?", uid)
            let answer = "\(place) + length(CAST(question AS BLOB)) + length(answer)"
            forms.bytes += try amount("0, sum(\(answer)) FROM form_answer WHERE uid = ?", uid).bytes
            return forms
        case .runs:
            let size = "length(action) + length(counters) + coalesce(length(value), 0)"
            return try amount("count(*), sum(\(size)) FROM run WHERE uid = ? AND state = 0", uid)
        case .producers: return try amount("count(*), 0 FROM producer WHERE uid = ?", uid)
        }
    }

    private func amount(_ query: String, _ uid: UInt32) throws(StoreError) -> Amount {
        let statement = try database.prepare("SELECT \(query)").bind(1, Int64(uid))
        return try statement.step() ? Amount(count: statement.tally(0), bytes: statement.tally(1)) : Amount()
    }
}
