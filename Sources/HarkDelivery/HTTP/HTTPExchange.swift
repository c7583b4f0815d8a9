internal import HarkSystem

/// One request and its response, from its place in the queue to its end.
@DaemonActor
final class HTTPExchange {
    let request: HTTPRequest
    let target: HTTPTarget
    /// Called once, at the end.
    var onEnd: (@DaemonActor (Result<HTTPResponse, HTTPError>) -> Void)?
    var isCancelled = false
    /// While it is under way.
    private(set) var handle: CurlHandle?
    private var startedAt: UInt64 = 0

    init(_ request: HTTPRequest, _ target: HTTPTarget) {
        self.request = request
        self.target = target
    }

    func start(_ handle: CurlHandle) {
        self.handle = handle
        startedAt = SystemClock.monotonicMicroseconds
    }

    func end(_ result: Result<HTTPResponse, HTTPError>) {
        handle = nil
        onEnd?(result)
        onEnd = nil
    }

    /// How long it has been since the start, its turn in the queue not counted.
    var secondsTaken: Double { Double(SystemClock.monotonicMicroseconds - startedAt) / 1_000_000 }
}
