import CSystemd

/// A received bus message. It is valid only during the callback, and is read from front to back.
package struct BusMessage {
    /// A property value of a supported type.
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

    /// The error message, if this is an error instead of a reply.
    package var error: String? {
        guard let error = sd_bus_message_get_error(pointer) else { return nil }
        return (error.pointee.message ?? error.pointee.name).map { String(cString: $0) } ?? "an unnamed error"
    }

    /// The path of the object that sent it.
    package var sender: String? { sd_bus_message_get_path(pointer).map { String(cString: $0) } }

    /// Reads the next string; nil for another type.
    package func text() -> String? { text(Self.textType) }

    /// Reads the next 32-bit number; nil for another type.
    package func number() -> UInt32? {
        var number: UInt32 = 0
        return sd_bus_message_read_basic(pointer, Self.numberType, &number) > 0 ? number : nil
    }

    /// Reads the next object path; nil for another type.
    package func path() -> String? { text(Self.pathType) }

    /// Reads the next array of strings; nil for another type.
    package func texts() -> [String]? {
        guard sd_bus_message_enter_container(pointer, Self.arrayType, "s") > 0 else { return nil }
        var texts: [String] = []
        while let text = text() { texts.append(text) }
        sd_bus_message_exit_container(pointer)
        return texts
    }

    /// Reads the next dictionary of properties, only boolean and string values; nil for another type.
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
