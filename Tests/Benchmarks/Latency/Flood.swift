import Glibc
import Synchronization

/// Clients that send the same bytes over and over, as fast as the daemon takes them, until told to end.
final class Flood: @unchecked Sendable {
    // Everything except `isOver` belongs to the one thread that `start` makes, and is read after it has ended.
    private let socket: String
    private let connections: Int
    private let text: [UInt8]
    private let reads: Bool
    private let halfClosesAfter: Int?
    private let isOver = Atomic<Bool>(false)
    private var thread = pthread_t()
    private(set) var sentBytes = 0
    private(set) var newConnections = 0

    /// - Parameters:
    ///   - text: Whole lines.
    ///   - reads: Whether replies are read.
    ///   - halfClosesAfter: The bytes after which a connection stops sending, waits a little, and is made anew.
    init(_ socket: String, connections: Int, text: [UInt8], reads: Bool, halfClosesAfter: Int? = nil) {
        self.socket = socket
        self.connections = connections
        self.text = text
        self.reads = reads
        self.halfClosesAfter = halfClosesAfter
    }

    func start() throws {
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Flood>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        guard code == 0 else { throw Failure("pthread_create: \(String(cString: strerror(code)))") }
    }

    func end() {
        isOver.store(true, ordering: .relaxed)
        pthread_join(thread, nil)
    }

    private struct Client {
        let connection: Connection
        var offset = 0
        var sent = 0
        var idleSince: UInt64?
    }

    private func run() {
        var clients: [Client?] = Array(repeating: nil, count: connections)
        var polls = [pollfd](repeating: pollfd(fd: -1, events: 0, revents: 0), count: connections)
        var scratch = [UInt8](repeating: 0, count: 1 << 18)
        while !isOver.load(ordering: .relaxed) {
            for index in clients.indices {
                if clients[index] == nil { clients[index] = connect() }
                let sends = clients[index].map { $0.sent < halfClosesAfter ?? Int.max } ?? false
                polls[index].fd = clients[index]?.connection.descriptor ?? -1
                polls[index].events = Int16((sends ? POLLOUT : 0) | (reads ? POLLIN : 0))
                polls[index].revents = 0
            }
            poll(&polls, nfds_t(polls.count), 10)
            for index in clients.indices { serve(&clients[index], polls[index].revents, &scratch) }
        }
    }

    private func connect() -> Client? {
        newConnections += 1
        do {
            let connection = try Connection(to: socket)
            _ = fcntl(connection.descriptor, F_SETFL, O_NONBLOCK)
            return Client(connection: connection)
        } catch {
            // The daemon takes no more connections; the next round tries again.
            return nil
        }
    }

    private func serve(_ client: inout Client?, _ events: Int16, _ scratch: inout [UInt8]) {
        guard var served = client else { return }
        let descriptor = served.connection.descriptor
        if events & Int16(POLLIN) != 0, read(descriptor, &scratch, scratch.count) == 0 {
            client = nil
            return
        }
        if events & Int16(POLLOUT) != 0 {
            let sent = text.withUnsafeBytes {
                write(descriptor, from: $0.baseAddress! + served.offset, count: $0.count - served.offset)
            }
            if sent < 0, errno != EAGAIN {
                client = nil
                return
            }
            served.offset = (served.offset + max(0, sent)) % text.count
            served.sent += max(0, sent)
            sentBytes += max(0, sent)
            if let halfClosesAfter, served.sent >= halfClosesAfter, served.idleSince == nil {
                shutdown(descriptor, Int32(SHUT_WR))
                served.idleSince = now()
            }
        }
        if events & Int16(POLLHUP | POLLERR) != 0, events & Int16(POLLIN) == 0 {
            client = nil
            return
        }
        if let idleSince = served.idleSince, now() - idleSince > 20_000_000 {
            client = nil
            return
        }
        client = served
    }
}
