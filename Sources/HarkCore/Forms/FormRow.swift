package import HarkWire

/// A change to what the store knows of forms.
package enum FormRow: FamilyRow {
    /// Keeps when a user began with a form and was done with it; nil forgets it with all its answers.
    case put(FormState?, form: String, UserKey)
    /// Keeps an answer as it is now; nil takes it back.
    case putAnswer(FormAnswer?, SubmissionPlace)
    /// What was on its way to a server when the daemon ended is unconfirmed from now on.
    case interruptSubmissions
    /// What waits for the network is due at once.
    case hurrySubmissions(at: Timestamp)
    /// Deletes the answers of users of whom everything goes.
    case remove(Selection)
}
