import Glibc

/// A server of HTTP/1.1 on a port of 127.0.0.1 that takes every body and answers 200.
///
/// It only answers while `serve` runs; until then whoever asks waits, connected. One thread, poll(2), no copy of a body
/// unless it is wanted: it must not be what is measured.
final class HTTPSink {
    /// What was sent so far.
    private(set) var bodies: [[UInt8]] = []
    let port: UInt16
    private let listener: Int32
    private var visitors: [Int32: Visitor] = [:]

    private struct Visitor {
        var received: [UInt8] = []
        /// Length of the head of the request under way, and of all of it; nil until the head is there.
        var expected: (head: Int, total: Int)?
    }

    private static let reply = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)

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

    /// Answers requests until so many items came, as `items` counts those of a body. Returns the nanoseconds from the
    /// first request that is read to the last reply.
    func serve(until count: Int, keepsBodies: Bool = false, items: ([UInt8]) -> Int) throws -> Double {
        bodies = []
        var taken = 0
        var start: UInt64?
        while taken < count {
            var polls = ([listener] + visitors.keys).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard try check("poll", poll(&polls, nfds_t(polls.count), 20_000)) > 0 else {
                throw Failure("only \(taken) of \(count) items came within 20 s")
            }
            for entry in polls where entry.revents != 0 {
                if entry.fd == listener {
                    visitors[try check("accept", accept(listener, nil, nil))] = Visitor()
                    continue
                }
                if start == nil { start = now() }
                for body in try read(from: entry.fd) {
                    taken += items(body)
                    if keepsBodies { bodies.append(body) }
                    try check("write", write(entry.fd, Self.reply, Self.reply.count))
                }
            }
        }
        return Double(now() - (start ?? 0))
    }

    /// The bodies that became complete with what can be read now.
    private func read(from descriptor: Int32) throws -> [[UInt8]] {
        var part = [UInt8](repeating: 0, count: 256 * 1024)
        let count = try check("read", Glibc.read(descriptor, &part, part.count))
        guard count > 0, var visitor = visitors.removeValue(forKey: descriptor) else {
            visitors[descriptor] = nil
            close(descriptor)
            return []
        }
        visitor.received += part[..<count]
        var bodies: [[UInt8]] = []
        while true {
            if visitor.expected == nil { visitor.expected = try Self.lengths(of: visitor.received) }
            guard let (head, total) = visitor.expected, visitor.received.count >= total else { break }
            bodies.append(Array(visitor.received[head..<total]))
            visitor.received.removeFirst(total)
            visitor.expected = nil
        }
        visitors[descriptor] = visitor
        return bodies
    }

    private static func lengths(of request: [UInt8]) throws -> (head: Int, total: Int)? {
        guard let end = request.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
        let lines = String(decoding: request[..<end], as: UTF8.self).lowercased().split(separator: "\r\n")
        let mark = "content-length:"
        guard let line = lines.first(where: { $0.hasPrefix(mark) }),
            let length = Int(line.dropFirst(mark.count).drop { $0 == " " })
        else { throw Failure("a request without a length: \(lines.first ?? "")") }
        return (end, end + length)
    }
}
