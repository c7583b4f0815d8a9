import Foundation
import HarkServer
import HarkSystem
import HarkTesting
import HarkWire

/// A server on a Unix socket and on the loop's own thread, which answers as instructed and remembers its requests.
@DaemonActor
final class Receiver {
    struct Request: Sendable {
        /// Method and path.
        let line: String
        /// The headers by their names in lower case.
        let headers: [String: String]
        let text: String

        var body: JSONValue? { try? JSONReader.read(text) }
    }

    struct Answer {
        var status = 200
        var headers: [String] = []
        var body = "{}"
    }

    let path: String
    private(set) var requests: [Request] = []
    var answer: (Request) -> Answer = { _ in Answer() }
    /// While true, no request is answered.
    var isHeld = false { didSet { goOn() } }
    /// Requests that are not answered meanwhile.
    var holds: (Request) -> Bool = { _ in false } { didSet { goOn() } }
    private let socket: ListeningSocket
    private var source: IOSource?
    private var connections: [Connection] = []
    private let loop: EventLoop

    init(path: String, loop: EventLoop) throws {
        self.path = path
        self.loop = loop
        socket = try ListeningSocket(path: path, access: .user)
        source = try loop.watch(socket.raw, for: .read) { [weak self] _ in self?.accept() }
    }

    // Before the socket closes: a program that is being started holds a copy of it, and with it the watch.
    isolated deinit { source?.cancel() }

    /// The contents that were sent, as the SensorCore server sees them.
    var contents: [String] { requests.compactMap { $0.body?["content"]?.stringValue } }

    /// Whether something has come that is not answered yet.
    var isAsked: Bool { connections.contains { $0.isWaiting } }

    private func goOn() {
        for connection in connections { connection.goOn() }
    }

    private func accept() {
        do {
            while let accepted = try socket.accept() {
                connections.append(try Connection(accepted.takeDescriptor(), self, loop))
            }
        } catch {
            fatalError("\(error)")
        }
    }

    fileprivate func respond(to request: Request) -> String {
        requests.append(request)
        let answer = answer(request)
        let headers = (["Content-Length: \(answer.body.utf8.count)"] + answer.headers).joined(separator: "\r\n")
        return "HTTP/1.1 \(answer.status) So\r\n\(headers)\r\n\r\n\(answer.body)"
    }

    @DaemonActor
    fileprivate final class Connection {
        private let descriptor: FileDescriptor
        private weak var receiver: Receiver?
        private var source: IOSource?
        private var input = Data()
        /// It has come, and is not answered yet.
        private var request: Request?

        var isWaiting: Bool { request != nil || !input.isEmpty }

        init(_ descriptor: consuming FileDescriptor, _ receiver: Receiver, _ loop: EventLoop) throws {
            self.receiver = receiver
            let raw = descriptor.raw
            self.descriptor = descriptor
            source = try loop.watch(raw, for: .read) { [weak self] _ in self?.read() }
        }

        isolated deinit { source?.cancel() }

        private func read() {
            var room = [UInt8](repeating: 0, count: 1 << 16)
            let count = (try? room.withUnsafeMutableBytes { try descriptor.read(into: $0) }) ?? nil
            input.append(contentsOf: room[..<(count ?? 0)])
            if count ?? 0 == 0 { source?.cancel() }
            goOn()
        }

        /// Answers the requests that are there.
        func goOn() {
            while let receiver, !receiver.isHeld, let request = request ?? next() {
                self.request = request
                if receiver.holds(request) { return }
                self.request = nil
                let bytes = Array(receiver.respond(to: request).utf8)
                let raw = descriptor.raw
                // A client that has gone meanwhile hears nothing.
                _ = bytes.withUnsafeBytes { Glibc.send(raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
        }

        private func next() -> Request? {
            guard let end = input.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
            let lines = String(decoding: input[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
            }
            let length = Int(headers["content-length"] ?? "0") ?? 0
            guard input.endIndex - end.upperBound >= length else { return nil }
            let body = input[end.upperBound..<end.upperBound + length]
            input = Data(input[(end.upperBound + length)...])
            let words = lines[0].split(separator: " ").prefix(2).joined(separator: " ")
            return Request(line: words, headers: headers, text: String(decoding: body, as: UTF8.self))
        }
    }
}
