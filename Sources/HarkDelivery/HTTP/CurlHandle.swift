internal import CCurl
internal import HarkSystem

/// A request to libcurl: an easy handle, its input, and the response so far.
@DaemonActor
final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    private let library: CurlLibrary
    private let request: HTTPRequest
    private let target: HTTPTarget
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// libcurl writes error messages here, so its address is constant while the handle lives.
    private let reason: UnsafeMutablePointer<CChar>
    private var body: [UInt8] = []
    private var isTooLarge = false
    private var headerLines = 0

    /// More header lines are a server's mistake. libcurl compares each with all others when they are read.
    private static let mostHeaderLines = 500

    /// Creates a handle; call `free()` at the end, when the handle belongs to no session.
    init(_ request: HTTPRequest, _ target: HTTPTarget, options: HTTPClient.Options, library: CurlLibrary)
        throws(HTTPError)
    {
        guard let easy = library.functions.pointee.easy_init() else { throw HTTPError.outOfMemory }
        self.easy = easy
        self.library = library
        self.request = request
        self.target = target
        reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        do {
            try configure(options)
            try configureBody()
            try configureHeaders(options)
        } catch {
            free()
            throw error
        }
    }

    func free() {
        library.functions.pointee.easy_cleanup(easy)
        library.functions.pointee.slist_free_all(fields)
        reason.deallocate()
    }

    private func configure(_ options: HTTPClient.Options) throws(HTTPError) {
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        // With one request at a time to a server, HTTP/2 gains nothing, and 1.1 has fewer surprises.
        try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try set(CURLOPT_TIMEOUT_MS, milliseconds(request.timeoutSeconds))
        try set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.connectTimeoutSeconds))
        // The loop handles signals. And a hanging lookup must not block the loop when its request is over.
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_QUICK_EXIT, 1)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if request.isOnce {
            try set(CURLOPT_FRESH_CONNECT, 1)
            try set(CURLOPT_FORBID_REUSE, 1)
        }
        // All encodings that this libcurl can decode.
        try set(CURLOPT_ACCEPT_ENCODING, "")
        if request.method != "HEAD" {
            // A response that is announced as too long need not begin; 0 would mean no limit.
            try set(offset: CURLOPT_MAXFILESIZE_LARGE, max(1, request.maxResponseBytes))
        }
        try check(hark_curl_set_pointer(library.functions, easy, CURLOPT_ERRORBUFFER, reason))
        try check(
            hark_curl_set_pointer(
                library.functions, easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque()))
        try check(
            hark_curl_set_writer(library.functions, easy) { bytes, size, count, handle in
                // The value of CURLOPT_WRITEDATA; the handle frees libcurl's side before it is released.
                let handle = Unmanaged<CurlHandle>.fromOpaque(handle!).takeUnretainedValue()
                nonisolated(unsafe) let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return DaemonActor.assumeIsolated { handle.take(chunk) } ? chunk.count : Int(CURL_WRITEFUNC_ERROR)
            })
        try check(
            hark_curl_set_pointer(
                library.functions, easy, CURLOPT_HEADERDATA, Unmanaged.passUnretained(self).toOpaque()))
        try check(
            hark_curl_set_header_reader(library.functions, easy) { _, size, count, handle in
                // The value of CURLOPT_HEADERDATA, as above.
                let handle = Unmanaged<CurlHandle>.fromOpaque(handle!).takeUnretainedValue()
                return DaemonActor.assumeIsolated { handle.takeHeaderLine() } ? size * count : 0
            })
        if let authorities = options.authoritiesFile {
            try set(CURLOPT_CAINFO, authorities)
            try set(CURLOPT_CAPATH, nil)
        } else if let folder = library.authoritiesFolder {
            try set(CURLOPT_CAINFO, nil)
            try set(CURLOPT_CAPATH, folder)
        }
        // With a Unix socket, libcurl uses no proxy.
        if let unixSocket = request.unixSocket { try set(CURLOPT_UNIX_SOCKET_PATH, unixSocket) }
    }

    private func configureBody() throws(HTTPError) {
        guard request.method != "HEAD" else { return try set(CURLOPT_NOBODY, 1) }
        if let body = request.sentBody {
            try set(offset: CURLOPT_POSTFIELDSIZE_LARGE, body.count)
            let code = body.withUnsafeBytes {
                // Copied, because the array may move. A null pointer would mean that a callback supplies the body.
                hark_curl_set_pointer(
                    library.functions, easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(reason))
            }
            try check(code)
        }
        try set(CURLOPT_CUSTOMREQUEST, request.method)
    }

    private func configureHeaders(_ options: HTTPClient.Options) throws(HTTPError) {
        var headers = request.headers
        if headers["User-Agent"] == nil { headers["User-Agent"] = options.userAgent }
        if request.isCompressed { headers["Content-Encoding"] = "gzip" }
        for field in headers.fields {
            // libcurl reads "name:" as a request to omit the header, and "name;" as an empty one.
            try append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if request.sentBody != nil {
            if headers["Content-Type"] == nil { try append("Content-Type:") }
            // Servers that do not know it would cost a second.
            try append("Expect:")
        }
        try check(hark_curl_set_pointer(library.functions, easy, CURLOPT_HTTPHEADER, fields))
    }

    private func append(_ line: String) throws(HTTPError) {
        guard let list = library.functions.pointee.slist_append(fields, line) else { throw HTTPError.outOfMemory }
        fields = list
    }

    /// Counts a header line; false ends the request.
    private func takeHeaderLine() -> Bool {
        headerLines += 1
        return headerLines <= CurlHandle.mostHeaderLines
    }

    private func take(_ chunk: UnsafeRawBufferPointer) -> Bool {
        guard body.count + chunk.count <= request.maxResponseBytes else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: chunk)
        return true
    }

    /// The result, once libcurl reports the end.
    func outcome(_ code: CURLcode) -> Result<HTTPResponse, HTTPError> {
        guard code == CURLE_OK else {
            let wasSent = number(CURLINFO_REQUEST_SIZE) > 0
            if isTooLarge {
                let error = CurlFailure.tooLarge(request.place(target), limit: request.maxResponseBytes)
                return .failure(HTTPError(error.kind, error.message, wasSent: wasSent))
            }
            if headerLines > CurlHandle.mostHeaderLines {
                let error = CurlFailure.manyHeaders(request.place(target), limit: CurlHandle.mostHeaderLines)
                return .failure(HTTPError(error.kind, error.message, wasSent: wasSent))
            }
            let failure = CurlFailure(
                code: code, systemCode: Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO)),
                reason: String(cString: reason),
                name: library.functions.pointee.easy_strerror(code).map { String(cString: $0) } ?? "")
            let error = failure.error(of: request, at: target)
            return .failure(HTTPError(error.kind, error.message, wasSent: wasSent))
        }
        var headers = HTTPHeaders()
        var previous: UnsafeMutablePointer<curl_header>?
        while let next = library.functions.pointee.easy_nextheader(easy, UInt32(CURLH_HEADER), -1, previous) {
            headers.append(String(cString: next.pointee.name), String(cString: next.pointee.value))
            previous = next
        }
        var location: UnsafeMutablePointer<CChar>?
        hark_curl_get_text(library.functions, easy, CURLINFO_REDIRECT_URL, &location)
        return .success(
            HTTPResponse(
                status: number(CURLINFO_RESPONSE_CODE), headers: headers, body: body,
                location: location.map { String(cString: $0) }))
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        hark_curl_get_long(library.functions, easy, info, &value)
        return value
    }

    private func milliseconds(_ seconds: Double) -> Int { Int(min(max(seconds * 1000, 1), 86_400_000)) }

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
        try check(hark_curl_set_long(library.functions, easy, option, value))
    }

    private func set(offset option: CURLoption, _ value: Int) throws(HTTPError) {
        try check(hark_curl_set_offset(library.functions, easy, option, curl_off_t(value)))
    }

    private func set(_ option: CURLoption, _ value: String?) throws(HTTPError) {
        try check(hark_curl_set_text(library.functions, easy, option, value))
    }

    private func check(_ code: CURLcode) throws(HTTPError) {
        switch code {
        case CURLE_OK: return
        case CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
            throw HTTPError(.unavailable, "this libcurl is too old or lacks a part; 7.87 or newer is needed")
        default: throw HTTPError.outOfMemory
        }
    }

}
