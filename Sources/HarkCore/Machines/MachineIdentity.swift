package import HarkWire

/// A machine whose records a hub takes over. The hub treats it like an account, with a uid of its own.
///
/// The machine's sessions have that uid, so rights, retention and indexes by uid keep machines apart. The uids of the
/// hub's own accounts lie below all of these.
package final class MachineIdentity: Sendable {
    /// The machine's row in the store; never reused.
    package let row: Int64
    package let name: String
    /// The group that the machine was in when it sent its records; a machine that changes its group gets another row.
    package let group: String?
    /// The log among those of the machine: the id of its store. With another store its numbers begin anew.
    package let log: Identifier

    /// - Parameter row: a number in `rows`.
    package init(row: Int64, name: String, group: String?, log: Identifier) {
        self.row = row
        self.name = name
        self.group = group
        self.log = log
    }

    /// The first uid of machines.
    package static let firstUID: UInt32 = 0x8000_0000
    /// Excludes the last possible uid, which means no uid.
    package static let rows: ClosedRange<Int64> = 1...0x7FFF_FFFE

    /// The `Scope.uid` of the machine's sessions.
    package var uid: UInt32 { MachineIdentity.firstUID + UInt32(clamping: row) }

    package static func isMachine(uid: UInt32) -> Bool { uid >= firstUID }
}

extension MachineIdentity: Equatable {
    package static func == (left: MachineIdentity, right: MachineIdentity) -> Bool { left.row == right.row }
}

extension MachineIdentity {
    /// Writes `machine`, and `group` if there is one, by hand, as a part of records and showings.
    package func writeMembers(to json: inout JSONWriter) {
        json.key("machine")
        json.string(name)
        guard let group else { return }
        json.key("group")
        json.string(group)
    }

    /// Writes the origin of a record as its member `origin`.
    package func writeOrigin(_ sequence: UInt64, to json: inout JSONWriter) {
        json.key("origin")
        json.beginObject()
        writeMembers(to: &json)
        json.key("seq")
        json.uint(sequence)
        json.endObject()
    }

    /// The greatest length that `writeOrigin` writes, in bytes.
    var originBound: Int {
        64 + UncheckedJSONWriter.bound(ofString: name.utf8.count)
            + UncheckedJSONWriter.bound(ofString: group?.utf8.count ?? 0)
    }

    func writeOrigin(_ sequence: UInt64, to json: inout UncheckedJSONWriter) {
        json.literal(#","origin":{"machine":"#, nested: #",\"origin\":{\"machine\":"#)
        json.string(name)
        if let group {
            json.literal(#","group":"#, nested: #",\"group\":"#)
            json.string(group)
        }
        json.literal(#","seq":"#, nested: #",\"seq\":"#)
        json.uint(sequence)
        json.literal("}")
    }
}

extension MachineIdentity {
    /// The local id of a session of this machine if its own id is already used here; always the same for the same machine and
    /// session (UUID version 8).
    package func derivedId(for session: Identifier) -> Identifier {
        var high = StableHash()
        high.mix("session of a machine")
        mix(session, into: &high)
        var low = StableHash()
        low.mix("the rest of it")
        mix(session, into: &low)
        let version: UInt64 = 8
        return Identifier(
            high: high.value & ~0xF000 | version << 12, low: low.value & ~(0b11 << 62) | 0b10 << 62)
    }

    private func mix(_ session: Identifier, into hash: inout StableHash) {
        hash.mix(session.description)
        hash.mix(String(row))
    }
}

/// A new machine for the store.
package enum MachineRow: FamilyRow {
    case insert(MachineIdentity)
}
