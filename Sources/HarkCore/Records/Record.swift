package import HarkWire

/// An entry of the log of everything that happened, in the order of `sequence`.
///
/// Beginnings and ends of sessions are in the same log as events, so a reader resumes everything from one number.
package struct Record: Sendable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        case event = 0
        case sessionStarted = 1
        case sessionEnded = 2
        /// A line for a server's log; `LogEntry` reads it.
        case log = 3
        /// An answer to a form.
        case form = 4
        /// Data derived from a user's answers.
        case profile = 5
        /// The outcome of a showing of a survey, for the hub of a fleet; `Presentation(record:)` reads it.
        case presentation = 6
        /// A notice that data was cleared, for the hub of a fleet; `ClearNotice(record:)` reads it.
        case clear = 7
    }

    package let sequence: UInt64
    package let id: Identifier
    /// The time of the event according to the sender, else when it was received.
    package let at: Timestamp
    package let kind: Kind
    // The origin in seven bytes of padding after `kind`, so that records, which are copied often, do not grow.
    private let originTop: UInt8
    private let originMiddle: UInt16
    private let originBottom: UInt32
    package let session: SessionIdentity
    /// The event's name, the level of a log entry, the survey of a presentation; empty for sessions and clears.
    package let name: String
    package let source: Source
    package let properties: Properties

    package init(
        sequence: UInt64, id: Identifier, at: Timestamp, kind: Kind, session: SessionIdentity, name: String = "",
        source: Source, properties: Properties = .none, origin: UInt64 = 0
    ) {
        self.sequence = sequence
        self.id = id
        self.at = at
        self.kind = kind
        originTop = UInt8(truncatingIfNeeded: origin >> 48)
        originMiddle = UInt16(truncatingIfNeeded: origin >> 32)
        originBottom = UInt32(truncatingIfNeeded: origin)
        self.session = session
        self.name = name
        self.source = source
        self.properties = properties
    }

    /// The record's number on its machine, at most `largestOrigin`; 0 for a record made here.
    package var origin: UInt64 { UInt64(originTop) << 48 | UInt64(originMiddle) << 32 | UInt64(originBottom) }

    /// More than any log will ever have.
    package static let largestOrigin: UInt64 = 1 << 56 - 1

    /// When the record came to the daemon that gave it its id; decisions by age use this time. It is `at` if the id contains no
    /// time, as an id from elsewhere.
    package var receivedAt: Timestamp { id.time ?? at }

    /// Copies a record that was read in place.
    package init(_ view: RecordView, of session: SessionIdentity) {
        self.init(
            sequence: view.sequence, id: view.id, at: view.at, kind: view.kind, session: session,
            name: String(decoding: view.name, as: UTF8.self), source: view.source,
            properties: Properties(bytes: Array(view.properties)), origin: view.origin)
    }

    /// The same record with other properties.
    package func with(_ properties: Properties) -> Record {
        Record(
            sequence: sequence, id: id, at: at, kind: kind, session: session, name: name, source: source,
            properties: properties, origin: origin)
    }

    /// Calls `body` with a view as readers of the store get it, valid during the call.
    package func withView<Result>(_ body: (RecordView) -> Result) -> Result {
        var name = name
        return name.withUTF8 { name in
            properties.withBytes { properties in
                body(
                    RecordView(
                        sequence: sequence, id: id, at: at, kind: kind, name: name, source: source,
                        properties: properties, origin: origin))
            }
        }
    }
}

/// A record of a known session, read in place; valid only during the call that passed it.
package struct RecordView {
    package let sequence: UInt64
    package let id: Identifier
    package let at: Timestamp
    package let kind: Record.Kind
    package let name: UnsafeBufferPointer<UInt8>
    package let source: Source
    package let properties: UnsafeBufferPointer<UInt8>
    /// The record's number on its machine; 0 for a record made here.
    package let origin: UInt64

    /// Writes an event as a JSON object: the line of the archive tree, the item of a list, the body of a stream.
    ///
    /// - Parameter asRecorded: whether to write it as its machine does.
    package func write(
        of session: SessionIdentity, only members: EventMembers = .all, asRecorded: Bool = false,
        to json: inout JSONWriter
    ) {
        withUser(of: session) { user in
            json.unchecked(upTo: textBound(user, session)) { write(members, asRecorded, of: session, user, to: &$0) }
        }
    }

    /// Writes the same object inside a string.
    package func writeLine(
        of session: SessionIdentity, only members: EventMembers = .all, asRecorded: Bool = false,
        to json: inout JSONWriter
    ) {
        withUser(of: session) { user in
            json.nested(upTo: textBound(user, session)) { write(members, asRecorded, of: session, user, to: &$0) }
        }
    }

    private func withUser(of session: SessionIdentity, _ body: (UnsafeBufferPointer<UInt8>?) -> Void) {
        guard var userId = session.userId else { return body(nil) }
        userId.withUTF8(body)
    }

    private func textBound(_ user: UnsafeBufferPointer<UInt8>?, _ session: SessionIdentity) -> Int {
        RecordView.fixedBound + (session.machine?.originBound ?? 0) + UncheckedJSONWriter.bound(ofString: name.count)
            + UncheckedJSONWriter.bound(ofString: user?.count ?? 0) + Properties.textBound(properties)
    }

    private func write(
        _ members: EventMembers, _ asRecorded: Bool, of session: SessionIdentity, _ user: UnsafeBufferPointer<UInt8>?,
        to json: inout UncheckedJSONWriter
    ) {
        if members.contains(.id) {
            json.literal(#"{"id":"#, nested: #"{\"id\":"#)
            json.identifier(id)
            json.literal(#","seq":"#, nested: #",\"seq\":"#)
        } else {
            json.literal(#"{"seq":"#, nested: #"{\"seq\":"#)
        }
        let isAsThere = asRecorded && session.machine != nil
        json.uint(isAsThere ? origin : sequence)
        if members.contains(.name) {
            json.literal(#","name":"#, nested: #",\"name\":"#)
            json.string(utf8: name)
        }
        if members.contains(.timestamp) {
            json.literal(#","timestamp":"#, nested: #",\"timestamp\":"#)
            json.timestamp(at)
        }
        if members.contains(.sessionId) {
            json.literal(#","sessionId":"#, nested: #",\"sessionId\":"#)
            json.identifier(isAsThere ? session.machineSession ?? session.id : session.id)
        }
        if members.contains(.userId), let user {
            json.literal(#","userId":"#, nested: #",\"userId\":"#)
            json.string(utf8: user)
        }
        if members.contains(.properties) {
            json.literal(#","properties":"#, nested: #",\"properties\":"#)
            Properties.write(properties, to: &json)
        }
        if members.contains(.source) {
            json.literal(#","source":{"uid":"#, nested: #",\"source\":{\"uid\":"#)
            json.uint(UInt64(source.uid))
            json.literal(#","pid":"#, nested: #",\"pid\":"#)
            json.int(Int64(source.pid))
            json.literal("}")
        }
        if let machine = session.machine, !asRecorded, members.contains(.origin) {
            machine.writeOrigin(origin, to: &json)
        }
        json.literal("}")
    }

    /// The greatest length of a record as JSON without its texts and properties, in bytes: member names, ids, times and numbers.
    private static let fixedBound = 400
}
