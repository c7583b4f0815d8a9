/// The 16 bytes of an id in network order, as the store keeps it.
extension Identifier {
    package init?(raw bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 16, let start = UnsafeRawPointer(bytes.baseAddress) else { return nil }
        self.init(
            high: UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    package var rawBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        withUnsafeBytes(of: high.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: low.bigEndian) { bytes.append(contentsOf: $0) }
        return bytes
    }
}
