/// Why a parcel was not accepted.
package struct DeliveryFailure: Error, Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// This machine could not, as when the disk is full; tried again soon, and costs nothing.
        case local
        /// The server was not reached; it has seen nothing of the parcel.
        case unreachable
        /// The server broke off, or did not answer in time.
        case network
        /// The server has a fault (5xx): it may work later.
        case server
        /// The server wants less (429).
        case throttled
        /// The server's quota is used up: nothing is tried until somebody says so.
        case quota
        /// The server will never take this (4xx).
        case refused
        /// The server takes nothing from us, or not there (401, 404 …).
        case unauthorized
        /// Too large for the server; a smaller parcel may pass.
        case tooLarge
        /// It cannot be put into a request at all.
        case unsendable
        /// Given up on this side: too old, or removed.
        case dropped
    }

    package let kind: Kind
    /// What the server answered.
    package let status: Int?
    /// Seconds to wait as the server asked, or as this machine knows better.
    package let retryAfter: Double?
    /// A sentence; no user data, no keys.
    package let reason: String
    /// What the server said of it. That may be user data, so it goes to dead letters only.
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

    /// The reason, and the server's own words behind it.
    var explanation: String { words.map { "\(reason); it says: \($0)" } ?? reason }

    /// Whether no answer came at all.
    package var isOfNetwork: Bool { kind == .network || kind == .unreachable }

    /// Whether the same parcel may be accepted later.
    package var isTransient: Bool {
        switch kind {
        case .local, .unreachable, .network, .server, .throttled, .quota: true
        case .refused, .unauthorized, .tooLarge, .unsendable, .dropped: false
        }
    }
}
