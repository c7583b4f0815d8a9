internal import CCurl
internal import HarkSystem

/// Turns an error of libcurl into a message.
struct CurlFailure {
    let code: CURLcode
    /// The errno of the last attempt to connect, 0 for none.
    let systemCode: Int32
    /// libcurl's message; it may quote the server, so it is used only for errors of certificates.
    let reason: String
    /// libcurl's name for the code.
    let name: String

    func error(of request: HTTPRequest, at target: HTTPTarget) -> HTTPError {
        let place = request.place(target)
        switch code {
        case CURLE_URL_MALFORMAT:
            return HTTPError(.invalidURL, "this is not a URL that can be asked: check how it is written")
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
            guard request.unixSocket == nil, NetworkAccess.isDenied else { return unreachable(place) }
            return HTTPError(.couldNotConnect, "cannot connect to \(place): \(NetworkAccess.advice)")
        case CURLE_PROXY:
            return HTTPError(.couldNotConnect, "the proxy on the way to \(place) refuses: \(Self.proxyAdvice)")
        case CURLE_OPERATION_TIMEDOUT:
            return Self.timedOut(place)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_USE_SSL_FAILED:
            return HTTPError(
                .tlsFailed,
                "no encrypted connection to \(place): \(reason.isEmpty ? name : reason); if its "
                    + "certificate is your own, add the authority to the system's (Debian: update-ca-certificates)")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
            CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND:
            return HTTPError(.connectionLost, "\(place) ended the connection before its response was complete")
        case CURLE_FILESIZE_EXCEEDED:
            return Self.tooLarge(place, limit: request.maxResponseBytes)
        case CURLE_OUT_OF_MEMORY:
            return HTTPError.outOfMemory
        default:
            return HTTPError(.badResponse, "\(place) did not answer as an HTTP server should: \(name)")
        }
    }

    /// The error if no server was reached.
    private func unreachable(_ place: String) -> HTTPError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            return HTTPError(
                .couldNotResolve, "the host of \(place) is not known: check its name, the network and the DNS")
        case CURLE_COULDNT_RESOLVE_PROXY:
            return HTTPError(.couldNotResolve, "the proxy on the way to \(place) is not known: \(Self.proxyAdvice)")
        default:
            let cause = systemCode == 0 ? "nobody answers" : SystemError.text(of: systemCode)
            return HTTPError(
                .couldNotConnect, "cannot connect to \(place): \(cause); check that the server runs, and the network")
        }
    }

    static func tooLarge(_ place: String, limit: Int) -> HTTPError {
        HTTPError(.tooLarge, "the response of \(place) has more than \(limit) bytes")
    }

    static func manyHeaders(_ place: String, limit: Int) -> HTTPError {
        HTTPError(.badResponse, "the response of \(place) has more than \(limit) header lines")
    }

    static func timedOut(_ place: String) -> HTTPError {
        HTTPError(.timedOut, "\(place) took too long: see whether it is overloaded, or allow it more time")
    }

    private static let proxyAdvice = "check http_proxy, https_proxy and no_proxy in the daemon's environment"
}
