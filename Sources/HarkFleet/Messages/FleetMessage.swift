package import HarkWire

/// A small message of a fleet: a JSON object with the version of the protocol in `v`.
///
/// Unknown members are ignored, so that older and newer versions understand each other; a message without a required
/// member is invalid.
package protocol FleetMessage: Sendable, Equatable {
    init?(_ members: JSONObject)
    func write(to json: inout JSONWriter)
}

/// The version of the protocol.
package enum FleetProtocol {
    package static let version = 1
    /// The maximum length of messages other than batches and documents.
    package static let mostBytes = 65_536
}

extension FleetMessage {
    /// - Returns: nil for an invalid message.
    package init?(payload: [UInt8], mostBytes: Int = FleetProtocol.mostBytes) {
        // Invalid JSON means that the sender breaks the protocol.
        guard payload.count <= mostBytes, let value = try? JSONDocument(payload, .json).value,
            let members = value.objectValue, let version = members["v"]?.exactInteger, version >= 1
        else { return nil }
        self.init(members)
    }

    package var payload: [UInt8] {
        JSONWriter.object { json in
            json.key("v")
            json.int(FleetProtocol.version)
            write(to: &json)
        }
    }
}

extension JSONObject {
    func identifier(_ key: String) -> Identifier? { self[key]?.stringValue.flatMap { Identifier($0) } }

    func number(_ key: String) -> UInt64? { self[key]?.exactInteger.flatMap { UInt64(exactly: $0) } }

    func name(_ key: String) -> String? { self[key]?.stringValue.flatMap { FleetName.isValid($0) ? $0 : nil } }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ id: Identifier) {
        key(name)
        identifier(id)
    }

    mutating func member(_ name: StaticString, _ number: UInt64) {
        key(name)
        uint(number)
    }

    mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        string(text)
    }
}
