import Glibc
package import HarkSystem

/// Buffers a peer's input and returns it line by line, in place.
///
/// The content is always followed by `JSONTape.padding` readable bytes. A line longer than the limit is skipped to its
/// end and reported once; the lines behind it are read as usual.
@DaemonActor
package final class LineBuffer {
    enum Item {
        /// A line without its newline; valid until the next call of the buffer.
        case line(UnsafeBufferPointer<UInt8>)
        case tooLong
        /// There was no memory for a line. The line is skipped like one that is too long.
        case noMemory
        /// The clients of this user have the maximum of memory for long lines.
        case noRoom
        /// All clients together have the maximum of memory.
        case noRoomForAll
    }

    /// The uncounted capacity of every client: most send one short line at a time.
    private nonisolated static let initialCapacity = 8 << 10
    /// The capacity for a client that sends much at a time.
    private nonisolated static let bulkCapacity = 64 << 10

    private var storage: UnsafeMutableBufferPointer<UInt8>
    private var start = 0
    private var end = 0
    /// There is no newline before this offset.
    private var scanned = 0
    private var isSkipping = false
    /// Why there was no room for a line.
    private var lack: Item?
    /// The last read filled the buffer, so there may be much more input.
    private var wasFilled = false
    let maxLine: Int
    private let mostLong: Int
    private let memory: UserMemory

    /// - Parameters:
    ///   - mostLong: The bound of the memory for long lines, over all clients of the user.
    ///   - memory: Counts the capacity beyond the initial one.
    /// - Returns: nil if there is no memory.
    init?(maxLine: Int, mostLong: Int, memory: UserMemory) {
        guard let storage = LineBuffer.allocate(LineBuffer.initialCapacity) else { return nil }
        self.maxLine = maxLine
        self.mostLong = mostLong
        self.memory = memory
        self.storage = storage
    }

    isolated deinit {
        _ = memory.resize(from: capacity, to: LineBuffer.initialCapacity, mostLong: mostLong)
        free(storage.baseAddress)
    }

    /// A buffer with more than this capacity counts as a buffer for a long line.
    package nonisolated static let freeCapacity = 256 << 10

    /// The part of a capacity that counts as memory for a long line.
    nonisolated static func long(_ capacity: Int) -> Int { max(0, capacity - freeCapacity) }

    /// Allocates zeroed memory, which costs nothing until it is used.
    private static func allocate(_ capacity: Int) -> UnsafeMutableBufferPointer<UInt8>? {
        let count = capacity + JSONTape.padding
        guard let memory = calloc(count, 1) else { return nil }
        return UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count)
    }

    var isEmpty: Bool { start == end }

    /// Whether the last read left room, so there was no more input.
    var hasRoom: Bool { end < capacity }

    /// Whether little input is pending.
    var isShort: Bool { end - start <= LineTurns.shortBytes && !isSkipping }

    /// Has `read` fill the room behind the content; `read` returns the number of bytes.
    func fill<Failure: Error>(
        _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int?
    ) throws(Failure) -> Int? {
        makeRoom()
        let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(storage)[end..<capacity])
        let count = try read(room)
        end += count ?? 0
        wasFilled = end == capacity
        return count
    }

    /// The next complete line; nil until more input arrives.
    func next() -> Item? {
        if let lack {
            self.lack = nil
            isSkipping = true
            return lack
        }
        while true {
            let unseen = UnsafeBufferPointer(rebasing: storage[scanned..<end])
            guard let offset = unseen.firstNewline else {
                scanned = end
                guard end - start > maxLine, !isSkipping else {
                    if isSkipping { clear() }
                    giveBack()
                    return nil
                }
                isSkipping = true
                clear()
                return .tooLong
            }
            let newline = scanned + offset
            var line = start..<newline
            start = newline + 1
            scanned = start
            if isSkipping {
                isSkipping = false
                continue
            }
            if line.count > maxLine { return .tooLong }
            if let last = line.last, storage[last] == UInt8(ascii: "\r") { line = line.dropLast() }
            if line.isEmpty { continue }
            return .line(UnsafeBufferPointer(rebasing: storage[line]))
        }
    }

    /// The last, unterminated line at the end of the input; nil if there is none.
    func takeRest() -> UnsafeBufferPointer<UInt8>? {
        defer { clear() }
        guard !isSkipping, end > start else { return nil }
        return UnsafeBufferPointer(rebasing: storage[start..<end])
    }

    private var capacity: Int { storage.count - JSONTape.padding }

    /// Discards the pending input.
    func clear() {
        start = end
        scanned = end
    }

    private func makeRoom() {
        if start == end {
            begin()
            if wasFilled, capacity < LineBuffer.bulkCapacity { _ = resize(to: LineBuffer.bulkCapacity) }
            return
        }
        if start > 0 {
            _ = storage[0..<(end - start)].update(fromContentsOf: storage[start..<end])
            scanned -= start
            end -= start
            start = 0
        }
        guard end == capacity else { return }
        lack = resize(to: max(LineBuffer.bulkCapacity, 2 * capacity))
        if lack != nil { begin() }
    }

    private func begin() {
        start = 0
        end = 0
        scanned = 0
    }

    /// Gives back the memory of a long line once it has been handled: long lines are rare.
    private func giveBack() {
        if capacity > LineBuffer.bulkCapacity { shrink(to: LineBuffer.bulkCapacity) }
    }

    /// Gives back unused memory because another client is short of it.
    func shrink() { shrink(to: LineBuffer.initialCapacity) }

    private func shrink(to less: Int) {
        guard start == end, capacity > less, resize(to: less) == nil else { return }
        begin()
    }

    /// - Returns: Why the size did not change; nil if it did.
    private func resize(to new: Int) -> Item? {
        let old = capacity
        switch memory.resize(from: old, to: new, mostLong: mostLong) {
        case .tooMuchForUser: return .noRoom
        case .tooMuchForAll: return .noRoomForAll
        case .counted: break
        }
        guard let resized = LineBuffer.allocate(new) else {
            _ = memory.resize(from: new, to: old, mostLong: .max)
            return .noMemory
        }
        if end > start { _ = resized.update(fromContentsOf: storage[start..<end]) }
        free(storage.baseAddress)
        storage = resized
        return nil
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The offset of the first newline.
    fileprivate var firstNewline: Int? {
        guard let base = baseAddress, count > 0, let found = memchr(base, Int32(UInt8(ascii: "\n")), count) else {
            return nil
        }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
