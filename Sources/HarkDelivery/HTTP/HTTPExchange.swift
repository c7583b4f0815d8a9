internal import HarkSystem

/// A request and its response, from the queue to the end.
@DaemonActor
final class HTTPExchange {
    let request: HTTPRequest
    let target: HTTPTarget
    /// Called once, at the end.
    var onEnd: (@DaemonActor (Result<HTTPResponse, HTTPError>) -> Void)?
    var isCancelled = false
    /// The handle while the request is in progress.
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

    /// The time since the start, without the time in the queue.
    var secondsTaken: Double { Double(SystemClock.monotonicMicroseconds - startedAt) / 1_000_000 }
}
