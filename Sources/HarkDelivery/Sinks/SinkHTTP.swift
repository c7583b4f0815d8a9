internal import HarkSystem
internal import HarkWire

/// Requests to sinks that are servers.
enum SinkHTTP {
    /// - Parameter refused: what the server says of a request that it will never take, whatever its status.
    @DaemonActor
    static func send(
        _ request: HTTPRequest, by client: HTTPClient, to place: String, _ clock: () -> Timestamp,
        meaning: (HTTPResponse) -> DeliveryFailure? = { _ in nil }
    ) async throws(DeliveryFailure) -> HTTPResponse {
        let response: HTTPResponse
        do throws(HTTPError) {
            response = try await client.send(request)
        } catch {
            guard case .failed(let failure) = HTTPVerdict.of(error) else { throw DeliveryFailure(.network, place) }
            throw failure
        }
        if let failure = meaning(response) { throw failure }
        guard case .failed(let failure) = HTTPVerdict.of(response, from: place, now: clock(), parse: { _ in nil })
        else {
            return response
        }
        switch failure.kind {
        // A wrong key, address or right is mended, and no record is to blame for it.
        case .unauthorized, .refused:
            throw DeliveryFailure(
                .server, status: failure.status, retryAfter: failure.retryAfter, failure.reason, words: failure.words)
        default: throw failure
        }
    }
}
