import Glibc
import HarkSystem

/// Collects what a peer sends and hands it out line by line, in place.
///
/// Behind the content there are always `JSONTape.padding` readable bytes. A line longer than the limit is passed over
/// to its end and reported once; the lines behind it are read as usual.
@DaemonActor
final class LineBuffer {
    enum Item {
        /// A line without its newline; valid until the buffer is touched again.
        case line(UnsafeBufferPointer<UInt8>)
        case tooLong
        /// There was no memory for a line, which is passed over like one that is too long.
        case noMemory
        /// The clients of its user have as much memory for long lines as they may.
        case noRoom
    }

    private nonisolated static let initialCapacity = 64 << 10

    private var storage: UnsafeMutableBufferPointer<UInt8>
    private var start = 0
    private var end = 0
    /// Up to here there is no newline.
    private var scanned = 0
    private var isSkipping = false
    /// Why there was no room for a line.
    private var lack: Item?
    let maxLine: Int
    private let mayTake: (_ more: Int, _ held: Int) -> Bool

    /// - Parameter mayTake: asked before more memory is taken than any client may have, with what is taken so far, and told
    ///   with a negative number when it is given back.
    /// - Returns: nil when there is no memory.
    init?(maxLine: Int, mayTake: @escaping (_ more: Int, _ held: Int) -> Bool) {
        guard let storage = LineBuffer.allocate(LineBuffer.initialCapacity) else { return nil }
        self.maxLine = maxLine
        self.mayTake = mayTake
        self.storage = storage
    }

    isolated deinit {
        if held > 0 { _ = mayTake(-held, held) }
        free(storage.baseAddress)
    }

    /// So much any client keeps.
    nonisolated static let freeCapacity = 4 * initialCapacity

    /// What it has beyond that.
    private var held: Int { max(0, capacity - LineBuffer.freeCapacity) }

    /// Zeroed memory that costs nothing until it is used: most connections never fill their buffer.
    private static func allocate(_ capacity: Int) -> UnsafeMutableBufferPointer<UInt8>? {
        let count = capacity + JSONTape.padding
        guard let memory = calloc(count, 1) else { return nil }
        return UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count)
    }

    var isEmpty: Bool { start == end }

    /// Whether the last fill left room: there was no more to read.
    var hasRoom: Bool { end < capacity }

    /// Whether there is little that has not been handed out.
    var isShort: Bool { end - start <= LineTurns.shortBytes && !isSkipping }

    /// Lets `read` fill the room behind the content; it returns how many bytes came.
    func fill<Failure: Error>(
        _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int?
    ) throws(Failure) -> Int? {
        makeRoom()
        let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(storage)[end..<capacity])
        let count = try read(room)
        end += count ?? 0
        return count
    }

    /// The next whole line, or nil until more has come.
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

    /// What came last without a newline, once no more will come; nil if there is nothing.
    func takeRest() -> UnsafeBufferPointer<UInt8>? {
        defer { clear() }
        guard !isSkipping, end > start else { return nil }
        return UnsafeBufferPointer(rebasing: storage[start..<end])
    }

    private var capacity: Int { storage.count - JSONTape.padding }

    /// Forgets what has not been handed out.
    func clear() {
        start = end
        scanned = end
    }

    private func makeRoom() {
        if start == end {
            start = 0
            end = 0
            scanned = 0
            return
        }
        if start > 0 {
            _ = storage[0..<(end - start)].update(fromContentsOf: storage[start..<end])
            scanned -= start
            end -= start
            start = 0
        }
        guard end == capacity else { return }
        let more = max(0, 2 * capacity - LineBuffer.freeCapacity) - held
        if more > 0, !mayTake(more, held) {
            lack = .noRoom
        } else if !resize(to: 2 * capacity) {
            if more > 0 { _ = mayTake(-more, held) }
            lack = .noMemory
        }
        guard lack != nil else { return }
        start = 0
        end = 0
        scanned = 0
    }

    /// A long line is the exception: once it was dealt with, its room is given back.
    private func giveBack() {
        let before = held
        guard start == end, before > 0, resize(to: LineBuffer.initialCapacity) else { return }
        _ = mayTake(-before, before)
        start = 0
        end = 0
        scanned = 0
    }

    /// - Returns: false when there is no memory, and nothing has changed.
    private func resize(to capacity: Int) -> Bool {
        guard let resized = LineBuffer.allocate(capacity) else { return false }
        if end > start { _ = resized.update(fromContentsOf: storage[start..<end]) }
        free(storage.baseAddress)
        storage = resized
        return true
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Where the first newline is.
    fileprivate var firstNewline: Int? {
        guard let base = baseAddress, count > 0, let found = memchr(base, Int32(UInt8(ascii: "\n")), count) else {
            return nil
        }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
