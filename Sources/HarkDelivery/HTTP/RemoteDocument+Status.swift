package import HarkWire

extension RemoteDocument {
    /// Where a document comes from, and how it is kept.
    package struct Source: Sendable {
        package var url: String
        package var headers: HTTPHeaders = [:]
        package var unixSocket: String?
        package var refreshSeconds = 300.0
        package var timeoutSeconds = 30.0
        package var maxBytes = 4 << 20
        /// Where the last good document is kept, in a folder that exists.
        package var copyPath: String

        package init(_ url: String, copyPath: String) {
            self.url = url
            self.copyPath = copyPath
        }
    }

    /// How it stands.
    package struct Status: Sendable, Equatable {
        /// Without credentials and query.
        package let url: String
        /// True once a document is in force, if only the copy of an earlier run.
        package let isServing: Bool
        /// True while that is the copy, and the server has not said yet that it is up to date.
        package let isCopy: Bool
        package let lastAttempt: Timestamp?
        package let lastSuccess: Timestamp?
        package let lastError: String?
        /// Nil while it is being fetched.
        package let nextDue: Timestamp?
    }

    /// What came of a refresh.
    package enum Outcome: Sendable, Equatable {
        case updated, unchanged
        case failed(String)
    }
}
