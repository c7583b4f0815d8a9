package import HarkWire

/// A hub's answer to a machine: its position in one of the machine's logs, sent once that is on its disk.
package struct FleetAcknowledgement: FleetMessage {
    package enum Kind: String, Sendable, CaseIterable {
        /// The answer to a hello.
        case welcome
        /// Records were stored, now or earlier.
        case taken
        /// Records are missing before the batch: send again from the cursor on.
        case gap
        /// The hub has another record at this place: this log and the one that the hub knows are different.
        case conflict
        /// The hub has not heard from the machine for a while, and asks whether it is there.
        case ping
    }

    /// A record as a position, by which a machine recognizes its own log.
    package struct Mark: Sendable, Equatable {
        package let sequence: UInt64
        package let id: Identifier

        package init(sequence: UInt64, id: Identifier) {
            self.sequence = sequence
            self.id = id
        }

        /// Reads two members; the number 0, without an id, means that there is no record.
        ///
        /// - Returns: nil if they are missing.
        static func read(_ members: JSONObject, _ sequence: String, _ id: String) -> (mark: Mark?, Void)? {
            guard let number = members.number(sequence) else { return nil }
            if number == 0 { return (nil, ()) }
            return members.identifier(id).map { (Mark(sequence: number, id: $0), ()) }
        }
    }

    package let kind: Kind
    /// The hub that answers; a machine ignores answers of others.
    package let store: Identifier
    package let run: Identifier
    package let log: Identifier
    /// The number of the hello it answers.
    package var hello: UInt64 = 0
    /// Whether the hub deals the answers of quotas; hubs of version 0.1.0 do not.
    package var dealsCredits = false
    /// The last record that the hub has of this log; nil for none.
    package let mark: Mark?

    package var cursor: UInt64 { mark?.sequence ?? 0 }

    package init(_ kind: Kind, store: Identifier, run: Identifier, log: Identifier, mark: Mark?, hello: UInt64 = 0) {
        self.kind = kind
        self.store = store
        self.run = run
        self.log = log
        self.mark = mark
        self.hello = hello
    }

    package init?(_ members: JSONObject) {
        guard let kind = members["kind"]?.stringValue.flatMap(Kind.init), let store = members.identifier("store"),
            let run = members.identifier("run"), let log = members.identifier("log"),
            let cursor = Mark.read(members, "cursor", "id")
        else { return nil }
        self.init(kind, store: store, run: run, log: log, mark: cursor.mark, hello: members.number("hello") ?? 0)
        dealsCredits = members["credits"]?.boolValue ?? false
    }

    package func write(to json: inout JSONWriter) {
        json.member("kind", kind.rawValue)
        json.member("store", store)
        json.member("run", run)
        json.member("log", log)
        if hello > 0 { json.member("hello", hello) }
        json.member("cursor", cursor)
        if let mark { json.member("id", mark.id) }
        if dealsCredits {
            json.key("credits")
            json.bool(true)
        }
    }
}
