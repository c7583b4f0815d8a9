import Glibc
import HarkServer
import HarkSystem
import HarkWire

/// Reads standard input line by line, as it arrives.
struct SimulationLines: ~Copyable {
    private var reader = SimulationReader()
    /// Always followed by `JSONTape.padding` bytes.
    private var bytes: [UInt8]
    private var start = 0
    private var end = 0
    /// The position before which there is no newline.
    private var scanned = 0
    private let input: Int32

    private static let chunk = 1 << 18
    /// The longest line. An event may have a megabyte, and a showing some more.
    private static let longest = 64 << 20

    init(_ input: Int32 = STDIN_FILENO) {
        self.input = input
        bytes = [UInt8](repeating: 0, count: Self.chunk + JSONTape.padding)
    }

    /// Reads the next line with a meaning here; nil at the end of the input.
    mutating func next() throws -> SimulationInput? {
        while let line = try nextLine() {
            let read = try bytes.withUnsafeBufferPointer { bytes in
                try reader.read(UnsafeBufferPointer(rebasing: bytes[line]))
            }
            if let read { return read }
        }
        return nil
    }

    private mutating func nextLine() throws -> Range<Int>? {
        while true {
            if let newline = bytes[scanned..<end].firstIndex(of: UInt8(ascii: "\n")) {
                let line = start..<newline
                start = newline + 1
                scanned = start
                if line.isEmpty { continue }
                return line
            }
            scanned = end
            guard try fill() else { return nil }
        }
    }

    private mutating func fill() throws -> Bool {
        if start > 0 {
            bytes.replaceSubrange(0..<end - start, with: Array(bytes[start..<end]))
            (end, scanned) = (end - start, scanned - start)
            start = 0
        }
        if bytes.count - JSONTape.padding - end < Self.chunk / 2 {
            guard bytes.count < Self.longest else {
                throw WireError(.tooLarge, "a line on standard input is longer than \(Self.longest >> 20) MiB")
            }
            bytes.append(contentsOf: repeatElement(0, count: bytes.count))
        }
        let (input, place) = (input, end)
        let count = try syscall("read") {
            bytes.withUnsafeMutableBytes {
                Glibc.read(input, $0.baseAddress?.advanced(by: place), $0.count - JSONTape.padding - place)
            }
        }
        end += count
        return count > 0
    }
}
