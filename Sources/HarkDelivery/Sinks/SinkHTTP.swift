internal import HarkSystem
internal import HarkWire

/// Requests to sinks that are servers.
enum SinkHTTP {
    /// - Parameter meaning: Returns the failure that a response means by the server's own codes; nil for none.
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
        // A wrong key, address or permission can be corrected. No record is the cause.
        case .unauthorized, .refused:
            throw DeliveryFailure(
                .server, status: failure.status, retryAfter: failure.retryAfter, failure.reason, words: failure.words)
        default: throw failure
        }
    }
}
