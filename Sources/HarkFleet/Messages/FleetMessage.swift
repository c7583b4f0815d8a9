package import HarkWire

/// A small message of a fleet: one JSON object with the version of the protocol in `v`.
///
/// Members that a version does not know are passed over, so that older and newer ones understand each other; what a
/// version does need and does not find makes the message none.
package protocol FleetMessage: Sendable, Equatable {
    init?(_ members: JSONObject)
    func write(to json: inout JSONWriter)
}

/// The version of the protocol.
package enum FleetProtocol {
    package static let version = 1
    /// Longer messages, but for records and documents, are nobody's.
    package static let mostBytes = 65_536
}

extension FleetMessage {
    /// - Returns: nil for what is no such message.
    package init?(payload: [UInt8], mostBytes: Int = FleetProtocol.mostBytes) {
        // What is no JSON came from nobody who keeps to the protocol.
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
