package import HarkCore
package import HarkWire

/// Which records to read, a page at a time.
package struct RecordQuery: Sendable {
    package var uid: UInt32?
    package var session: Identifier?
    package var user: UserFilter?
    package var app: String?
    package var name: NamePattern?
    package var since: Timestamp?
    package var until: Timestamp?
    package var kinds: Set<Record.Kind> = [.event]
    package var descending = false
    /// Records after (or, descending, before) this sequence number.
    package var from: UInt64?
    package var limit: Int
    /// The page also ends once the caller says it is full.
    package init(limit: Int) { self.limit = limit }

    /// Whether a session's records are meant at all.
    package func includes(_ session: SessionIdentity) -> Bool {
        if let uid, uid != session.scope.uid { return false }
        if let id = self.session, id != session.id { return false }
        if case .user(let userId) = user, !userId.hasSameBytes(as: session.userId) { return false }
        if let app, !app.hasSameBytes(as: session.scope.app) { return false }
        return true
    }

    /// Whether a record of an included session is meant.
    package func includes(_ record: RecordView) -> Bool {
        guard kinds.contains(record.kind) else { return false }
        if let since, record.at < since { return false }
        if let until, record.at >= until { return false }
        if let name, record.kind == .event, !name.matches(record.name) { return false }
        return true
    }
}

/// An event name, or a pattern in which `*` stands for any run of characters.
package struct NamePattern: Sendable, Equatable {
    private let parts: [[UInt8]]

    package init(_ text: String) {
        parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    }

    package func matches(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard parts.count > 1, let head = parts.first, let tail = parts.last else {
            return name.elementsEqual(parts.first ?? [])
        }
        guard name.count >= head.count + tail.count, name.starts(with: head),
            name.suffix(tail.count).elementsEqual(tail)
        else { return false }
        // Between the fixed ends, each part is taken at its first place: if any way fits, this one does.
        var rest = name[head.count..<name.count - tail.count]
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let place = NamePattern.find(part, in: rest) else { return false }
            rest = rest[(place + part.count)...]
        }
        return true
    }

    private static func find(_ part: [UInt8], in text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        guard text.count >= part.count else { return nil }
        return (text.startIndex...text.endIndex - part.count).first { text[$0...].starts(with: part) }
    }
}
