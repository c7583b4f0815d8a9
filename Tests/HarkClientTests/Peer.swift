import Glibc
import HarkClient

/// The daemon's end of a connection, played by a test: it reads request lines and writes what the test wants.
final class Peer: @unchecked Sendable {
    // One thread at a time uses it: the test's script, on the thread that `answering` starts.
    private let descriptor: CInt
    private var reader = LineReader()

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// A client's descriptor, whose other end is served by the script on a thread of its own and then closed.
    static func answering(_ script: @escaping @Sendable (Peer) -> Void) -> CInt {
        var pair: [CInt] = [0, 0]
        precondition(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let box = Unmanaged.passRetained(Box { [peer = Peer(pair[1])] in script(peer) })
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        precondition(status == 0)
        pthread_detach(thread)
        return pair[0]
    }

    /// The next request line; nil when the client has gone.
    func line() -> String? {
        while true {
            if let line = reader.next() { return String(decoding: line, as: UTF8.self) }
            guard case .bytes = reader.fill({ recv(descriptor, $0, $1, 0) }) else { return nil }
        }
    }

    func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = send(descriptor, bytes.baseAddress! + sent, bytes.count - sent, CInt(MSG_NOSIGNAL))
                if count <= 0 { return }
                sent += count
            }
        }
    }

    private final class Box {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }
}
