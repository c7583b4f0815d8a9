import Glibc
import HarkSystem

/// What a peer is still to be sent.
struct OutputQueue {
    private(set) var bytes: [UInt8] = []
    private var head = 0

    var count: Int { bytes.count - head }

    mutating func append(_ more: [UInt8]) {
        if head == bytes.count {
            head = 0
            // What is long is not copied; what is short goes where there is memory for it already.
            guard more.count < 1 << 16 else {
                bytes = more
                return
            }
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 18)
        } else if head > 1 << 18, head > bytes.count / 2 {
            // The byte before the head tells whether a line is under way.
            bytes.removeFirst(head - 1)
            head = 1
        }
        bytes.append(contentsOf: more)
    }

    /// Drops all but what completes the line under way, and adds a last word.
    /// - Parameter keepsLine: false: drops that as well, and with it the last word, which would end up in that line.
    mutating func cut(_ last: [UInt8], keepsLine: Bool = true) {
        let newline = UInt8(ascii: "\n")
        let isBetweenLines = head == 0 || bytes[head - 1] == newline
        guard keepsLine || isBetweenLines else { return clear() }
        let lineEnd = isBetweenLines ? head : bytes[head...].firstIndex(of: newline).map { $0 + 1 } ?? bytes.count
        bytes = bytes[head..<lineEnd] + last
        head = 0
    }

    mutating func clear() {
        bytes = []
        head = 0
    }

    /// Sends as much as the peer takes now; true when nothing is left.
    mutating func send(to fd: borrowing FileDescriptor) throws(SystemError) -> Bool {
        while count > 0 {
            guard let sent = try fd.write(contentsOf: bytes, from: head) else { return false }
            head += sent
        }
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 18)
        head = 0
        return true
    }
}

extension FileDescriptor {
    /// Writes what an array holds from a place on; nil if it would block.
    borrowing func write(contentsOf bytes: [UInt8], from start: Int = 0) throws(SystemError) -> Int? {
        let raw = raw
        do {
            return try syscall("write") {
                bytes.withUnsafeBytes { Glibc.write(raw, $0.baseAddress?.advanced(by: start), bytes.count - start) }
            }
        } catch {
            if error.code == EAGAIN { return nil }
            throw error
        }
    }
}
