import HarkWire

/// Where a document of settings is to come from.
enum DocumentOrigin: Sendable, Equatable {
    /// A path; a relative one begins at the folder of `harkd.json`.
    case file(String)
    /// A URL that is asked again every so often.
    case url(String, refreshSeconds: Double)

    static let usualRefreshSeconds = 300.0

    /// The same with its path from the root.
    func absolute(in folder: String) -> DocumentOrigin {
        guard case .file(let path) = self, !path.hasPrefix("/") else { return self }
        return .file("\(folder)/\(path)")
    }

    func write(to json: inout JSONWriter) {
        switch self {
        case .file(let path): json.object(["file": .string(path)])
        case .url(let url, let seconds): json.object(["url": .string(url), "refreshSeconds": .double(seconds)])
        }
    }
}
