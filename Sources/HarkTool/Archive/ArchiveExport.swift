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

    /// - Parameter machines: If not all, records from these machines are written as the machines themselves would write
    ///   them.
    mutating func run(_ scope: RecordScope, _ machines: MachineScope, _ connection: inout Connection) throws {
        defer { progress.clear() }
        if case .session(let id) = scope {
            var params = JSONWriter()
            params.beginObject()
            params.member(.session, id)
            params.endObject()
            let result = try connection.call(.sessionGet, params.bytes)
            guard let session = result.member("session") else { throw Self.odd }
            return try export([session], of: 1, asRecorded: false, &connection)
        }
        // Lists all sessions first: a page of sessions would otherwise wait in memory behind each session's events
        // anyway.
        var found: [[JSONText]] = []
        // The session of a machine that changed its group is here in several parts, one after the other.
        var places: [String: Int] = [:]
        try SessionPages(scope: scope, machines: machines).forEach(&connection) { session in
            guard !machines.isAll, let id = Self.ownId(of: session) else { return found.append([session]) }
            if let place = places[id] { return found[place].append(session) }
            places[id] = found.count
            found.append([session])
        }
        for session in found {
            try export(session, of: found.count, asRecorded: !machines.isAll, &connection)
        }
    }

    /// The id of a session on the machine it comes from.
    private static func ownId(of session: JSONText) -> String? {
        (session.member("machineSessionId") ?? session.member("id"))?.string
    }

    /// - Parameter parts: The parts of one session, in order.
    private mutating func export(
        _ parts: [JSONText], of total: Int, asRecorded: Bool, _ connection: inout Connection
    ) throws {
        guard let session = parts.last,
            let id = asRecorded ? Self.ownId(of: session) : session.member("id")?.string,
            id.utf8.allSatisfy(Self.isIdLetter)
        else { throw Self.odd }
        let place = "users/\(UserFolder.name(for: session.member("userId")?.string))/sessions/\(id)"
        try folder.makeFolders(place)
        // session.json is written last: a folder with it has all its events.
        try folder.replace(place + "/events.jsonl") { file in
            for part in parts {
                guard let here = part.member("id")?.string else { throw Self.odd }
                var query = EventQuery(scope: .session(here))
                query.asRecorded = asRecorded
                try query.forEachLine(&connection) { line in
                    try file.write(line)
                    try file.write(CollectionOfOne(.newline))
                    events += 1
                    progress.show("\(Plural.count(events, "event")), session \(sessions + 1) of \(total) …")
                }
            }
        }
        try folder.replace(place + "/session.json") { file in
            try file.write(asRecorded ? session.asRecorded(id) : session.without("eventCount"))
            try file.write(CollectionOfOne(.newline))
        }
        sessions += 1
    }

    /// An id becomes a folder name, so it is checked whichever program answered on the socket.
    private static func isIdLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || Character(Unicode.Scalar(byte)).isHexDigit
    }

    private static let odd = ClientError(.malformedReply, "the daemon's answer has no session with an id")
}

extension JSONText {
    /// Returns the object without the member of this name.
    func without(_ name: String) -> [UInt8] {
        rewritten { key, value in key.elementsEqual(name.utf8) ? nil : Array(value.bytes) }
    }

    /// Returns the session as its own machine gives it, where it has this id.
    fileprivate func asRecorded(_ id: String) -> [UInt8] {
        let members: Set = ["eventCount", "machine", "group", "machineSessionId"]
        return rewritten { key, value in
            let name = String(decoding: key, as: UTF8.self)
            if name == "id" { return [.quote] + id.utf8 + [.quote] }
            return members.contains(name) ? nil : Array(value.bytes)
        }
    }

    /// Returns the object with each member's value replaced; nil leaves the member out.
    private func rewritten(_ value: (ArraySlice<UInt8>, JSONText) -> [UInt8]?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        forEachMember { key, old in
            if let new = value(key, old) { writer.raw([.quote] + key + [.quote, .colon] + new) }
            return true
        }
        writer.endObject()
        return writer.bytes
    }
}
