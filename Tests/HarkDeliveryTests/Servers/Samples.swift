import HarkTesting
import HarkWire

@testable import HarkCore

/// Records as servers get them, and what was made of them.
enum Samples {
    static let at = Timestamp("2026-11-21T11:08:00.123Z")!
    static let properties = Properties([
        ("text", .string("a \"b\"\n\u{1F600}")), ("whole", .integer(.max)), ("half", .double(0.5)),
        ("yes", .bool(true)),
    ])
    /// The same as JSON.
    static let json = #"{"text":"a \"b\"\n😀","whole":9223372036854775807,"half":0.5,"yes":true}"#

    static func session(_ userId: String? = nil, app: String = "default", row: Int64 = 1) -> SessionIdentity {
        SessionIdentity(
            row: row, id: Identifier(high: 7, low: UInt64(row)), scope: Scope(uid: 1000, app: app), userId: userId,
            startedAt: at.adding(milliseconds: -60_000), metadata: Properties([("place", .string("lab"))]),
            isImplicit: false)
    }

    static func record(
        _ kind: Record.Kind = .event, _ name: String = "", _ properties: Properties = .none,
        of session: SessionIdentity = session(), sequence: UInt64 = 5, at: Timestamp = at
    ) -> Record {
        Record(
            sequence: sequence, id: Identifier(high: 9, low: sequence), at: at, kind: kind, session: session,
            name: name,
            source: Source(uid: 1000, pid: 42), properties: properties)
    }

    static func log(_ entry: LogEntry, of session: SessionIdentity = session(), sequence: UInt64 = 5) -> Record {
        record(.log, entry.level.rawValue, entry.properties, of: session, sequence: sequence)
    }

    static func parse(_ bytes: some Sequence<UInt8>) throws -> JSONValue {
        try JSONReader.read(bytes)
    }
}

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }
}
