package import HarkCore
package import HarkWire

extension Submission.Outcome {
    /// The request that sends one answer to a form's server.
    ///
    /// - Parameter headers: The headers of the form.
    package static func request(for job: Engine.SubmissionJob, headers: HTTPHeaders) -> HTTPRequest {
        var request = HTTPRequest("POST", job.server.url, headers: headers, body: job.body)
        request.headers["Content-Type"] = "application/json"
        request.headers["Idempotency-Key"] = "\(job.key)"
        request.isOnce = true
        request.timeoutSeconds = job.server.timeoutSeconds
        request.connectTimeoutSeconds = min(10, job.server.timeoutSeconds)
        request.maxResponseBytes = 1 << 16
        return request
    }

    package init(_ response: HTTPResponse, now: Timestamp) {
        let retryAfter = response.headers["Retry-After"].flatMap { RetryAfter.seconds($0, now: now) }
        self = .response(
            status: response.status, retryAfterMilliseconds: retryAfter.map { Int64(min($0, 1e9) * 1_000) })
    }

    package init(_ error: HTTPError) {
        switch error.kind {
        // The response began, or its end was not awaited: the server had the request.
        case _ where error.wasSent, .aborted: self = .unknown(error.message)
        case .invalidURL, .invalidRequest: self = .unsendable(error.message)
        case .couldNotResolve, .couldNotConnect, .timedOut, .tlsFailed, .connectionLost, .badResponse, .tooLarge,
            .redirectRefused, .unavailable, .system:
            self = .unsent(error.message)
        }
    }
}
