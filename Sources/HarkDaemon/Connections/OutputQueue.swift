import Glibc
import HarkSystem

/// What a peer is still to be sent, in whole lines.
///
/// A client that reads slowly may be owed megabytes. They lie in pieces, as one array would be copied each time that it has to
/// grow, for tens of milliseconds in which nobody else is served.
struct OutputQueue {
    /// Lines are put together up to so many bytes.
    private static let piece = 1 << 18
    /// A line that is so long is not copied.
    private static let long = 1 << 16

    /// The piece that is being sent, up to `head`.
    private var bytes: [UInt8] = []
    private var head = 0
    /// The pieces behind it, and the last one, to which is added.
    private var later = Queue<[UInt8]>()
    private var last: [UInt8] = []
    /// So many bytes are in those.
    private var behind = 0

    var count: Int { bytes.count - head + behind }

    mutating func append(_ more: [UInt8]) {
        if behind == 0, head == bytes.count {
            head = 0
            // What is short goes where there is memory for it already.
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

    /// Drops all but what completes the line under way, and adds a last word.
    /// - Parameter keepsLine: false: drops that as well, and with it the last word, which would end up in that line.
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

    /// Sends as much as the peer takes now; true when nothing is left.
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
