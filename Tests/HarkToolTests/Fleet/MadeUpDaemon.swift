import Glibc
import HarkClient
import HarkWire
import Synchronization

/// A made-up daemon: it answers each request by its method, on a thread of its own, until its client is gone.
final class MadeUpDaemon: Sendable {
    enum Reply: Sendable {
        case result(String)
        case refusal(code: Int, reason: String, message: String)
    }

    typealias Answer = @Sendable (_ method: String, _ params: JSONValue) -> Reply

    private let asked = Mutex<[String]>([])
    /// The client's end.
    let descriptor: CInt

    /// The methods that were called.
    var methods: [String] { asked.withLock { $0 } }

    init(_ answer: @escaping Answer) {
        var pair: [CInt] = [0, 0]
        precondition(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        descriptor = pair[0]
        let box = Unmanaged.passRetained(Box { [self, peer = pair[1]] in serve(peer, answer) })
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, box.toOpaque())
        precondition(status == 0)
        pthread_detach(thread)
    }

    private func serve(_ descriptor: CInt, _ answer: Answer) {
        defer { close(descriptor) }
        var reader = LineReader()
        while true {
            while let line = reader.next() {
                guard let request = try? JSONDocument(Array(line), .json).value, let id = request["id"]?.exactInteger,
                    let method = request["method"]?.stringValue
                else { return }
                asked.withLock { $0.append(method) }
                let reply =
                    switch answer(method, request["params"] ?? .null) {
                    case .result(let json): #"{"id":\#(id),"result":\#(json)}"#
                    case .refusal(let code, let reason, let message):
                        #"{"id":\#(id),"error":{"code":\#(code),"message":"\#(message)","data":{"reason":"\#(reason)"}}}"#
                    }
                let bytes = Array((reply + "\n").utf8)
                guard send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count else { return }
            }
            guard case .bytes = reader.fill({ recv(descriptor, $0, $1, 0) }) else { return }
        }
    }

    private final class Box {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }
}
