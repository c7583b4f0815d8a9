internal import HarkWire

/// Identifies this process to the daemon, so that repeated requests are recorded once.
package struct OwnProducer: Sendable {
    /// The member up to the number.
    private let opening: [UInt8]

    /// - Parameter id: An id that needs no escapes; random by default.
    package init(_ id: String = "hark-\(Identifier(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)))") {
        var writer = JSONWriter()
        writer.key("producer")
        writer.beginObject()
        writer.key("id")
        writer.string(id)
        writer.key("seq")
        opening = writer.bytes
    }

    /// Appends the member with the producer and the number of a request.
    package func append(_ number: Int64, to params: inout [UInt8]) {
        params += opening
        params.append(number: number.magnitude)
        params.append(.closeBrace)
    }
}
