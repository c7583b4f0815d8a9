import Glibc
package import HarkCore
import HarkDelivery
package import HarkFleet
import HarkServer
package import HarkWire

/// Decodes batches of records from machines. The input is untrusted: a broker may deliver any bytes.
package struct FleetDecoder: ~Copyable {
    /// The content of a batch.
    package struct Content: Sendable {
        package let head: FleetBatch
        package var sessions: [MachineSession] = []
        package var records: [MachineRecord] = []
        /// The number of unreadable records; they do not block the others.
        package var unreadable = 0

        package func id(of sequence: UInt64) -> Identifier? { records.first { $0.origin == sequence }?.id }
    }

    private var tape = JSONTape()
    private let names = Names()
    private let pool = PropertyPool()

    /// - Returns: nil if the payload is no batch, or is incomplete.
    package mutating func read(_ payload: [UInt8]) -> Content? {
        guard var text = Gzip.decompress(payload, limit: FleetBatch.mostBytes, room: JSONTape.padding) else {
            return nil
        }
        let length = text.count
        text += repeatElement(0, count: JSONTape.padding)
        return text.withUnsafeBufferPointer { text in
            read(UnsafeBufferPointer(rebasing: text[..<length]))
        }
    }

    private mutating func read(_ text: UnsafeBufferPointer<UInt8>) -> Content? {
        guard let end = text.firstIndex(of: UInt8(ascii: "\n")), let head = FleetBatch(payload: Array(text[..<end]))
        else { return nil }
        var content = Content(head: head)
        content.records.reserveCapacity(head.count)
        var start = end + 1
        var last = FleetAcknowledgement.Mark(sequence: head.after?.sequence ?? 0, id: head.log)
        var first: UInt64?
        var count = 0
        while start < text.count {
            let end = FleetDecoder.endOfLine(text, from: start)
            // Each line is followed by more text or by padding. Invalid JSON means that the sender breaks the protocol.
            guard let line = try? tape.parse(UnsafeBufferPointer(rebasing: text[start..<end])),
                let kind = line.member("kind")?.string
            else { return nil }
            start = end + 1
            if kind == FleetLine.session {
                guard content.sessions.count < head.count, let session = session(line) else { return nil }
                content.sessions.append(session)
                continue
            }
            guard count < head.count, let mark = mark(line), mark.sequence > last.sequence else { return nil }
            (first, last, count) = (first ?? mark.sequence, mark, count + 1)
            // Skipped: a kind of a later version.
            guard let kind = FleetDecoder.kind(kind) else { continue }
            if let record = record(line, kind, mark) { content.records.append(record) } else { content.unreadable += 1 }
        }
        return first == head.first && last == head.last && count == head.count ? content : nil
    }

    /// - Parameter start: The offset in the text.
    private static func endOfLine(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let rest = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: text[start...]))
        guard let first = rest.baseAddress, let newline = memchr(first, Int32(UInt8(ascii: "\n")), rest.count) else {
            return text.count
        }
        return start + (UnsafeRawPointer(newline) - first)
    }

    private func mark(_ line: JSONNode) -> FleetAcknowledgement.Mark? {
        guard let sequence = line.member("seq")?.int.flatMap({ UInt64(exactly: $0) }),
            let id = line.member("id")?.utf8.flatMap({ Identifier(utf8: $0) })
        else { return nil }
        return FleetAcknowledgement.Mark(sequence: sequence, id: id)
    }

    private static func kind(_ word: String) -> Record.Kind? {
        Record.Kind.allCases.first { RecordJSON.word(for: $0) == word }
    }

    private struct Names {
        enum Member {
            case name, timestamp, session, properties, source
        }

        let members = NameTable<Member>([
            ("name", .name), ("timestamp", .timestamp), ("sessionId", .session),
            ("properties", .properties), ("source", .source),
        ])
    }

    private func record(
        _ line: JSONNode, _ kind: Record.Kind, _ mark: FleetAcknowledgement.Mark
    ) -> MachineRecord? {
        guard let given = line.members else { return nil }
        var session: Identifier?
        var at: Timestamp?
        var name = ""
        var properties = Properties.none
        var source = Source(uid: 0, pid: 0)
        for member in given {
            switch names.members[member.key] {
            case .name: name = member.value.string ?? ""
            case .timestamp: at = member.value.utf8.flatMap { Timestamp(utf8: $0) }
            case .session: session = member.value.utf8.flatMap { Identifier(utf8: $0) }
            case .properties:
                guard let read = member.value.wholeProperties(in: pool) else { return nil }
                properties = read
            case .source:
                guard let uid = member.value.member("uid")?.int.flatMap(UInt32.init(exactly:)),
                    let pid = member.value.member("pid")?.int.flatMap(Int32.init(exactly:)), pid >= 0
                else { return nil }
                source = Source(uid: uid, pid: pid)
            case nil: continue
            }
        }
        guard let session, let at else { return nil }
        return MachineRecord(
            origin: mark.sequence, kind: kind, id: mark.id, at: at, name: name, properties: properties, source: source,
            session: session)
    }

    private func session(_ line: JSONNode) -> MachineSession? {
        guard let session = line.member("session"),
            let id = session.member("id")?.utf8.flatMap({ Identifier(utf8: $0) }),
            let app = session.member("app")?.string,
            let uid = session.member("uid")?.int.flatMap(UInt32.init(exactly:)),
            let startedAt = session.member("startedAt")?.utf8.flatMap({ Timestamp(utf8: $0) }),
            let implicit = line.member("implicit")?.int
        else { return nil }
        var metadata = Properties.none
        if let given = session.member("metadata") {
            guard let read = given.wholeProperties(in: PropertyPool(first: 0)) else { return nil }
            metadata = read
        }
        return MachineSession(
            id: id, uid: uid, app: app, userId: session.member("userId")?.string, startedAt: startedAt,
            // A session for logs counts as ended for all queries.
            endedAt: implicit >= 2 ? startedAt : nil, metadata: metadata, isImplicit: implicit != 0,
            isForLogs: implicit >= 2)
    }
}
