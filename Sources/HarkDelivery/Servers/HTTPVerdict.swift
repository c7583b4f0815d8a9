package import HarkWire

/// Decides the meaning of a response, or of its absence, for a parcel. Pure.
package enum HTTPVerdict {
    /// - Parameters:
    ///   - place: The server's name for messages.
    ///   - parse: Parses JSON; nil for anything else.
    package static func of(
        _ response: HTTPResponse, from place: String, now: Timestamp, parse: ([UInt8]) -> JSONValue?
    ) -> DeliveryOutcome {
        let status = response.status
        let retryAfter = response.headers["Retry-After"].flatMap { RetryAfter.seconds($0, now: now) }
        func failed(_ kind: DeliveryFailure.Kind, _ reason: String) -> DeliveryOutcome {
            let words = ServerWords.of(response, parse)
            return .failed(
                DeliveryFailure(kind, status: status, retryAfter: retryAfter, "\(place) \(reason)", words: words))
        }
        switch status {
        case 200..<300: return .accepted
        case 300..<400: return failed(.unauthorized, "redirects (HTTP \(status)); configure where it should end")
        case 403 where isQuota(response, parse): return failed(.quota, "says that the quota is used up (HTTP 403)")
        case 401, 403, 407: return failed(.unauthorized, "refuses us (HTTP \(status)); check the key")
        case 404, 405, 410: return failed(.unauthorized, "takes nothing there (HTTP \(status)); check the address")
        case 408, 425: return failed(.server, "wants it again (HTTP \(status))")
        case 413: return failed(.tooLarge, "finds it too large (HTTP 413)")
        case 429: return failed(.throttled, "wants less (HTTP 429)")
        case 400..<500: return failed(.refused, "refuses it (HTTP \(status))")
        case 500..<600: return failed(.server, "has a fault (HTTP \(status))")
        default: return failed(.server, "answers HTTP \(status)")
        }
    }

    package static func of(_ error: HTTPError) -> DeliveryOutcome {
        let kind: DeliveryFailure.Kind =
            switch error.kind {
            case .couldNotResolve, .couldNotConnect, .timedOut, .tlsFailed, .connectionLost:
                error.wasSent ? .network : .unreachable
            case .badResponse, .tooLarge, .redirectRefused: .server
            case .unavailable, .aborted, .system: .local
            case .invalidURL, .invalidRequest: .unauthorized
            }
        // Without libcurl or a resource, an immediate retry would hardly help.
        return .failed(DeliveryFailure(kind, retryAfter: kind == .local ? 30 : nil, error.message))
    }

    /// Whether the body says `{"code": "QUOTA_EXCEEDED"}`, at the top or within `error`.
    private static func isQuota(_ response: HTTPResponse, _ parse: ([UInt8]) -> JSONValue?) -> Bool {
        guard let body = parse(response.body) else { return false }
        return [body["code"], body["error"]?["code"], body["error"]].contains { $0?.stringValue == "QUOTA_EXCEEDED" }
    }
}
