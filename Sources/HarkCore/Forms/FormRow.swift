package import HarkWire

/// A change in the store to forms.
package enum FormRow: FamilyRow {
    /// Stores when a user began and completed a form; nil deletes it with all its answers.
    case put(FormState?, form: String, UserKey)
    /// Stores an answer as it is now; nil deletes it.
    case putAnswer(FormAnswer?, SubmissionPlace)
    /// Marks submissions that were in progress when the daemon ended as unconfirmed.
    case interruptSubmissions
    /// Makes submissions that wait for the network due at once.
    case hurrySubmissions(at: Timestamp)
    /// Deletes the answers of users whose data is removed entirely.
    case remove(Selection)
}
