/// Why there is no response.
///
/// The message gives the remedy. It names at most scheme, host and port: never credentials, paths, queries or header
/// values.
package struct HTTPError: Error, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// libcurl is not installed, or too old.
        case unavailable
        case invalidURL
        /// A method, header or other part that cannot be sent as it is.
        case invalidRequest
        case couldNotResolve
        case couldNotConnect
        case timedOut
        case tlsFailed
        /// The connection broke before the response was complete.
        case connectionLost
        /// The response is not valid HTTP.
        case badResponse
        case tooLarge
        /// A redirect to a forbidden place, or too many of them.
        case redirectRefused
        /// Cancelled by the caller, or the client was closed.
        case aborted
        /// This machine lacks a resource: descriptors, memory.
        case system
    }

    package let kind: Kind
    package let message: String
    /// Whether any of the request was sent, so that the server may have acted on it.
    package let wasSent: Bool

    package init(_ kind: Kind, _ message: String, wasSent: Bool = false) {
        self.kind = kind
        self.message = message
        self.wasSent = wasSent
    }

    static let outOfMemory = HTTPError(.system, "out of memory for an HTTP request")

    package var description: String { message }
}
