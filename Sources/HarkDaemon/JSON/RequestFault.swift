import HarkWire

/// What is wrong with a line, and where.
struct RequestFault: Error {
    enum Kind: Hashable {
        /// Not JSON: the first byte that does not fit, counted from 0, and what is the matter with it.
        case syntax(offset: Int, String)
        case invalidUTF8(offset: Int)
        case duplicateKey
        case tooDeep(limit: Int)
        /// An integer that 64 bits with a sign cannot hold.
        case integerOutOfRange
        /// A number beyond the largest double.
        case numberOutOfRange
    }

    let kind: Kind
    var path = JSONPath.root

    /// The refusal for the client; the message says what to do.
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
