import HarkWire

/// A fault in a line, and its place.
struct RequestFault: Error {
    enum Kind: Hashable {
        /// Not JSON: the offset of the first wrong byte, counted from 0, and a description.
        case syntax(offset: Int, String)
        case invalidUTF8(offset: Int)
        case duplicateKey
        case tooDeep(limit: Int)
        /// An integer out of the range of signed 64-bit integers.
        case integerOutOfRange
        /// A number beyond the largest double.
        case numberOutOfRange
    }

    let kind: Kind
    var path = JSONPath.root

    /// The error for the client; the message says what to do.
    var wireError: WireError {
        switch kind {
        case .syntax(let offset, let problem):
            WireError(.parseError, "not JSON at byte \(offset): \(problem); send one JSON object a line")
        case .invalidUTF8(let offset):
            WireError(.parseError, "not UTF-8 at byte \(offset); send text as UTF-8")
        case .duplicateKey:
            WireError(
                .invalidRequest, "\(path) is there more than once; send each member once", path: path.description)
        case .tooDeep(let limit):
            WireError(
                .tooLarge, "nested deeper than \(limit) levels at \(path); flatten the value", path: path.description)
        case .integerOutOfRange:
            WireError(
                .invalidRequest,
                "\(path) is an integer beyond 64 bits; send -9223372036854775808 to 9223372036854775807, or a string",
                path: path.description)
        case .numberOutOfRange:
            WireError(
                .invalidRequest, "\(path) is beyond the largest double; send a smaller number, or a string",
                path: path.description)
        }
    }
}
