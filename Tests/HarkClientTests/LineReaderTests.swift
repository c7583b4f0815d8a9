import Glibc
import HarkClient
import Testing

@Suite struct LineReaderTests {
    /// Reads a text in pieces of that many bytes and returns the lines.
    private func lines(of text: String, pieces: Int, capacity: Int) -> [String] {
        var reader = LineReader(capacity: capacity)
        var rest = ArraySlice(text.utf8)
        var lines: [String] = []
        while true {
            while let line = reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
            let filled = reader.fill { target, room in
                let count = min(pieces, room, rest.count)
                rest.prefix(count).withUnsafeBytes { if count > 0 { memcpy(target, $0.baseAddress!, count) } }
                rest.removeFirst(count)
                return count
            }
            if filled == .end {
                if let line = reader.rest() { lines.append(String(decoding: line, as: UTF8.self)) }
                return lines
            }
        }
    }

    @Test("lines are the same however the bytes arrive", arguments: 1...12, [1, 2, 5, 64])
    func pieces(pieces: Int, capacity: Int) {
        let text = "one\n\ntwo lines\nthis one is longer than most\nend"
        #expect(
            lines(of: text, pieces: pieces, capacity: capacity)
                == ["one", "", "two lines", "this one is longer than most", "end"])
    }

    @Test("a line longer than the limit is given up")
    func tooLong() {
        var reader = LineReader(capacity: 4, limit: 16)
        var results: [LineReader.Filled] = []
        for _ in 0..<8 {
            #expect(reader.next() == nil)
            results.append(
                reader.fill { target, room in
                    memset(target, 0x61, room)
                    return room
                })
        }
        #expect(results.contains(.tooLong))
    }

    @Test("a failure is told with its errno, and nothing to read is no failure")
    func failures() {
        var reader = LineReader()
        #expect(
            reader.fill { _, _ in
                errno = EIO
                return -1
            } == .failed(errno: EIO))
        #expect(
            reader.fill { _, _ in
                errno = EAGAIN
                return -1
            } == .nothing)
    }
}
