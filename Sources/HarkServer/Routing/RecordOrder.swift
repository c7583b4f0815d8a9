package import HarkCore
package import HarkWire

/// The content of an `event.record` request.
package struct RecordOrder: ~Copyable {
    /// Nil if no reply is wanted.
    package fileprivate(set) var id: RequestID?
    package fileprivate(set) var name = ""
    package fileprivate(set) var app = Scope.defaultApp
    package fileprivate(set) var userId: String?
    package fileprivate(set) var isUnattended = false
    package fileprivate(set) var timestamp: Timestamp?
    package fileprivate(set) var producer: (id: String, seq: Int64)?
    package fileprivate(set) var properties = Properties.none
    /// Keys whose values were null.
    package fileprivate(set) var dropped: [String] = []
    /// Warnings about unknown members.
    package fileprivate(set) var warnings: [String] = []
}

/// Reads `event.record`, straight from the line or from a parsed request.
///
/// Lines of the simplest form (`PlainScanner`) are read in one pass: nearly all frequent lines have it, and parsing was
/// half of a record's cost on the loop. The result equals that of `read(_:)`, which handles all wrong or unusual lines.
package struct RecordOrderReader {
    private let names = RecordOrderReader.names
    private static let names = Names()
    private let pool = PropertyPool()

    package init() {}

    /// The names that are found by the bytes of a line.
    private struct Names: Sendable {
        enum Producer {
            case id, seq
        }

        /// The params of `EventRecord`.
        enum Parameter: String, CaseIterable {
            case name, properties, app, userId, unattended, timestamp, producer
        }

        let method = NameTable([(EventRecord.name, true)])
        let parameters = NameTable(Parameter.allCases.map { ($0.rawValue, $0) })
        let producer = NameTable([("id", Producer.id), ("seq", .seq)])
    }

    /// Whether this is the name of the method.
    package func isMeant(by method: UnsafeBufferPointer<UInt8>) -> Bool { names.method[method] != nil }

    package func read(_ request: Request) throws(WireError) -> RecordOrder {
        var order = RecordOrder(id: request.id)
        var unknown = UnknownMembers()
        var hasName = false
        if let members = request.params?.members {
            for member in members {
                guard let parameter = names.parameters[member.key] else {
                    unknown.add(member.key)
                    continue
                }
                let value = member.value
                // Null means the same as absence, as for every method.
                if value.isNull { continue }
                switch parameter {
                case .name:
                    guard let text = value.string else { throw wrong(parameter, .string) }
                    order.name = text
                    hasName = true
                case .properties: (order.properties, order.dropped) = try value.properties(in: pool)
                case .app:
                    guard let text = value.string else { throw wrong(parameter, .string) }
                    order.app = text
                case .userId:
                    guard let text = value.string else { throw wrong(parameter, .string) }
                    order.userId = text
                case .unattended:
                    guard let flag = value.bool else { throw wrong(parameter, .bool) }
                    order.isUnattended = flag
                case .timestamp:
                    let (given, type) = (value.toValue(), MemberType<Timestamp>.time)
                    order.timestamp = type.read(given)
                    if order.timestamp == nil { throw Params.wrong(parameter.rawValue, type.words(for: given)) }
                case .producer: order.producer = try producer(value, &unknown)
                }
            }
        }
        guard hasName else { throw Params.missing("name", MemberType<String>.string.words) }
        let isKnown = unknown.isEmpty && request.unknown.isEmpty
        if !isKnown { order.warnings = unknown.warnings + request.unknown.warnings }
        return order
    }

    private func wrong<Value>(_ parameter: Names.Parameter, _ type: MemberType<Value>) -> WireError {
        Params.wrong(parameter.rawValue, type.words)
    }

    private func producer(
        _ node: JSONNode, _ unknown: inout UnknownMembers
    ) throws(WireError) -> (id: String, seq: Int64) {
        guard let members = node.members else { throw wrong(.producer, .producer) }
        var (id, seq): (String?, Int64?)
        for member in members {
            switch names.producer[member.key] {
            case .id: id = member.value.string
            case .seq: seq = member.value.int
            case nil: unknown.add(member.key)
            }
        }
        if let id, let seq, seq > 0 { return (id, seq) }
        // Written in another way, or wrong.
        return try ProducerSend.read(node.toValue().objectValue ?? JSONObject())
    }

    /// Reads a line that is followed by `JSONTape.padding` readable bytes.
    ///
    /// - Returns: nil if it must be parsed into a request first.
    package func read(plain line: UnsafeBufferPointer<UInt8>) -> RecordOrder? {
        guard var scanner = PlainScanner(line) else { return nil }
        var order = RecordOrder()
        guard read(&scanner, into: &order), scanner.isThrough else {
            pool.takeBack(order.properties)
            return nil
        }
        return order
    }

    private func read(_ scanner: inout PlainScanner, into order: inout RecordOrder) -> Bool {
        guard scanner.open() else { return false }
        var (hasMethod, hasParams, hasVersion) = (false, false, false)
        while let key = scanner.nextKey() {
            if key.isEqual("id") {
                guard order.id == nil, let id = scanner.requestID() else { return false }
                order.id = id
            } else if key.isEqual("method") {
                // Otherwise a line of another method would be read to its end.
                guard !hasMethod, let method = scanner.text(), isMeant(by: method) else { return false }
                hasMethod = true
            } else if key.isEqual("params") {
                guard hasMethod, !hasParams, read(params: &scanner, into: &order) else { return false }
                hasParams = true
            } else if key.isEqual("jsonrpc") {
                guard !hasVersion, let version = scanner.text(), version.isEqual("2.0") else { return false }
                hasVersion = true
            } else {
                return false
            }
        }
        return hasParams
    }

    private func read(params scanner: inout PlainScanner, into order: inout RecordOrder) -> Bool {
        guard scanner.open() else { return false }
        var (hasName, hasProperties, hasApp, hasUnattended) = (false, false, false, false)
        while let key = scanner.nextKey() {
            switch names.parameters[key] {
            case .name:
                guard !hasName, let text = scanner.text(upTo: Limits.eventNameBytes) else { return false }
                order.name = text
                hasName = true
            case .properties:
                guard !hasProperties, let properties = properties(&scanner) else { return false }
                order.properties = properties
                hasProperties = true
            case .app:
                guard !hasApp, let text = scanner.text(upTo: Limits.appBytes) else { return false }
                order.app = text
                hasApp = true
            case .userId:
                guard order.userId == nil, let text = scanner.text(upTo: Limits.userIdBytes) else { return false }
                order.userId = text
            case .unattended:
                guard !hasUnattended, case .bool(let flag) = scanner.value() else { return false }
                order.isUnattended = flag
                hasUnattended = true
            case .timestamp:
                guard order.timestamp == nil, let text = scanner.text(), let time = Timestamp(utf8: text) else {
                    return false
                }
                order.timestamp = time
            case .producer:
                guard order.producer == nil, let producer = producer(&scanner) else { return false }
                order.producer = producer
            case nil: return false
            }
        }
        return hasName
    }

    private func producer(_ scanner: inout PlainScanner) -> (id: String, seq: Int64)? {
        guard scanner.open() else { return nil }
        var (id, seq): (String?, Int64?)
        while let key = scanner.nextKey() {
            switch names.producer[key] {
            case .id:
                guard id == nil, let text = scanner.text(upTo: Limits.producerIdBytes) else { return nil }
                id = text
            case .seq:
                guard seq == nil, case .integer(let number) = scanner.value(), number > 0 else { return nil }
                seq = number
            case nil: return nil
            }
        }
        guard let id, let seq else { return nil }
        return (id, seq)
    }

    private func properties(_ scanner: inout PlainScanner) -> Properties? {
        guard scanner.open() else { return nil }
        // A packed member, without its overhead, is never longer than in the line.
        let bound = scanner.bytesLeft + KeyMarks.most * Properties.memberOverhead
        let longest = Limits.propertyKeyBytes
        return pool.pack(atMost: bound) { packer in
            var keys = KeyMarks()
            while let key = scanner.nextKey() {
                guard key.count <= longest, keys.hasRoom, !keys.mark(key) || !packer.contains(key: key) else {
                    return false
                }
                switch scanner.value() {
                case .text(let text): packer.append(key: key, string: text)
                case .integer(let number): packer.append(key: key, integer: number)
                case .double(let number): packer.append(key: key, double: number)
                case .bool(let flag): packer.append(key: key, bool: flag)
                case nil: return false
                }
            }
            return scanner.isPlain
        }
    }
}

