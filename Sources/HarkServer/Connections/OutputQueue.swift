import Glibc
import HarkSystem

/// The output that a peer has not been sent yet, in whole lines.
///
/// A slow client may be owed megabytes. They are kept in pieces, because a single array would be copied each time it
/// grows, which would block all other clients for tens of milliseconds.
struct OutputQueue {
    /// Lines are joined into pieces of up to this size.
    private static let piece = 1 << 18
    /// A line of this size or more is not copied.
    private static let long = 1 << 16

    /// The current piece, sent up to `head`.
    private var bytes: [UInt8] = []
    private var head = 0
    /// The pieces behind it, and the last one, to which lines are appended.
    private var later = Queue<[UInt8]>()
    private var last: [UInt8] = []
    /// The bytes in `later` and `last`.
    private var behind = 0

    var count: Int { bytes.count - head + behind }

    mutating func append(_ more: [UInt8]) {
        if behind == 0, head == bytes.count {
            head = 0
            // A short line reuses memory that is already allocated.
            guard more.count < OutputQueue.long else {
                bytes = more
                return
            }
            bytes.removeAll(keepingCapacity: bytes.capacity <= OutputQueue.piece)
        }
        if behind == 0, bytes.count + more.count <= OutputQueue.piece { return bytes.append(contentsOf: more) }
        behind += more.count
        if !last.isEmpty, last.count + more.count > OutputQueue.piece {
            later.append(last)
            last = []
        }
        if last.isEmpty, more.count >= OutputQueue.long { last = more } else { last.append(contentsOf: more) }
    }

    /// Drops all output but the rest of the current line, and appends a last message.
    /// - Parameter keepsLine: If false, drops the rest of the line too, and the message, which would end up in it.
    mutating func cut(_ last: [UInt8], keepsLine: Bool = true) {
        let newline = UInt8(ascii: "\n")
        let isBetweenLines = head == 0 || bytes[head - 1] == newline
        var rest: ArraySlice<UInt8> = []
        if keepsLine, !isBetweenLines { rest = bytes[head...].prefix { $0 != newline } + [newline] }
        let isOpen = !keepsLine && !isBetweenLines
        clear()
        if !isOpen { bytes = rest + last }
    }

    mutating func clear() { self = OutputQueue() }

    /// Sends as much as the peer accepts now; true when nothing is left.
    mutating func send(to fd: borrowing FileDescriptor) throws(SystemError) -> Bool {
        while true {
            while head < bytes.count {
                guard let sent = try fd.write(contentsOf: bytes, from: head) else { return false }
                head += sent
            }
            guard behind > 0 else { break }
            if let next = later.popFirst() {
                bytes = next
            } else {
                bytes = last
                last = []
            }
            head = 0
            behind -= bytes.count
        }
        bytes.removeAll(keepingCapacity: bytes.capacity <= OutputQueue.piece)
        head = 0
        return true
    }
}

extension FileDescriptor {
    /// Writes the content of an array from an offset on; nil if it would block.
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
