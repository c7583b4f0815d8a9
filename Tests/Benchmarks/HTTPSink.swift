import Glibc

/// A server of HTTP/1.1 on a port of 127.0.0.1 that takes every body and answers 200.
///
/// It only answers while `serve` runs; clients wait, connected, until then. It has one thread with poll(2), and copies
/// a body only if it is wanted, so that it is not itself the object of the measurement.
final class HTTPSink {
    /// The bodies so far.
    private(set) var bodies: [[UInt8]] = []
    let port: UInt16
    private let listener: Int32
    private var visitors: [Int32: Visitor] = [:]

    private final class Visitor {
        var received: [UInt8] = []
        /// The range of the body of the current request; nil until its head is complete.
        var body: Range<Int>?
    }

    /// The size of a read, as large as the kernel's buffer of a connection.
    private var part = [UInt8](repeating: 0, count: 1 << 20)

    private static let reply = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)

    /// No more requests came in time.
    struct Silence: Error, CustomStringConvertible {
        let taken: Int
        let wanted: Int
        var description: String { "only \(taken) of \(wanted) items came" }
    }

    init() throws {
        let listener = try check(
            "socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw Failure.system("a port of 127.0.0.1") }
    }

    deinit {
        close(listener)
        for descriptor in visitors.keys { close(descriptor) }
    }

    /// Answers requests until their bodies have the expected number of items, which `items` counts in a body. Returns the
    /// nanoseconds from the first request to the last reply.
    ///
    /// - Parameter patience: The milliseconds to wait for more before it throws.
    func serve(
        until count: Int, keepsBodies: Bool = false, patience: Int32 = 20_000, items: (UnsafeRawBufferPointer) -> Int
    ) throws -> Double {
        bodies = []
        var taken = 0
        var start: UInt64?
        while taken < count {
            var polls = ([listener] + visitors.keys).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard try check("poll", poll(&polls, nfds_t(polls.count), patience)) > 0 else {
                throw Silence(taken: taken, wanted: count)
            }
            for entry in polls where entry.revents != 0 {
                if entry.fd == listener {
                    visitors[try check("accept", accept(listener, nil, nil))] = Visitor()
                    continue
                }
                if start == nil { start = now() }
                try read(from: entry.fd) { body in
                    taken += items(body)
                    if keepsBodies { bodies.append(Array(body)) }
                    try check("write", write(entry.fd, Self.reply, Self.reply.count))
                }
            }
        }
        return Double(now() - (start ?? 0))
    }

    /// Passes on the bodies that are complete with the available input.
    private func read(from descriptor: Int32, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        let count = try check("read", Glibc.read(descriptor, &part, part.count))
        guard count > 0, let visitor = visitors[descriptor] else {
            visitors[descriptor] = nil
            close(descriptor)
            return
        }
        visitor.received += part[..<count]
        while true {
            if visitor.body == nil { visitor.body = try visitor.received.withUnsafeBytes(Self.body) }
            guard let body = visitor.body, visitor.received.count >= body.upperBound else { return }
            try visitor.received.withUnsafeBytes { try take(UnsafeRawBufferPointer(rebasing: $0[body])) }
            if body.upperBound == visitor.received.count {
                visitor.received.removeAll(keepingCapacity: true)
            } else {
                visitor.received.removeFirst(body.upperBound)
            }
            visitor.body = nil
        }
    }

    /// The range of the body of the request that begins here; nil while its head is incomplete.
    private static func body(_ request: UnsafeRawBufferPointer) throws -> Range<Int>? {
        var line = 0
        var length: Int?
        while let newline = request[line...].firstIndex(of: 10) {
            if newline == line + 1 {
                guard let length else { throw Failure("a request without a length") }
                return newline + 1..<newline + 1 + length
            }
            let mark = "content-length:"
            // Most lines are ruled out by their first letter.
            if request[line] | 0x20 == UInt8(ascii: "c") {
                let text = String(decoding: request[line..<newline - 1], as: UTF8.self).lowercased()
                if text.hasPrefix(mark) { length = Int(text.dropFirst(mark.count).drop { $0 == " " }) }
            }
            line = newline + 1
        }
        return nil
    }
}
