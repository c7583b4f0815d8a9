import HarkCore
import HarkWire

/// Where a document of settings is to come from.
enum DocumentOrigin: Sendable, Equatable {
    /// A path; a relative one begins at the folder of `harkd.json`.
    case file(String)
    /// A URL that is asked again every so often.
    case url(String, refreshSeconds: Double, access: ServerAccess = .open)

    static let usualRefreshSeconds = 300.0

    /// The same with its path from the root.
    func absolute(in folder: String) -> DocumentOrigin {
        guard case .file(let path) = self, !path.hasPrefix("/") else { return self }
        return .file("\(folder)/\(path)")
    }

    /// The path or the URL.
    var place: String {
        switch self {
        case .file(let path): path
        case .url(let url, _, _): url
        }
    }

    func write(to json: inout JSONWriter) {
        switch self {
        case .file(let path): json.object(["file": .string(path)])
        case .url(let url, let seconds, _): json.object(["url": .string(url), "refreshSeconds": .double(seconds)])
        }
    }
}

/// What it takes to be let in by a server, and to trust it.
struct ServerAccess: Sendable, Equatable {
    static let open = ServerAccess()

    /// Sent as `x-api-key`.
    var key: Secret?
    /// Where relative paths begin.
    var folder = "/"
    var unixSocket: String?
    var authoritiesFile: String?
    var timeoutSeconds = 30.0
}
