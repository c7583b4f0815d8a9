import HarkSystem
package import HarkWire

/// A method of the protocol: everything there is to know about it in one place.
///
/// The router dispatches by it, the parameters are checked by it, `docs/protocol.md` and the OpenRPC document are printed
/// from it, the tests send its examples, and the fuzzer makes its requests from them.
package struct Method: Sendable {
    /// What daemon and clients know of it alike.
    let shape: MethodShape
    /// Those of the shape, which makes them anew each time; they are looked at with each request.
    package let parameters: [Parameter]
    /// One sentence.
    let summary: String
    /// More, if there is more to say; Markdown.
    var details = ""
    /// Only root, the daemon's own user and members of the administrators' group may call it (in user mode: everybody
    /// who gets in).
    var isForAdministrators = false
    /// Refusals of its own, beside those that any method can give.
    var refusals: [Refusal] = []
    package let examples: [Example]
    let handler: Handler

    package var name: String { shape.name }
    var result: [Shape.Member] { shape.result }
    var notifications: [NotificationShape] { shape.notifications }

    /// A page of a list ends at about so many bytes, so that no reply is far longer than what may wait for a client.
    static let pageBytes = 1 << 20

    static let noCursor = WireError(
        .invalidParams, "'after' must be the 'next' of an earlier reply", path: .after)

    /// What is left to do of a call; it writes the members of the result.
    typealias Rest = @DaemonActor @Sendable (inout JSONWriter) async throws(WireError) -> Void

    enum Handler: Sendable {
        /// Decides at once; the reply waits for the commit.
        case write(@DaemonActor (Call, inout HeldReply) throws(WireError) -> Void)
        /// Tells at once.
        case read(@DaemonActor (Call, inout JSONWriter) throws(WireError) -> Void)
        /// Decides at once, before the next line is looked at; what it returns then takes its time to carry it out.
        case lasting(@DaemonActor (Call) throws(WireError) -> Rest)
        /// Takes its time; other replies may go out before its own, and later lines may be dealt with before it decides.
        case deferred(@DaemonActor (Call, inout JSONWriter) async throws(WireError) -> Void)
    }

    /// Whether replies keep the order of the requests.
    package var answersInOrder: Bool {
        if case .write = handler { true } else { false }
    }

    package typealias Parameter = MethodShape.Parameter

    struct Refusal: Sendable {
        let reason: ErrorReason
        let when: String
        /// Requests that lead up to it, and the params that then provoke it; nil where a request alone cannot.
        var before: [String] = []
        var params: String?
    }
}

extension Method {
    init(
        _ shape: MethodShape, summary: String, details: String = "", isForAdministrators: Bool = false,
        refusals: [Refusal] = [], examples: [Example], handler: Handler
    ) {
        self.init(
            shape: shape, parameters: shape.parameters, summary: summary, details: details,
            isForAdministrators: isForAdministrators, refusals: refusals, examples: examples, handler: handler)
    }
}
