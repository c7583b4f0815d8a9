import HarkWire

/// Under which rules of the protocol a request is: they changed with the revision of 2026-07-28.
enum MCPEra: Sendable {
    /// The revisions that begin with `initialize`.
    case legacy
    /// 2026-07-28: each request stands for itself.
    case modern

    /// Newest first.
    static let legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    static let modernVersions = ["2026-07-28"]

    private static let prefix = "io.modelcontextprotocol/"
    static let versionKey = prefix + "protocolVersion"
    static let capabilitiesKey = prefix + "clientCapabilities"
    static let clientKey = prefix + "clientInfo"
    static let serverKey = prefix + "serverInfo"

    /// For how long lists and documents of the server stay as they are, in milliseconds: as long as the program does.
    static let lifetime: Int64 = 3_600_000
}

/// Who asks, as it says itself.
struct MCPClient: Sendable, Equatable {
    let name: String
    let version: String?

    static let unknown = MCPClient(name: "unknown", version: nil)

    /// - Parameter info: `clientInfo`.
    init(_ info: JSONValue?) {
        let name = MCPNote.name(info?["title"]?.stringValue ?? info?["name"]?.stringValue ?? "")
        self.init(
            name: name.isEmpty ? Self.unknown.name : name, version: info?["version"]?.stringValue.map(MCPNote.name))
    }

    private init(name: String, version: String?) {
        self.name = name
        self.version = version
    }
}
