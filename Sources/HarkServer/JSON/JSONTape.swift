import CSimdJSON

/// Parses JSON texts one after the other; owns the parser and its document.
///
/// The document is simdjson's tape, read in place through `JSONNode`. Memory is kept for texts up to `capacity`; the
/// memory for a longer text (some 14 times its length) is released when the next text of ordinary length comes.
package struct JSONTape: ~Copyable {
    /// Bytes that must be readable behind a text; their content does not matter.
    package static let padding = Int(HARK_JSON_PADDING)

    /// Why there is no document.
    package enum Failure: Error {
        /// The text is not JSON, has a number out of every range, or is nested more than `maxDepth` levels.
        case malformed
        case outOfMemory
    }

    private static let maxDepth = 1_024

    private let capacity: Int
    /// nil before the first text, and if there is no memory for the parser.
    private var ordinary: OpaquePointer?
    private var large: OpaquePointer?

    package init(capacity: Int = 64 << 10) { self.capacity = capacity }

    deinit {
        hark_json_parser_free(ordinary)
        hark_json_parser_free(large)
    }

    /// Parses a text that is followed by `padding` readable bytes. Invalidates the nodes of the previous text.
    package mutating func parse(_ text: UnsafeBufferPointer<UInt8>) throws(Failure) -> JSONNode {
        var tape: UnsafePointer<UInt64>?
        var strings: UnsafePointer<UInt8>?
        let parser = try parser(for: text.count)
        switch hark_json_parse(parser, text.baseAddress, text.count, &tape, &strings) {
        case .HARK_JSON_OK: break
        case .HARK_JSON_NO_MEMORY: throw .outOfMemory
        case .HARK_JSON_REFUSED: throw .malformed
        }
        guard let tape, let strings else { throw .malformed }
        return JSONNode(tape: tape, strings: strings, index: 1)
    }

    private mutating func parser(for length: Int) throws(Failure) -> OpaquePointer {
        if length <= capacity {
            if large != nil { releaseLarge() }
            return try Self.make(&ordinary, capacity)
        }
        return try Self.make(&large, length)
    }

    private static func make(_ parser: inout OpaquePointer?, _ capacity: Int) throws(Failure) -> OpaquePointer {
        if let parser { return parser }
        guard let made = hark_json_parser_new(capacity, maxDepth) else { throw .outOfMemory }
        parser = made
        return made
    }

    private mutating func releaseLarge() {
        hark_json_parser_free(large)
        large = nil
    }
}
