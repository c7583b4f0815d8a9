package import HarkSystem
internal import HarkWire

/// Makes HTTP requests on the event loop; no thread waits for any of them (libcurl looks names up on one of its own).
///
/// Certificates are checked against the system's authorities, proxies come from the environment (`https_proxy`,
/// `no_proxy` …), connections are kept for further requests. libcurl is loaded with the first request; a while after
/// the last one its connections and buffers go again.
@DaemonActor
package final class HTTPClient {
    package struct Options: Sendable {
        /// Requests under way at a time; the others wait their turn.
        package var maxConcurrent = 16
        /// Authorities to trust instead of the system's: a file of certificates (PEM).
        package var authoritiesFile: String?
        package var userAgent = "hark/\(Version.current)"
        /// How long connections are kept after the last request.
        package var idleSeconds = 60.0
        /// The name to load libcurl by.
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

    /// Makes a request and returns what the server says, whatever its status.
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

    /// Ends the requests under way with the error `connectionLost`, and drops all connections: the network they went
    /// over is not the one there is now. Requests that wait for their turn begin.
    package func interrupt() {
        // Each request that ends makes room for one that waits, which has a session of its own.
        let lost = session
        session = nil
        lost?.close(HTTPError(.connectionLost, "the network has changed while the request was under way"))
        startWaiting()
    }

    /// Ends all requests with the error `aborted`; later ones end like that at once.
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
    private static let cancelled = HTTPError(.aborted, "the request was given up by whoever made it")
}
