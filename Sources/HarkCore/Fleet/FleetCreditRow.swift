/// A change in the store to the credits of quotas that a hub has dealt.
package enum FleetCreditRow: FamilyRow {
    /// Stores the credits of a machine's log.
    case put(survey: String, CreditPool.Log, CreditPool.Holder)
    /// Forgets all but the latest periods of a survey (`CreditBook.periods`).
    case keepPeriods(survey: String)
}
