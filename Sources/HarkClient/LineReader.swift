import Glibc

/// Cuts the bytes of a descriptor into lines.
///
/// Memory is the longest line seen plus one read; a line longer than `limit` is given up with `.tooLong`.
package struct LineReader {
    package enum Filled: Sendable, Equatable {
        case bytes(Int)
        case end
        /// Nothing to read now (a descriptor that does not block).
        case nothing
        case failed(errno: CInt)
        /// The buffer is full with a line that has not ended.
        case tooLong
    }

    private var buffer: [UInt8]
    private var head = 0
    private var tail = 0
    /// Up to here no newline is in the buffer, so a long line is searched once.
    private var searched = 0
    private let limit: Int

    package init(capacity: Int = 4096, limit: Int = 64 << 20) {
        buffer = [UInt8](repeating: 0, count: capacity)
        self.limit = limit
    }

    /// The next whole line without its newline; nil if more bytes are needed.
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

    /// What is left after the last newline, at the end of the input; nil if nothing is.
    package mutating func rest() -> ArraySlice<UInt8>? {
        guard head < tail else { return nil }
        defer {
            head = tail
            searched = tail
        }
        return buffer[head..<tail]
    }

    /// Whether bytes are waiting that have not been returned as a line.
    package var hasBytes: Bool { head < tail }

    /// Whether `next` would return a line.
    package var hasLine: Bool {
        searched < tail && buffer[searched..<tail].contains(.newline)
    }

    /// Forgets the unfinished line; what follows up to the next newline is the caller's to drop.
    package mutating func dropUnfinished() {
        head = tail
        searched = tail
    }

    /// Reads once with `read` (a file) or `recv` (a socket) into the free part of the buffer.
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
