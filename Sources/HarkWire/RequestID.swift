/// The id of a request, kept until its reply is written.
///
/// It outlives the line it came from. Nearly all ids are integers, which need no allocation.
package enum RequestID: Hashable, Sendable {
    case null
    case int(Int64)
    /// The JSON text of the id, including quotes.
    case text([UInt8])

    /// Makes a string id from well-formed UTF-8.
    package static func string(utf8 text: UnsafeBufferPointer<UInt8>) -> RequestID {
        var writer = JSONWriter(reservingCapacity: text.count + 2)
        writer.string(utf8: text)
        return .text(writer.bytes)
    }
}

extension JSONWriter {
    package mutating func requestID(_ id: RequestID) {
        switch id {
        case .null: null()
        case .int(let value): int(value)
        case .text(let text): raw(text)
        }
    }
}
