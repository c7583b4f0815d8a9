import Glibc

/// Splits the bytes of a descriptor into lines.
///
/// Memory use is the longest line plus one read. A line longer than `limit` fails with `.tooLong`.
package struct LineReader {
    package enum Filled: Sendable, Equatable {
        case bytes(Int)
        case end
        /// No bytes to read now (on a non-blocking descriptor).
        case nothing
        case failed(errno: CInt)
        /// The buffer is full with an unfinished line.
        case tooLong
    }

    private var buffer: [UInt8]
    private var head = 0
    private var tail = 0
    /// The buffer has no newline before this index, so that a long line is searched only once.
    private var searched = 0
    private let limit: Int

    package init(capacity: Int = 4096, limit: Int = 64 << 20) {
        buffer = [UInt8](repeating: 0, count: capacity)
        self.limit = limit
    }

    /// Returns the next complete line without its newline; nil if more bytes are needed.
    package mutating func next() -> ArraySlice<UInt8>? {
        let found = buffer.withUnsafeBufferPointer { bytes -> Int? in
            guard let start = bytes.baseAddress, searched < tail,
                let hit = memchr(start + searched, 0x0a, tail - searched)
            else { return nil }
            return UnsafeRawPointer(hit) - UnsafeRawPointer(start)
        }
        guard let found else {
            searched = tail
            return nil
        }
        defer {
            head = found + 1
            searched = head
        }
        return buffer[head..<found]
    }

    /// Returns the bytes after the last newline at the end of the input; nil if there are none.
    package mutating func rest() -> ArraySlice<UInt8>? {
        guard head < tail else { return nil }
        defer {
            head = tail
            searched = tail
        }
        return buffer[head..<tail]
    }

    /// Whether there are bytes not yet returned as a line.
    package var hasBytes: Bool { head < tail }

    /// Whether `next` would return a line.
    package var hasLine: Bool {
        searched < tail && buffer[searched..<tail].contains(.newline)
    }

    /// Discards the unfinished line. The caller must skip the rest of it up to the next newline.
    package mutating func dropUnfinished() {
        head = tail
        searched = tail
    }

    /// Reads once into the free part of the buffer, with `read` (a file) or `recv` (a socket).
    package mutating func fill(_ read: (UnsafeMutableRawPointer, Int) -> Int) -> Filled {
        makeRoom()
        guard tail < buffer.count else { return .tooLong }
        let count = buffer.withUnsafeMutableBytes { bytes -> Int in
            guard let start = bytes.baseAddress else { return 0 }
            var count: Int
            repeat { count = read(start + tail, bytes.count - tail) } while count < 0 && errno == EINTR
            return count
        }
        switch count {
        case 0: return .end
        case 1...:
            tail += count
            return .bytes(count)
        default: return errno == EAGAIN || errno == EWOULDBLOCK ? .nothing : .failed(errno: errno)
        }
    }

    private mutating func makeRoom() {
        if head == tail {
            head = 0
            tail = 0
            searched = 0
        } else if head > 0, tail == buffer.count {
            let (from, count) = (head, tail - head)
            buffer.withUnsafeMutableBytes { bytes in
                if let start = bytes.baseAddress { memmove(start, start + from, count) }
            }
            (head, tail, searched) = (0, count, searched - from)
        }
        if tail == buffer.count, buffer.count < limit {
            buffer.append(contentsOf: repeatElement(0, count: min(buffer.count, limit - buffer.count)))
        }
    }
}
