package import HarkCore
package import HarkWire

extension StoreReader {
    /// Whether any answer waits to be sent, or is being sent.
    package func hasOpenSubmissions() throws(StoreError) -> Bool {
        // One query per partial index.
        let isThere = "SELECT EXISTS (SELECT 1 FROM form_answer WHERE state ="
        let isWaiting = try database.integer("\(isThere) 0)") == 1
        let isUnderWay = try database.integer("\(isThere) 1)") == 1
        return isWaiting || isUnderWay
    }

    /// The answers that are due to be sent, of the given forms.
    package func dueSubmissions(
        of forms: [String], at now: Timestamp, limit: Int
    ) throws(StoreError) -> [SubmissionPlace] {
        try self.forms.due(of: forms, at: now, limit: limit)
    }

    /// When the next answer is due to be sent.
    package func earliestSubmission(of forms: [String]) throws(StoreError) -> Timestamp? {
        try self.forms.earliestDue(of: forms)
    }
}
