/// Why a parcel was not accepted.
package struct DeliveryFailure: Error, Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A local fault, such as a full disk; retried soon and not counted.
        case local
        /// The server was not reached; it has seen nothing of the parcel.
        case unreachable
        /// The server broke the connection, or did not answer in time.
        case network
        /// The server has a fault (5xx) and may work later.
        case server
        /// The server asks for fewer requests (429).
        case throttled
        /// The server's quota is used up: nothing is tried until delivery is resumed.
        case quota
        /// The server refuses this parcel for ever (4xx).
        case refused
        /// The server refuses everything from this machine or at this address (401, 404 …).
        case unauthorized
        /// Too large for the server; a smaller parcel may pass.
        case tooLarge
        /// It cannot be encoded into a request.
        case unsendable
        /// Given up locally: too old, or removed.
        case dropped
    }

    package let kind: Kind
    /// The HTTP status.
    package let status: Int?
    /// The seconds to wait, as requested by the server or decided locally.
    package let retryAfter: Double?
    /// A sentence without user data or keys.
    package let reason: String
    /// The server's own text. It may contain user data, so it is kept in dead letters only.
    package var words: String?

    package init(
        _ kind: Kind, status: Int? = nil, retryAfter: Double? = nil, _ reason: String, words: String? = nil
    ) {
        self.kind = kind
        self.status = status
        self.retryAfter = retryAfter
        self.reason = reason
        self.words = words
    }

    /// The reason, followed by the server's text.
    var explanation: String { words.map { "\(reason); it says: \($0)" } ?? reason }

    /// Whether there was no answer.
    package var isOfNetwork: Bool { kind == .network || kind == .unreachable }

    /// Whether the same parcel may be accepted later.
    package var isTransient: Bool {
        switch kind {
        case .local, .unreachable, .network, .server, .throttled, .quota: true
        case .refused, .unauthorized, .tooLarge, .unsendable, .dropped: false
        }
    }
}
