// Of FoundationEssentials alone: a program without Foundation pays a millisecond at its start for it, and one with
// Foundation nothing.
public import FoundationEssentials

extension HarkError: LocalizedError {
    /// The message: what happened and what to do.
    public var errorDescription: String? { message }

    /// The message, without an import of Foundation too.
    public var localizedDescription: String { message }

    /// The protocol's word for a refusal, where there is one.
    public var failureReason: String? { reason }
}
