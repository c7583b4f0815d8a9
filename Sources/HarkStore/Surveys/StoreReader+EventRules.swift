package import HarkCore

extension StoreReader {
    /// What of the log the rules about users' histories do not count yet.
    package func eventRules() throws(StoreError) -> [ExactName: RuleGaps] {
        let statement = try database.prepare("SELECT rule, gaps FROM eventRule")
        var rules: [ExactName: RuleGaps] = [:]
        while try statement.step() {
            rules[ExactName(statement.text(0) ?? "")] = RuleGaps(packed: statement.bytes(1))
        }
        return rules
    }
}
