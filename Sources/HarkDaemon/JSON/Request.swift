package import HarkWire

/// One request, seen in place: its buffers and nodes are valid until the reader reads the next line.
package struct Request {
    /// Nil means that no reply is wanted; a request with `"id":null` wants one.
    package let id: RequestID?
    package let method: UnsafeBufferPointer<UInt8>
    /// An object, if it is there at all.
    package let params: JSONNode?
    /// Members of the envelope that Hark does not know, for the warnings.
    let unknown: UnknownMembers

    /// The first of them.
    package var unknownMembers: [String] { unknown.names }
}

extension Request {
    /// Why a line is no request. The reply goes to `id`, which is null where the line does not tell.
    package struct Refusal: Error {
        package let error: WireError
        package let id: RequestID
    }
}
