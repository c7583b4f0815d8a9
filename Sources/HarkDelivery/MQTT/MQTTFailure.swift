internal import Glibc

/// Why there is no connection to a broker.
///
/// The reason is a sentence that says what to do. It names the broker's place and files of the settings, and quotes the broker's
/// or the TLS library's words; it never holds a password, a topic or a payload.
package struct MQTTFailure: Error, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// libmosquitto is not installed, or is another than is needed.
        case unavailable
        /// An address or an option that cannot be used as it is.
        case invalid
        case nameNotFound
        /// The machine, or the port on it, cannot be connected to.
        case unreachable
        /// Nobody answers, or does not any more: the other end, or the network on the way.
        case timedOut
        /// The broker's certificate is not trusted, is for another host, or has expired.
        case certificate
        /// Our certificate cannot be read, is missing, or the broker does not take it.
        case ownCertificate
        /// The broker was reached and says no; the reason has its own words.
        case refused
        /// The broker does not let this user in.
        case notAuthorized
        /// The connection has ended, without a word of why.
        case closed
        /// What came is not MQTT, or no TLS, or more than is taken.
        case protocolViolation
        /// This machine is out of something: descriptors, memory.
        case system

        /// Of a connection that ended with this number of an error; 0: it was closed.
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
