package import HarkLedger
import HarkSystem
package import HarkWire

/// A method of the protocol, with everything that is known about it.
///
/// The router dispatches by it and checks the parameters by it, `docs/protocol.md` and the OpenRPC document are
/// generated from it, the tests send its examples, and the fuzzer makes its requests from them.
package struct Method: Sendable {
    /// The declaration that daemon and clients share.
    package let shape: MethodShape
    /// The parameters of the shape, which computes them each time; stored, because every request needs them.
    package let parameters: [Parameter]
    /// Whether notifications follow the reply.
    let isSubscription: Bool
    /// A summary of one sentence.
    package let summary: String
    /// More details, in Markdown.
    package var details = ""
    /// Whether only root, the daemon's own user and members of the administrators' group may call it (in user mode:
    /// everybody who may connect).
    package var isForAdministrators = false
    /// The specific errors, in addition to those of all methods.
    package var refusals: [Refusal] = []
    package let examples: [Example]
    package let handler: Handler

    package var name: String { shape.name }
    package var result: [Shape.Member] { shape.result }
    package var notifications: [NotificationShape] { shape.notifications }

    /// The approximate maximum size of a page, so that a reply fits in the bounds for a client's unread output.
    package static let pageBytes = 1 << 20

    package static let noCursor = WireError(
        .invalidParams, "'after' must be the 'next' of an earlier reply", path: .after)

    /// The asynchronous rest of a call; it writes the members of the result.
    package typealias Rest = @DaemonActor @Sendable (inout JSONWriter) async throws(WireError) -> Void

    package enum Handler: Sendable {
        /// Decides at once; the reply waits for the commit.
        case write(@DaemonActor (Call, inout HeldReply) throws(WireError) -> Void)
        /// Answers at once.
        case read(@DaemonActor (Call, inout JSONWriter) throws(WireError) -> Void)
        /// Decides at once, before the next line is read; the returned rest is asynchronous.
        case lasting(@DaemonActor (Call) throws(WireError) -> Rest)
        /// Runs asynchronously; other replies may come before its own, and later lines before its decision.
        case deferred(@DaemonActor (Call, inout JSONWriter) async throws(WireError) -> Void)
    }

    /// Whether replies keep the order of the requests.
    package var answersInOrder: Bool {
        if case .write = handler { true } else { false }
    }

    package typealias Parameter = MethodShape.Parameter

    package struct Refusal: Sendable {
        package let reason: ErrorReason
        package let when: String
        /// Requests that prepare the refusal, and the params that provoke it; nil if a request alone cannot.
        package var before: [String] = []
        package var params: String?

        package init(reason: ErrorReason, when: String, before: [String] = [], params: String? = nil) {
            self.reason = reason
            self.when = when
            self.before = before
            self.params = params
        }
    }
}

extension Method {
    package init(
        _ shape: MethodShape, summary: String, details: String = "", isForAdministrators: Bool = false,
        refusals: [Refusal] = [], examples: [Example], handler: Handler
    ) {
        self.init(
            shape: shape, parameters: shape.parameters, isSubscription: !shape.notifications.isEmpty, summary: summary,
            details: details, isForAdministrators: isForAdministrators, refusals: refusals, examples: examples,
            handler: handler)
    }
}
