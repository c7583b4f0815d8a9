internal import Glibc
internal import HarkCore
internal import HarkWire

/// Parses the files of an archive tree back into sessions and events.
enum ArchivedTexts {
    /// The event of a line; nil if the line is damaged, or written by another version.
    static func event(_ line: ArchiveLines.Line) -> FoundSession.Event? {
        guard let members = members(Array(line.bytes.dropLast())), let id = line.id,
            let name = members["name"]?.stringValue, (try? Limits.check(eventName: name)) != nil,
            let at = members["timestamp"]?.stringValue.flatMap({ Timestamp($0) }),
            let properties = properties(members["properties"]),
            let source = members["source"]?.objectValue, members["machine"] == nil,
            let uid = source["uid"]?.intValue.flatMap({ UInt32(exactly: $0) }),
            let pid = source["pid"]?.intValue.flatMap({ Int32(exactly: $0) })
        else { return nil }
        return FoundSession.Event(
            sequence: line.sequence, id: id, name: name, at: at, source: Source(uid: uid, pid: pid),
            properties: properties)
    }

    /// The session of a description; nil if that is damaged or of another machine.
    static func session(_ id: Identifier, row: Int64, in folder: String) -> Session? {
        let descriptor = open(folder + "/session.json", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0, let members = members(Array(bytes[..<count])), members["machine"] == nil,
            members["id"]?.stringValue == id.description,
            let uid = members["uid"]?.intValue.flatMap({ UInt32(exactly: $0) }),
            let app = members["app"]?.stringValue,
            let start = members["startedAt"]?.stringValue.flatMap({ Timestamp($0) }),
            let metadata = properties(members["metadata"])
        else { return nil }
        let user = members["userId"]?.stringValue
        let identity = SessionIdentity(
            row: row, id: id, scope: Scope(uid: uid, app: app), userId: user, startedAt: start, metadata: metadata,
            isImplicit: user == nil)
        return Session(identity, endedAt: members["endedAt"]?.stringValue.flatMap { Timestamp($0) })
    }

    private static func members(_ text: [UInt8]) -> JSONObject? {
        guard let document = try? JSONDocument(text, .json), document.duplicates.isEmpty else { return nil }
        return document.value.objectValue
    }

    private static func properties(_ value: JSONValue?) -> Properties? {
        guard let object = value?.objectValue else { return nil }
        var properties = Properties()
        for member in object.members {
            let key = member.key
            switch member.value {
            case .string(let text): properties.append(key, .string(text))
            case .int(let number): properties.append(key, .integer(number))
            case .double(let number): properties.append(key, .double(number))
            case .bool(let flag): properties.append(key, .bool(flag))
            case .null, .array, .object: return nil
            }
        }
        return properties.isWhole ? properties : nil
    }
}
