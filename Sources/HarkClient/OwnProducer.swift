internal import HarkWire

/// Who this process is for the daemon, so that what it sends is recorded once however often it is sent.
package struct OwnProducer: Sendable {
    /// The member up to the number.
    private let opening: [UInt8]

    /// - Parameter id: needs no escapes; without it, one that nobody else has.
    package init(_ id: String = "hark-\(Identifier(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)))") {
        var writer = JSONWriter()
        writer.key(Parameter<JSONObject>.producer.name)
        writer.beginObject()
        writer.key(Parameter<String>.producerId.name)
        writer.string(id)
        writer.key(Parameter<Int64>.producerSeq.name)
        opening = writer.bytes
    }

    /// Appends the member that says who sends a request, and the how manieth it is.
    package func append(_ number: Int64, to params: inout [UInt8]) {
        params += opening
        params.append(number: number.magnitude)
        params.append(.closeBrace)
    }
}
