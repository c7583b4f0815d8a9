/// A change in the store to what a hub has dealt of quotas.
package enum FleetCreditRow: FamilyRow {
    /// What a log of a machine holds.
    case put(survey: String, CreditPool.Log, CreditPool.Holder)
    /// All but the latest periods of a survey is forgotten (`CreditBook.periods`).
    case keepPeriods(survey: String)
}
