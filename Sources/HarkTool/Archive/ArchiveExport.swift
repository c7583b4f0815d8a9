import HarkAsking
import HarkClient
import HarkWire

/// Reads sessions and their events from the daemon and writes them as the archive tree.
struct ArchiveExport {
    private let folder: ExportFolder
    private let progress: Progress
    private(set) var sessions = 0
    private(set) var events = 0

    init(_ folder: ExportFolder, _ progress: Progress) {
        self.folder = folder
        self.progress = progress
    }

    mutating func run(_ scope: RecordScope, _ connection: inout Connection) throws {
        defer { progress.clear() }
        if case .session(let id) = scope {
            var params = JSONWriter()
            params.beginObject()
            params.member(.session, id)
            params.endObject()
            let result = try connection.call(.sessionGet, params.bytes)
            guard let session = result.member("session") else { throw Self.odd }
            return try export(session, of: 1, &connection)
        }
        // Listed first: a page of sessions would otherwise wait in memory behind each session's events anyway.
        var found: [JSONText] = []
        try SessionQuery(scope: scope).forEach(&connection) { found.append($0) }
        for session in found {
            try export(session, of: found.count, &connection)
        }
    }

    private mutating func export(_ session: JSONText, of total: Int, _ connection: inout Connection) throws {
        guard let id = session.member("id")?.string, id.utf8.allSatisfy(Self.isIdLetter) else { throw Self.odd }
        let place = "users/\(UserFolder.name(for: session.member("userId")?.string))/sessions/\(id)"
        try folder.makeFolders(place)
        // session.json comes last: a folder that has it has its events.
        try folder.replace(place + "/events.jsonl") { file in
            try EventQuery(scope: .session(id)).forEachLine(&connection) { line in
                try file.write(line)
                try file.write(CollectionOfOne(.newline))
                events += 1
                progress.show("\(Plural.count(events, "event")), session \(sessions + 1) of \(total) …")
            }
        }
        try folder.replace(place + "/session.json") { file in
            try file.write(session.without("eventCount"))
            try file.write(CollectionOfOne(.newline))
        }
        sessions += 1
    }

    /// An id becomes a folder's name, whatever answered on the socket.
    private static func isIdLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || Character(Unicode.Scalar(byte)).isHexDigit
    }

    private static let odd = ClientError(.malformedReply, "the daemon's answer has no session with an id")
}

extension JSONText {
    /// The object without the member of that name.
    func without(_ name: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        forEachMember { key, value in
            if !key.elementsEqual(name.utf8) {
                writer.raw([.quote] + key + [.quote, .colon] + value.bytes)
            }
            return true
        }
        writer.endObject()
        return writer.bytes
    }
}
