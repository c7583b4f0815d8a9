import Glibc
import HarkSystem
import HarkTesting
import Testing

@testable import HarkDaemon
@testable import HarkServer

/// The output for a client that does not read.
@Suite struct OutputQueueTests {
    @Test("who is cut off in the middle of a line gets the rest of that line first, however much was sent before")
    func cut() throws {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        try syscall("socketpair") { socketpair(AF_UNIX, kind, 0, &ends) }
        let daemon = FileDescriptor(owning: ends[0])
        defer { close(ends[1]) }
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 50_000) + [UInt8(ascii: "\n")]
        var room = [UInt8](repeating: 0, count: 30_001)
        var received: [UInt8] = []
        var queue = OutputQueue()
        for _ in 0..<60 {
            queue.append(line)
            #expect(try !queue.send(to: daemon) || queue.count == 0)
            received += room[..<max(0, read(ends[1], &room, room.count))]
        }
        #expect(queue.count > 1 << 18)
        queue.cut(Array("last\n".utf8))
        while true {
            let isDone = try queue.send(to: daemon)
            let count = read(ends[1], &room, room.count)
            if count <= 0, isDone { break }
            received += room[..<max(0, count)]
        }
        let lines = received.split(separator: UInt8(ascii: "\n"))
        #expect(lines.last.map(Array.init) == Array("last".utf8))
        #expect(lines.dropLast().allSatisfy { $0.count == line.count - 1 })
    }

    @Test("who gets not even the rest of a line gets no last word within it")
    func cutWithinLine() throws {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        try syscall("socketpair") { socketpair(AF_UNIX, kind, 0, &ends) }
        let daemon = FileDescriptor(owning: ends[0])
        defer { close(ends[1]) }
        var queue = OutputQueue()
        queue.append([UInt8](repeating: UInt8(ascii: "x"), count: 5_000_000) + [UInt8(ascii: "\n")])
        #expect(try !queue.send(to: daemon))
        queue.cut(Array("last\n".utf8), keepsLine: false)
        #expect(queue.count == 0)
    }

    @Test(
        "what is read is what was added, in order, whatever is long or short of it and however much is read in between")
    func order() throws {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        try syscall("socketpair") { socketpair(AF_UNIX, kind, 0, &ends) }
        let daemon = FileDescriptor(owning: ends[0])
        defer { close(ends[1]) }
        var random = SplitMix64(state: 3)
        var (added, received): ([UInt8], [UInt8]) = ([], [])
        var room = [UInt8](repeating: 0, count: 400_000)
        var queue = OutputQueue()
        for number in 0..<600 {
            let length = random.once(in: 5) ? random.below(300_000) : random.below(3_000)
            let line = Array("\(number) ".utf8) + [UInt8](repeating: UInt8(ascii: "y"), count: length) + [10]
            queue.append(line)
            added += line
            if random.once(in: 3) {
                _ = try queue.send(to: daemon)
                received += room[..<max(0, read(ends[1], &room, random.below(room.count)))]
            }
            if random.once(in: 50) {
                while try !queue.send(to: daemon) { received += room[..<max(0, read(ends[1], &room, room.count))] }
            }
            #expect(queue.count <= added.count - received.count)
        }
        var isDone = false
        while !isDone {
            isDone = try queue.send(to: daemon)
            while case let count = read(ends[1], &room, room.count), count > 0 { received += room[..<count] }
        }
        #expect(queue.count == 0)
        #expect(received == added)
    }
}
