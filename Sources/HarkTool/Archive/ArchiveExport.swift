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

    /// - Parameter machines: where it is not all, what comes from these is written as they themselves would write it.
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
        // Listed first: a page of sessions would otherwise wait in memory behind each session's events anyway.
        var found: [[JSONText]] = []
        // A machine that has changed its group has its session in parts here, one after the other.
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

    /// The id that a session has where it comes from.
    private static func ownId(of session: JSONText) -> String? {
        (session.member("machineSessionId") ?? session.member("id"))?.string
    }

    /// - Parameter parts: of one session, in their order.
    private mutating func export(
        _ parts: [JSONText], of total: Int, asRecorded: Bool, _ connection: inout Connection
    ) throws {
        guard let session = parts.last,
            let id = asRecorded ? Self.ownId(of: session) : session.member("id")?.string,
            id.utf8.allSatisfy(Self.isIdLetter)
        else { throw Self.odd }
        let place = "users/\(UserFolder.name(for: session.member("userId")?.string))/sessions/\(id)"
        try folder.makeFolders(place)
        // session.json comes last: a folder that has it has its events.
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

    /// An id becomes a folder's name, whatever answered on the socket.
    private static func isIdLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || Character(Unicode.Scalar(byte)).isHexDigit
    }

    private static let odd = ClientError(.malformedReply, "the daemon's answer has no session with an id")
}

extension JSONText {
    /// The object without the member of that name.
    func without(_ name: String) -> [UInt8] {
        rewritten { key, value in key.elementsEqual(name.utf8) ? nil : Array(value.bytes) }
    }

    /// A session as its machine tells it itself, where it has this id.
    fileprivate func asRecorded(_ id: String) -> [UInt8] {
        let members: Set = ["eventCount", "machine", "group", "machineSessionId"]
        return rewritten { key, value in
            let name = String(decoding: key, as: UTF8.self)
            if name == "id" { return [.quote] + id.utf8 + [.quote] }
            return members.contains(name) ? nil : Array(value.bytes)
        }
    }

    /// The object with other values; nil leaves a member out.
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
