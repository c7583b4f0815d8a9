/// The last bytes of a program's output.
struct ErrorTail {
    private let maxBytes: Int
    private var bytes: [UInt8] = []
    private var isCut = false

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    mutating func add(_ more: ArraySlice<UInt8>) {
        bytes += more.suffix(maxBytes)
        // Up to twice as much is kept, so that not every line moves all others.
        if bytes.count > 2 * maxBytes { cut() }
        if more.count > maxBytes { isCut = true }
    }

    private mutating func cut() {
        guard bytes.count > maxBytes else { return }
        bytes.removeFirst(bytes.count - maxBytes)
        isCut = true
    }

    /// The text from the start of a line, if possible. Invalid UTF-8 is shown as U+FFFD.
    var text: String {
        var copy = self
        copy.cut()
        var rest = copy.bytes[...]
        if copy.isCut, let end = rest.dropLast().firstIndex(of: 0x0A) { rest = rest[(end + 1)...] }
        while rest.last == 0x0A || rest.last == 0x0D { rest = rest.dropLast() }
        return String(decoding: rest, as: UTF8.self)
    }
}
