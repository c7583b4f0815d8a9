package import HarkWire

extension RemoteDocument {
    /// The origin of a document, and its copy.
    package struct Source: Sendable {
        package var url: String
        package var headers: HTTPHeaders = [:]
        package var unixSocket: String?
        package var refreshSeconds = 300.0
        package var timeoutSeconds = 30.0
        package var maxBytes = 4 << 20
        /// The file of the last good document, in an existing folder.
        package var copyPath: String

        package init(_ url: String, copyPath: String) {
            self.url = url
            self.copyPath = copyPath
        }
    }

    /// The state of a document.
    package struct Status: Sendable, Equatable {
        /// The URL without credentials and query.
        package let url: String
        /// Whether a document is in force, even if only a copy of an earlier run.
        package let isServing: Bool
        /// Whether that is the copy, which the server has not confirmed yet.
        package let isCopy: Bool
        package let lastAttempt: Timestamp?
        package let lastSuccess: Timestamp?
        package let lastError: String?
        /// Nil during a fetch.
        package let nextDue: Timestamp?
    }

    /// The result of a refresh.
    package enum Outcome: Sendable, Equatable {
        case updated, unchanged
        case failed(String)
    }
}
