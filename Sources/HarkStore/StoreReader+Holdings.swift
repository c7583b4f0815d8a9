package import HarkCore

extension StoreReader {
    /// What a user keeps in all apps. Costs a walk over the user's counters and executions, not over their content.
    package func holdings(of uid: UInt32) throws(StoreError) -> Holdings {
        var held = Holdings()
        let apps = try database.prepare("SELECT count(*) FROM current WHERE uid = ?").bind(1, Int64(uid))
        if try apps.step() { held.apps = apps.tally(0) }
        let counters = try database.prepare(
            """
            SELECT count(*), sum(length(CAST(name AS BLOB)) + length(initial) + coalesce(length(changed), 0))
            FROM counter WHERE uid = ?
            """
        ).bind(1, Int64(uid))
        if try counters.step() { (held.counters, held.counterBytes) = (counters.tally(0), counters.tally(1)) }
        let executions = try database.prepare(
            "SELECT count(*), sum(length(CAST(id AS BLOB)) + length(definition)) FROM execution WHERE uid = ?"
        ).bind(1, Int64(uid))
        if try executions.step() { (held.executions, held.executionBytes) = (executions.tally(0), executions.tally(1)) }
        return held
    }
}
