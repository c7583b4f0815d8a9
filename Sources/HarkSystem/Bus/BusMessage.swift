import CSystemd

/// A message that came over the bus; valid only during the call that hands it out, and read from front to back.
package struct BusMessage {
    /// The value of a property, as far as anybody here wants to know it.
    package enum Property: Sendable, Hashable {
        case bool(Bool)
        case text(String)
    }

    let pointer: OpaquePointer

    static let textType = CChar(UInt8(ascii: "s"))
    static let numberType = CChar(UInt8(ascii: "u"))
    static let signedType = CChar(UInt8(ascii: "i"))
    static let boolType = CChar(UInt8(ascii: "b"))
    static let arrayType = CChar(UInt8(ascii: "a"))
    static let entryType = CChar(UInt8(ascii: "e"))
    static let variantType = CChar(UInt8(ascii: "v"))
    private static let pathType = CChar(UInt8(ascii: "o"))

    /// What went wrong, if it is an error instead of a reply.
    package var error: String? {
        guard let error = sd_bus_message_get_error(pointer) else { return nil }
        return (error.pointee.message ?? error.pointee.name).map { String(cString: $0) } ?? "an unnamed error"
    }

    /// The object that it comes from.
    package var sender: String? { sd_bus_message_get_path(pointer).map { String(cString: $0) } }

    /// The next text; nil if something else comes.
    package func text() -> String? { text(Self.textType) }

    /// The next number of 32 bits; nil if something else comes.
    package func number() -> UInt32? {
        var number: UInt32 = 0
        return sd_bus_message_read_basic(pointer, Self.numberType, &number) > 0 ? number : nil
    }

    /// The next path of an object; nil if something else comes.
    package func path() -> String? { text(Self.pathType) }

    /// The next array of texts; nil if something else comes.
    package func texts() -> [String]? {
        guard sd_bus_message_enter_container(pointer, Self.arrayType, "s") > 0 else { return nil }
        var texts: [String] = []
        while let text = text() { texts.append(text) }
        sd_bus_message_exit_container(pointer)
        return texts
    }

    /// The next array of properties, without those that are neither true, false nor a text; nil if something else comes.
    package func properties() -> [String: Property]? {
        guard sd_bus_message_enter_container(pointer, Self.arrayType, "{sv}") > 0 else { return nil }
        var properties: [String: Property] = [:]
        while sd_bus_message_enter_container(pointer, Self.entryType, "sv") > 0 {
            guard let name = text(), let value = variant() else { return properties }
            if case .known(let property) = value { properties[name] = property }
            sd_bus_message_exit_container(pointer)
        }
        sd_bus_message_exit_container(pointer)
        return properties
    }

    private enum Variant {
        case known(Property)
        case other
    }

    private func variant() -> Variant? {
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(pointer, nil, &contents) > 0, let contents else { return nil }
        let type = String(cString: contents)
        guard type == "b" || type == "s" else {
            return sd_bus_message_skip(pointer, "v") >= 0 ? .other : nil
        }
        guard sd_bus_message_enter_container(pointer, Self.variantType, type) > 0 else { return nil }
        defer { sd_bus_message_exit_container(pointer) }
        if type == "s" { return text().map { .known(.text($0)) } }
        var bool: Int32 = 0
        guard sd_bus_message_read_basic(pointer, Self.boolType, &bool) > 0 else { return nil }
        return .known(.bool(bool != 0))
    }

    private func text(_ type: CChar) -> String? {
        var text: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(pointer, type, &text) > 0 else { return nil }
        return text.map { String(cString: $0) }
    }
}
