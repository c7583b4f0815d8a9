package import HarkCore
package import HarkWire

/// The place a document of settings is read from.
package enum DocumentOrigin: Sendable, Equatable {
    /// A path; a relative one is resolved against the folder of `harkd.json`.
    case file(String)
    /// A URL that is polled at an interval.
    case url(String, refreshSeconds: Double, access: ServerAccess = .open)

    static let usualRefreshSeconds = 300.0

    /// The origin with an absolute path.
    package func absolute(in folder: String) -> DocumentOrigin {
        guard case .file(let path) = self, !path.hasPrefix("/") else { return self }
        return .file("\(folder)/\(path)")
    }

    /// The path or the URL.
    package var place: String {
        switch self {
        case .file(let path): path
        case .url(let url, _, _): url
        }
    }

    package func write(to json: inout JSONWriter) {
        switch self {
        case .file(let path): json.object(["file": .string(path)])
        case .url(let url, let seconds, _): json.object(["url": .string(url), "refreshSeconds": .double(seconds)])
        }
    }
}

/// The credentials and trust settings for a server.
package struct ServerAccess: Sendable, Equatable {
    package static let open = ServerAccess()
    package static let keyHeader = "x-api-key"

    /// Sent under `keyHeader`.
    package var key: Secret?
    /// The base of relative paths.
    package var folder = "/"
    package var unixSocket: String?
    package var authoritiesFile: String?
    package var timeoutSeconds = 30.0
}
