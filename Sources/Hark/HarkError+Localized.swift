// Only FoundationEssentials: it costs a program without Foundation a millisecond at its start, and one with Foundation
// nothing.
public import FoundationEssentials

extension HarkError: LocalizedError {
    /// The message: what happened and what to do.
    public var errorDescription: String? { message }

    /// The message, also available without importing Foundation.
    public var localizedDescription: String { message }

    /// The protocol's word for a refusal, if there is one.
    public var failureReason: String? { reason }
}
