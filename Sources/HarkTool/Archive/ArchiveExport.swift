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
            let session = ToldSession(try connection.call(SessionGet(id)).text).session.json
            guard session.isObject else {
                throw ClientError(.malformedReply, "the daemon's reply has no session in it")
            }
            return try export([session], of: 1, asRecorded: false, &connection)
        }
        // Lists all sessions first: a page of sessions would otherwise wait in memory behind each session's events
        // anyway.
        var found: [[JSONText]] = []
        // The session of a machine that changed its group is here in several parts, one after the other.
        var places: [String: Int] = [:]
        try SessionPages(scope: scope, machines: machines).forEach(&connection) { session in
            guard !machines.isAll else { return found.append([session]) }
            let id = SessionInfo(session).ownId
            if let place = places[id] { return found[place].append(session) }
            places[id] = found.count
            found.append([session])
        }
        for session in found {
            try export(session, of: found.count, asRecorded: !machines.isAll, &connection)
        }
    }

    /// - Parameter parts: The parts of one session, in order.
    private mutating func export(
        _ parts: [JSONText], of total: Int, asRecorded: Bool, _ connection: inout Connection
    ) throws {
        guard let session = parts.last else { return }
        let told = SessionInfo(session)
        let id = asRecorded ? told.ownId : told.id.description
        let place = "users/\(UserFolder.name(for: told.userId))/sessions/\(id)"
        try folder.makeFolders(place)
        // session.json is written last: a folder with it has all its events.
        try folder.replace(place + "/events.jsonl") { file in
            for part in parts {
                var query = EventQuery(scope: .session(SessionInfo(part).id.description))
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
}

extension SessionInfo {
    /// The id of a session on the machine it comes from.
    fileprivate var ownId: String { (machineSessionId ?? id).description }
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
