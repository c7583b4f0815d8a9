internal import CZlib

/// Compression in the gzip format (RFC 1952), by zlib.
enum Gzip {
    /// Fast rather than small: what logs have in common is found at the first level already.
    private static let level: Int32 = 1

    /// Nil only when there is no memory for it.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard hark_gzip_init(&stream, level) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, uLong(bytes.count)))
        var isComplete = false
        let compressed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            bytes.withUnsafeBufferPointer { input in
                // zlib only reads through this pointer, whatever its type says.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = uInt(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = output.count - Int(stream.avail_out)
            }
        }
        return isComplete ? compressed : nil
    }
}