extension JSONNode {
    /// Reads the properties of an event in place, and the keys with null, which are left out.
    package func properties(in pool: PropertyPool) throws(WireError) -> (Properties, dropped: [String]) {
        guard let members else { throw Params.wrong("properties", MemberType<JSONValue>.eventProperties.words) }
        var hasNull = false
        let properties = try pool.pack {
            members.reduce(0) { $0 + $1.key.count + ($1.value.utf8?.count ?? 0) + Properties.memberOverhead }
        } _: { packer throws(WireError) in
            for member in members {
                let key = member.key
                if key.count > Limits.propertyKeyBytes {
                    try PropertyRules.check(keyLength: key.count, path: JSONNode.path(key))
                }
                let text = member.value.utf8
                guard packer.hasRoom(key: key, text: text?.count ?? 0) else { return false }
                if let text {
                    packer.append(key: key, string: text)
                } else if let number = member.value.int {
                    packer.append(key: key, integer: number)
                } else if let flag = member.value.bool {
                    packer.append(key: key, bool: flag)
                } else if let number = member.value.double {
                    packer.append(key: key, double: number)
                } else if member.value.isNull {
                    hasNull = true
                } else {
                    throw PropertyRules.notPrimitive(
                        String(decoding: key, as: UTF8.self), path: JSONNode.path(key))
                }
            }
            return true
        }
        guard hasNull else { return (properties, []) }
        return (properties, members.filter(\.value.isNull).map { String(decoding: $0.key, as: UTF8.self) })
    }

    /// Reads the properties; nil if any is wrong or left out.
    package func wholeProperties(in pool: PropertyPool) -> Properties? {
        guard let (properties, dropped) = try? properties(in: pool), dropped.isEmpty else { return nil }
        return properties
    }

    private static func path(_ key: UnsafeBufferPointer<UInt8>) -> String {
        "\(Params.path("properties")).\(String(decoding: key, as: UTF8.self))"
    }
}
