import Glibc
import HarkDaemon
import HarkServer

/// One of the fuzzer's connections, and the replies that the daemon owes it.
final class FuzzedConnection {
    struct Owed {
        let answer: Step.Answer
        let isText: Bool
        let method: String
        let since: ContinuousClock.Instant
    }

    let number: Int
    let user: Int
    /// The size of the pieces in which output is written, one a turn.
    private let piece: Int
    private(set) var descriptor: Int32
    private var output: [UInt8] = []
    private var head = 0
    private var wantsHalfClose = false
    private(set) var isHalfClosed = false
    var isMute = false
    /// The daemon has closed it.
    private(set) var isOver = false
    /// The daemon has cut it off and said so: replies may be missing.
    var isCutOff = false
    /// It may stay open after its end of input.
    var hasSubscribed = false

    private(set) var owed: [Int: Owed] = [:]
    /// The ids of those answered in order, and how many of them have been.
    private var order: [Int] = []
    private var answered = 0
    /// Replies without an id that have come to damaged lines.
    private var nulls = 0

    private var input: UnsafeMutableBufferPointer<UInt8>
    private var start = 0
    private var end = 0

    init(number: Int, user: Int, piece: Int, descriptor: Int32) {
        self.number = number
        self.user = user
        self.piece = piece
        self.descriptor = descriptor
        input = .allocate(capacity: 1 << 17)
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
        input.deallocate()
    }

    var waitingOutput: Int { output.count - head }
    /// Whether there is something to wait for.
    var isAwaited: Bool { !isMute && !isOver && (waitingOutput > 0 || !owed.isEmpty) }

    // MARK: Output

    func send(_ text: [UInt8], id: Int, _ answer: Step.Answer, method: String) {
        output += text
        output.append(UInt8(ascii: "\n"))
        if answer != .never {
            owed[id] = Owed(
                answer: answer, isText: id % 7 == 0 && answer != .perhapsNull, method: method, since: .now)
        }
        if answer == .ordered { order.append(id) }
        if method.hasSuffix(".subscribe") { hasSubscribed = true }
    }

    func halfClose() {
        wantsHalfClose = true
    }

    /// Sends what can be sent now.
    func flush() {
        while waitingOutput > 0 {
            let count = min(piece, waitingOutput)
            let sent = output.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + head, count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else {
                // The socket is full, or the daemon no longer reads. Its last words were sent before.
                if errno != EAGAIN { head = output.count }
                break
            }
            head += sent
            if piece < 4_096 { break }
        }
        if waitingOutput == 0 {
            output.removeAll(keepingCapacity: true)
            head = 0
            if wantsHalfClose, !isHalfClosed {
                isHalfClosed = true
                shutdown(descriptor, Int32(SHUT_WR))
            }
        } else if head > 1 << 20 {
            output.removeFirst(head)
            head = 0
        }
    }

    func close() {
        Glibc.close(descriptor)
        descriptor = -1
        isOver = true
    }

    // MARK: Input

    /// Reads the input, and passes on each line followed by the padding that the parser needs.
    func read(_ take: (UnsafeBufferPointer<UInt8>) throws(Finding) -> Void) throws(Finding) {
        if end + JSONTape.padding + 1 << 16 > input.count { makeRoom() }
        let room = input.count - JSONTape.padding - end
        let count = Glibc.read(descriptor, input.baseAddress! + end, room)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { isOver = true }
            return
        }
        var scanned = end
        end += count
        while let found = memchr(input.baseAddress! + scanned, 0x0A, end - scanned) {
            let newline = input.baseAddress!.distance(to: found.assumingMemoryBound(to: UInt8.self))
            let line = UnsafeBufferPointer(rebasing: input[start..<newline])
            start = newline + 1
            scanned = start
            try take(line)
        }
    }

    private func makeRoom() {
        let kept = end - start
        if kept > input.count / 2 {
            let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: input.count * 2)
            memcpy(larger.baseAddress!, input.baseAddress! + start, kept)
            input.deallocate()
            input = larger
        } else {
            memmove(input.baseAddress!, input.baseAddress! + start, kept)
        }
        start = 0
        end = kept
    }

    // MARK: What is owed

    /// A reply has come under this id.
    func settle(_ id: Int, isText: Bool) throws(Finding) -> Owed {
        guard let owed = owed.removeValue(forKey: id), owed.isText == isText || owed.answer == .perhapsNull else {
            throw Finding("connection \(number) got a reply that nobody asked for, or a second one, under id \(id)")
        }
        if owed.answer == .ordered {
            guard order[answered] == id else {
                throw Finding(
                    "connection \(number) got the reply to \(id) (\(owed.method)) before that to \(order[answered])")
            }
            answered += 1
        }
        if owed.answer == .perhapsNull { try settleDamaged() }
        return owed
    }

    /// A reply has come without an id: it belongs to one of the damaged lines.
    func settleNull(_ message: String) throws(Finding) {
        nulls += 1
        try settleDamaged(message)
    }

    /// Replies without an id can be matched to lines once no other reply is missing.
    private func settleDamaged(_ message: String = "") throws(Finding) {
        guard nulls > 0 else { return }
        let damaged = owed.filter { $0.value.answer == .perhapsNull }.keys
        guard damaged.count >= nulls else { throw Finding("connection \(number) got a reply to nothing: \(message)") }
        guard damaged.count == nulls else { return }
        for id in damaged { owed[id] = nil }
        nulls = 0
    }
}
