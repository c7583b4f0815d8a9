internal import HarkCore
internal import HarkWire

extension StoreReader {
    /// How many answers the surveys with quotas have.
    func quotas() throws(StoreError) -> [ExactName: QuotaCount] {
        let statement = try database.prepare("SELECT survey, cell, begins, answers FROM quota ORDER BY survey, cell")
        var counts: [ExactName: QuotaCount] = [:]
        while try statement.step() {
            let survey = ExactName(statement.text(0) ?? "")
            let begins = statement.isNull(2) ? nil : statement.timestamp(2)
            // All rows of a survey are written together; those of another period can only be damage.
            guard counts[survey].map({ $0.begins == begins }) ?? true else { continue }
            counts[survey, default: QuotaCount(begins: begins)].answers[statement.text(1) ?? ""] =
                Int(min(max(statement.integer(3), 0), Int64(Int32.max)))
        }
        return counts
    }
}
