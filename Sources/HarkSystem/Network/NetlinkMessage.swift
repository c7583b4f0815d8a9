import CLinux

/// A message of a netlink datagram: its header fields and its payload.
struct NetlinkMessage: Equatable {
    let type: UInt16
    let flags: UInt16
    let sequence: UInt32
    /// The port of the requester, or of the cause of the news.
    let port: UInt32
    let payload: ArraySlice<UInt8>

    /// Removes the next message from the front of a datagram; nil at its end, or if the rest is incomplete.
    static func take(from datagram: inout ArraySlice<UInt8>) -> NetlinkMessage? {
        let header = MemoryLayout<nlmsghdr>.size
        guard let length = datagram.number(at: 0, UInt32.self), length >= header, length <= datagram.count,
            let type = datagram.number(at: 4, UInt16.self), let flags = datagram.number(at: 6, UInt16.self),
            let sequence = datagram.number(at: 8, UInt32.self), let port = datagram.number(at: 12, UInt32.self)
        else { return nil }
        let message = NetlinkMessage(
            type: type, flags: flags, sequence: sequence, port: port,
            payload: datagram.prefix(Int(length)).dropFirst(header))
        datagram = datagram.dropFirst(netlinkAligned(Int(length)))
        return message
    }

    /// A request to dump all objects of a type; `body` begins with the family.
    static func dump(_ type: Int, sequence: UInt32, body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        func append<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
        }
        append(UInt32(MemoryLayout<nlmsghdr>.size + body.count))
        append(UInt16(type))
        append(UInt16(NLM_F_REQUEST | NLM_F_DUMP))
        append(sequence)
        append(UInt32(0))
        return bytes + body
    }
}

/// The attributes behind the fixed part of a message, up to the first damaged one.
struct NetlinkAttributes: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func next() -> (type: Int, value: ArraySlice<UInt8>)? {
        let header = MemoryLayout<rtattr>.size
        guard let length = rest.number(at: 0, UInt16.self), length >= header, length <= rest.count,
            let type = rest.number(at: 2, UInt16.self)
        else { return nil }
        let value = rest.prefix(Int(length)).dropFirst(header)
        rest = rest.dropFirst(netlinkAligned(Int(length)))
        // The two highest bits are flags about the value's format.
        return (Int(type & 0x3FFF), value)
    }
}

/// Messages and attributes begin at multiples of four bytes.
private func netlinkAligned(_ length: Int) -> Int { (length + 3) & ~3 }

extension ArraySlice<UInt8> {
    /// The number at an offset, in native byte order; nil if it is incomplete.
    func number<Number: FixedWidthInteger>(at offset: Int, _: Number.Type) -> Number? {
        guard offset >= 0, offset + MemoryLayout<Number>.size <= count else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }

    /// The text up to its terminating zero.
    var netlinkText: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
}
