internal import CZlib

/// Compression in the gzip format (RFC 1952), by zlib.
package enum Gzip {
    /// Fast rather than small: level 1 finds most of the redundancy of logs.
    private static let level: Int32 = 1

    /// Nil only if there is no memory.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard hark_gzip_init(&stream, level) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, uLong(bytes.count)))
        var isComplete = false
        let compressed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            bytes.withUnsafeBufferPointer { input in
                // zlib only reads through this pointer, although its type is mutable.
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

    /// Decompresses, and reserves the given room after the text.
    ///
    /// - Parameter limit: The maximum length of the text, because a few bytes may expand to any length.
    /// - Returns: nil if the input is not gzip, incomplete, or too long.
    package static func decompress(_ bytes: [UInt8], limit: Int, room: Int = 0) -> [UInt8]? {
        var stream = z_stream()
        guard hark_gunzip_init(&stream) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var text: [UInt8] = []
        var chunk = min(limit, max(4 * bytes.count, 4_096))
        return bytes.withUnsafeBufferPointer { input in
            // zlib only reads through this pointer, although its type is mutable.
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = uInt(input.count)
            while true {
                var code = Z_OK
                text.reserveCapacity(min(text.count + chunk, limit + 1) + room)
                let part = [UInt8](unsafeUninitializedCapacity: chunk) { output, count in
                    stream.next_out = output.baseAddress
                    stream.avail_out = uInt(output.count)
                    code = inflate(&stream, Z_NO_FLUSH)
                    count = output.count - Int(stream.avail_out)
                }
                text += part
                guard text.count <= limit else { return nil }
                if code == Z_STREAM_END { return stream.avail_in == 0 ? text : nil }
                // Without progress the input is over, or damaged.
                guard code == Z_OK, !part.isEmpty else { return nil }
                chunk = 256 << 10
            }
        }
    }
}
