import Glibc

/// A connection to a Unix socket, with the replies counted as they come.
final class Connection {
    let descriptor: Int32

    init(to path: String) throws {
        descriptor = try check("socket", socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_un()
        try address.setPath(path)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result < 0 {
            let failure = Failure.system(path)
            close(descriptor)
            throw failure
        }
    }

    deinit { close(descriptor) }

    /// Sends a request and returns the first line of the reply.
    func ask(_ request: String) throws -> String {
        try send(Array(request.utf8))
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while byte != 10 {
            guard try check("read", read(descriptor, &byte, 1)) == 1 else {
                throw Failure("the server closed the connection")
            }
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            sent += try bytes.withUnsafeBytes {
                try check("send", write(descriptor, from: $0.baseAddress! + sent, count: bytes.count - sent))
            }
        }
    }
}

/// write(2) to a socket, for which a peer that is gone is an error, not a signal.
func write(_ descriptor: Int32, from bytes: UnsafeRawPointer, count: Int) -> Int {
    send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
}

extension sockaddr_un {
    /// Makes this the address of a socket file.
    mutating func setPath(_ path: String) throws {
        sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: sun_path) else {
            throw Failure("the path of a socket is at most 107 bytes long: \(path)")
        }
        withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: bytes) }
    }
}

/// The number of lines in a text.
func newlines(in text: UnsafeRawBufferPointer) -> Int { occurrences(of: "\n", in: text) }

/// The number of occurrences of an ASCII character in a text.
func occurrences(of character: Unicode.Scalar, in text: UnsafeRawBufferPointer) -> Int {
    guard var rest = text.baseAddress else { return 0 }
    var left = text.count
    var found = 0
    while left > 0, let newline = memchr(rest, Int32(character.value), left) {
        found += 1
        left -= UnsafeRawPointer(newline) - rest + 1
        rest = UnsafeRawPointer(newline) + 1
    }
    return found
}

/// Counts whole replies in a server's output.
struct ReplyCounter {
    let newlinesPerReply: Int
    private var pending = 0
    private var buffer = [UInt8](repeating: 0, count: 256 * 1024)

    init(newlinesPerReply: Int) {
        self.newlinesPerReply = newlinesPerReply
    }

    /// Reads once, and returns the number of replies that are complete with it.
    mutating func receive(from descriptor: Int32) throws -> Int {
        let size = buffer.count
        pending += try buffer.withUnsafeMutableBytes { bytes in
            let count = try check("read", read(descriptor, bytes.baseAddress!, size))
            if count == 0 { throw Failure("the server closed the connection") }
            return newlines(in: UnsafeRawBufferPointer(start: bytes.baseAddress!, count: count))
        }
        let replies = pending / newlinesPerReply
        pending -= replies * newlinesPerReply
        return replies
    }
}
