package import HarkWire

/// A request, read in place: its buffers and nodes are valid until the reader reads the next line.
package struct Request {
    /// Nil if no reply is wanted; a request with `"id":null` wants one.
    package let id: RequestID?
    package let method: UnsafeBufferPointer<UInt8>
    /// An object, if present.
    package let params: JSONNode?
    /// Unknown members of the envelope, for the warnings.
    package let unknown: UnknownMembers

    /// The names of the first unknown members.
    package var unknownMembers: [String] { unknown.names }
}

extension Request {
    /// Why a line is no request. The reply goes to `id`, which is null if the line has none.
    package struct Refusal: Error {
        package let error: WireError
        package let id: RequestID
    }
}
