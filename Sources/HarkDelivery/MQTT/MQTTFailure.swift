internal import Glibc

/// Why there is no connection to a broker.
///
/// The reason is a sentence that gives the remedy. It names the broker's address and files of the settings, and quotes
/// the broker or the TLS library; it never contains a password, a topic or a payload.
package struct MQTTFailure: Error, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// libmosquitto is not installed, or has the wrong version.
        case unavailable
        /// An invalid address or option.
        case invalid
        case nameNotFound
        /// The machine or its port refuses connections, or has no route.
        case unreachable
        /// The peer does not answer, or does not any more; or the network fails.
        case timedOut
        /// The broker's certificate is not trusted, is for another host, or has expired.
        case certificate
        /// The client certificate is missing, unreadable, or rejected by the broker.
        case ownCertificate
        /// The broker refuses for a reason in its own words.
        case refused
        /// The broker rejects the user or the password.
        case notAuthorized
        /// The connection was closed without a reason.
        case closed
        /// The input is not MQTT, not TLS, or too long.
        case protocolViolation
        /// This machine lacks a resource: descriptors, memory.
        case system

        /// The kind of a connection's end with this errno; 0: it was closed.
        package init(ofLoss error: Int32) {
            self = [ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN].contains(error) ? .timedOut : .closed
        }
    }

    package let kind: Kind
    package let reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    package var description: String { reason }
}
