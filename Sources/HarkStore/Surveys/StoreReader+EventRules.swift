package import HarkCore

extension StoreReader {
    /// The parts of the log that the rules about users' histories do not count yet.
    package func eventRules() throws(StoreError) -> [ExactName: RuleGaps] {
        let rules = try database.prepare("SELECT rule, gaps FROM eventRule")
            .all { (ExactName($0.text(0) ?? ""), RuleGaps(packed: $0.bytes(1))) }
        return Dictionary(rules) { $1 }
    }
}
