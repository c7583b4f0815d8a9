package import HarkWire

/// A machine whose records a hub takes over: to the hub it is like an account, with a uid of its own.
///
/// As its sessions bear that uid, rights, retention and indexes by uid keep machines apart. The uids of accounts that the hub
/// has itself lie below all of these.
package final class MachineIdentity: Sendable {
    /// Its row in the store; never used for another one.
    package let row: Int64
    package let name: String
    /// The group of machines it was in when it sent what it is named for; a machine that changes its group has another row.
    package let group: String?
    /// Which of the logs the machine has had: the id of its own store, as its numbers begin anew with another one.
    package let log: Identifier

    /// - Parameter row: one of `rows`.
    package init(row: Int64, name: String, group: String?, log: Identifier) {
        self.row = row
        self.name = name
        self.group = group
        self.log = log
    }

    /// The uids from here on stand for machines.
    package static let firstUID: UInt32 = 0x8000_0000
    /// The last uid there is stands for none.
    package static let rows: ClosedRange<Int64> = 1...0x7FFF_FFFE

    /// What its sessions bear as `Scope.uid`.
    package var uid: UInt32 { MachineIdentity.firstUID + UInt32(clamping: row) }

    package static func isMachine(uid: UInt32) -> Bool { uid >= firstUID }
}

extension MachineIdentity: Equatable {
    package static func == (left: MachineIdentity, right: MachineIdentity) -> Bool { left.row == right.row }
}

extension MachineIdentity {
    /// Writes `machine`, and `group` if it is in one.
    package func writeMembers(to json: inout JSONWriter) {
        json.key("machine")
        json.string(name)
        guard let group else { return }
        json.key("group")
        json.string(group)
    }

    /// Writes where a record comes from, as its member `origin`.
    package func writeOrigin(_ sequence: UInt64, to json: inout JSONWriter) {
        json.key("origin")
        json.beginObject()
        writeMembers(to: &json)
        json.key("seq")
        json.uint(sequence)
        json.endObject()
    }

    /// What `writeOrigin` takes at most.
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
    /// The id under which a session of this machine lies here whose own id somebody else has: always the same for the two
    /// (UUID version 8).
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

/// Has the store keep a machine.
package enum MachineRow: FamilyRow {
    case insert(MachineIdentity)
}
