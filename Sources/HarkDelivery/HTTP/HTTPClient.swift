package import HarkSystem
internal import HarkWire

/// Makes HTTP requests on the event loop without blocking threads (libcurl resolves names on a thread of its own).
///
/// Certificates are checked against the system's authorities, proxies come from the environment (`https_proxy`,
/// `no_proxy` …), and connections are reused. libcurl is loaded with the first request; its connections and buffers are
/// released some time after the last one.
@DaemonActor
package final class HTTPClient {
    package struct Options: Sendable {
        /// The maximum number of concurrent requests; others wait.
        package var maxConcurrent = 16
        /// A file of certificates (PEM) to trust instead of the system's authorities.
        package var authoritiesFile: String?
        package var userAgent = "hark/\(Version.current)"
        /// How long connections are kept after the last request.
        package var idleSeconds = 60.0
        /// The name of the libcurl library.
        package var library = CurlLibrary.defaultName

        package init() {}
    }

    private let loop: EventLoop
    private let options: Options
    private var session: CurlSession?
    private var idle: TimerSource?
    private var running = 0
    private var waiting: [HTTPExchange] = []
    private var isClosed = false

    package init(loop: EventLoop, options: Options = Options()) {
        self.loop = loop
        self.options = options
    }

    /// Makes a request and returns the response, with any status.
    ///
    /// Cancelling the task ends the request with the error `aborted`.
    package func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        var request = request
        var followed = 0
        while true {
            let exchange = HTTPExchange(request, try request.check())
            let response = try await result(of: exchange).get()
            guard var next = try HTTPRedirect.next(after: response, to: request, followed: followed) else {
                return response
            }
            next.timeoutSeconds -= exchange.secondsTaken
            guard next.timeoutSeconds > 0 else { throw CurlFailure.timedOut(request.place(exchange.target)) }
            request = next
            followed += 1
        }
    }

    /// Ends the current requests with the error `connectionLost` and drops all connections, because the network has
    /// changed. Waiting requests begin.
    package func interrupt() {
        // Each ended request lets a waiting one begin, which uses a new session.
        let lost = session
        session = nil
        lost?.close(HTTPError(.connectionLost, "the network has changed while the request was under way"))
        startWaiting()
    }

    /// Ends all requests with the error `aborted`; later requests fail at once.
    package func close() {
        isClosed = true
        let queued = waiting
        waiting = []
        for exchange in queued { exchange.end(.failure(HTTPClient.closed)) }
        session?.close(HTTPClient.closed)
        session = nil
        idle = nil
    }

    private func result(of exchange: HTTPExchange) async -> Result<HTTPResponse, HTTPError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.onEnd = { continuation.resume(returning: $0) }
                begin(exchange)
            }
        } onCancel: {
            DaemonActor.post { [self] in cancel(exchange) }
        }
    }

    private func begin(_ exchange: HTTPExchange) {
        if isClosed { return exchange.end(.failure(HTTPClient.closed)) }
        if exchange.isCancelled { return exchange.end(.failure(HTTPClient.cancelled)) }
        waiting.append(exchange)
        startWaiting()
    }

    private func startWaiting() {
        while running < options.maxConcurrent, !waiting.isEmpty {
            let exchange = waiting.removeFirst()
            do throws(HTTPError) {
                let session = try openSession()
                let handle = try CurlHandle(
                    exchange.request, exchange.target, options: options, library: session.library)
                running += 1
                exchange.start(handle)
                session.start(handle) { [weak self] in self?.finish(exchange, $0) }
            } catch {
                exchange.end(.failure(error))
            }
        }
    }

    private func finish(_ exchange: HTTPExchange, _ result: Result<HTTPResponse, HTTPError>) {
        running -= 1
        exchange.end(result)
        startWaiting()
        if running == 0 { idle?.arm(afterMicroseconds: UInt64(options.idleSeconds * 1_000_000)) }
    }

    private func cancel(_ exchange: HTTPExchange) {
        exchange.isCancelled = true
        if let handle = exchange.handle {
            session?.abort(handle)
            finish(exchange, .failure(HTTPClient.cancelled))
        } else if let index = waiting.firstIndex(where: { $0 === exchange }) {
            waiting.remove(at: index)
            exchange.end(.failure(HTTPClient.cancelled))
        }
    }

    private func openSession() throws(HTTPError) -> CurlSession {
        idle?.disarm()
        if let session, !session.isClosed { return session }
        let session = try CurlSession(library: try CurlLibrary.load(options.library), loop: loop)
        do {
            idle = try loop.timer(clock: .monotonic, accuracyMicroseconds: 5_000_000) { [weak self] in
                self?.session?.close()
                self?.session = nil
            }
        } catch {
            throw HTTPError(.system, "no HTTP request can be made: \(error)")
        }
        self.session = session
        return session
    }

    private static let closed = HTTPError(.aborted, "the request was given up: no more requests are made")
    private static let cancelled = HTTPError(.aborted, "the request was given up by its caller")
}
