internal import CCurl
internal import HarkSystem

/// Runs libcurl's multi interface on the event loop: watches its sockets and its timer, and reports when they are
/// ready. Keeps connections for further requests as long as it lives.
@DaemonActor
final class CurlSession {
    typealias Completion = @DaemonActor (Result<HTTPResponse, HTTPError>) -> Void

    private struct Transfer {
        let handle: CurlHandle
        let completion: Completion
    }

    let library: CurlLibrary
    private let multi: UnsafeMutableRawPointer
    private let loop: EventLoop
    private var alarm: CurlAlarm?
    private var sockets: [Int32: IOSource] = [:]
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private(set) var isClosed = false

    init(library: CurlLibrary, loop: EventLoop) throws(HTTPError) {
        guard let multi = library.functions.pointee.multi_init() else { throw HTTPError.outOfMemory }
        self.library = library
        self.multi = multi
        self.loop = loop
        do {
            alarm = try CurlAlarm(loop: loop) { [weak self] in self?.act(on: Self.timeout, []) }
        } catch {
            throw HTTPError(.system, "no HTTP request can be made: \(error)")
        }
        let me = Unmanaged.passUnretained(self).toOpaque()
        // These two only store a pointer, and cannot fail.
        hark_curl_multi_set_watcher(library.functions, multi, Self.watcher, me)
        hark_curl_multi_set_timer(library.functions, multi, Self.timekeeper, me)
    }

    isolated deinit { close() }

    /// Takes over the handle, and frees it before `completion` is called: once, unless the request is aborted.
    func start(_ handle: CurlHandle, completion: @escaping Completion) {
        transfers[handle.easy] = Transfer(handle: handle, completion: completion)
        // This only sets the timer; the request begins in the next turn of the loop.
        let code = library.functions.pointee.multi_add_handle(multi, handle.easy)
        if code != CURLM_OK { end(handle.easy, .failure(failure(code))) }
    }

    /// Aborts a request; its completion is not called.
    func abort(_ handle: CurlHandle) {
        _ = take(handle.easy)
    }

    /// Ends all requests with `error` and closes all connections.
    func close(_ error: HTTPError = HTTPError(.aborted, "the HTTP client was closed")) {
        guard !isClosed else { return }
        isClosed = true
        let completions = transfers.keys.map { take($0) }
        _ = library.functions.pointee.multi_cleanup(multi)
        alarm?.cancel()
        sockets = [:]
        for completion in completions { completion?(.failure(error)) }
    }

    // MARK: Callbacks of libcurl

    // Both get the session as the context; the session cleans up libcurl's side before it is released.
    private nonisolated static let watcher: curl_socket_callback = { _, fd, wish, session, _ in
        let session = Unmanaged<CurlSession>.fromOpaque(session!).takeUnretainedValue()
        return DaemonActor.assumeIsolated { session.watch(fd, wish) }
    }

    private nonisolated static let timekeeper: curl_multi_timer_callback = { _, milliseconds, session in
        let session = Unmanaged<CurlSession>.fromOpaque(session!).takeUnretainedValue()
        DaemonActor.assumeIsolated {
            session.alarm?.set(afterMilliseconds: milliseconds < 0 ? nil : UInt64(milliseconds))
        }
        return 0
    }

    private func watch(_ fd: Int32, _ wish: Int32) -> Int32 {
        var interest: Interest = []
        if wish & CURL_POLL_IN != 0 { interest.insert(.read) }
        if wish & CURL_POLL_OUT != 0 { interest.insert(.write) }
        if wish == CURL_POLL_REMOVE {
            // Cancelled now, because libcurl closes the descriptor next.
            sockets.removeValue(forKey: fd)?.cancel()
        } else if let source = sockets[fd] {
            source.setInterest(interest)
        } else {
            do {
                sockets[fd] = try loop.watch(fd, for: interest) { [weak self] in self?.act(on: fd, $0) }
            } catch {
                Log.error("cannot watch a connection: \(error)")
                // libcurl gives up this session, which `act` reports.
                return -1
            }
        }
        return 0
    }

    // MARK: Events

    private nonisolated static let timeout: Int32 = -1

    private func act(on fd: Int32, _ readiness: Readiness) {
        guard !isClosed else { return }
        var events: Int32 = 0
        if readiness.has([.read, .hangup]) { events |= CURL_CSELECT_IN }
        if readiness.has(.write) { events |= CURL_CSELECT_OUT }
        if readiness.has(.error) { events |= CURL_CSELECT_ERR }
        var running: Int32 = 0
        let code = library.functions.pointee.multi_socket_action(multi, fd, events, &running)
        guard code == CURLM_OK else { return close(failure(code)) }
        var left: Int32 = 0
        while !isClosed, let message = library.functions.pointee.multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let transfer = transfers[easy]
            else { continue }
            end(easy, transfer.handle.outcome(message.pointee.data.result))
        }
    }

    private func end(_ easy: UnsafeMutableRawPointer, _ result: Result<HTTPResponse, HTTPError>) {
        take(easy)?(result)
    }

    /// Removes a request from libcurl, which fails only for foreign handles, and frees it.
    private func take(_ easy: UnsafeMutableRawPointer) -> Completion? {
        guard let transfer = transfers.removeValue(forKey: easy) else { return nil }
        _ = library.functions.pointee.multi_remove_handle(multi, easy)
        transfer.handle.free()
        return transfer.completion
    }

    private func failure(_ code: CURLMcode) -> HTTPError {
        let name = library.functions.pointee.multi_strerror(code).map { String(cString: $0) } ?? ""
        return HTTPError(.system, "libcurl cannot go on: \(name)")
    }
}
