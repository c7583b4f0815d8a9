internal import Glibc
internal import HarkClient
internal import HarkWire

/// The thread of a link: sends queued requests and delivers replies to their callers.
final class LinkThread {
    private let link: Link
    private var socket: CInt = -1
    private var reader = LineReader()
    private var output: [UInt8] = []
    private var sent = 0
    private var nextID: Int64 = 1
    private var waiting: [Int64: Link.Request] = [:]
    /// Refusals of lines whose id the daemon could not read.
    private var unattributed: [HarkError] = []
    /// The request for the daemon's features; nothing else is sent before its reply.
    private var greeting: Int64?
    private var knowsProducers = false
    private let producer = OwnProducer()
    private var lastNumber: Int64 = 0
    private var wasConnected = false
    private var isAway = false
    /// The delay between connection attempts in milliseconds, and the time of the next one.
    private var pause = 0
    private var nextTry = 0

    /// The time at which dropped requests may be reported next, many at once.
    private var nextTelling = 0

    private static let longestPause = 5_000
    /// The time that a waiting caller is given after the connection breaks, in milliseconds.
    private static let patience = 30_000
    private static let uncertain = HarkError(
        .disconnected, "harkd went away before it answered; it may have been done or not")
    private static let tellingPause = 500

    private init(_ link: Link) {
        self.link = link
    }

    static func start(_ link: Link) {
        let body = Unmanaged.passRetained(LinkThread(link))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                // The pointer was retained above and is consumed exactly once.
                Unmanaged<LinkThread>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        precondition(status == 0, "cannot start a thread: \(String(cString: strerror(status)))")
        pthread_detach(thread)
    }

    private func run() {
        while true {
            // A request with a waiting caller does not wait for the next attempt.
            if socket < 0, link.hasRequests, link.hasUrgent || now >= nextTry { connect() }
            if socket < 0 { link.giveUpOverdue(by: now, LinkThread.uncertain) }
            if socket >= 0 { queueOutput() }
            tellDropped()
            if link.isClosed, waiting.isEmpty, !link.hasRequests || socket < 0 { break }
            wait()
        }
        if socket >= 0 { close(socket) }
        link.giveUpUrgent(HarkError(.disconnected, "the link was closed"))
        link.giveUpOverdue(LinkThread.uncertain)
    }

    private func tellDropped() {
        guard link.hasDropped, now >= nextTelling else { return }
        link.tellDropped()
        nextTelling = now + LinkThread.tellingPause
    }

    // MARK: Connecting

    private func connect() {
        for place in link.places {
            switch place.connect() {
            case .success(let descriptor):
                socket = descriptor
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
                reader = LineReader()
                greet()
                if isAway || !wasConnected { link.notify(.connected) }
                (isAway, wasConnected) = (false, true)
                return
            case .failure(let failure):
                if !failure.isAbsent { return fail("harkd does not answer on \(place.path): \(failure.text)") }
            }
        }
        fail("harkd does not run: there is no socket at \(link.places.map(\.path).joined(separator: " or "))")
    }

    private func fail(_ message: String) {
        if !isAway { link.notify(.disconnected) }
        isAway = true
        pause = min(max(pause * 2, 100), LinkThread.longestPause)
        nextTry = now + pause
        link.giveUpUrgent(HarkError(.notRunning, message))
    }

    /// Asks for the daemon's features.
    private func greet() {
        greeting = nextID
        RequestLine.append(to: &output, id: nextID, method: MethodShape.hello.name, params: Array("{}".utf8))
        nextID += 1
    }

    private func takeGreeting(_ answer: Link.Answer) {
        greeting = nil
        pause = 0
        guard case .success(let hello) = answer else {
            knowsProducers = false
            return
        }
        knowsProducers = hello.hasFeature(.producer)
    }

    private func disconnect() {
        close(socket)
        socket = -1
        output = []
        sent = 0
        greeting = nil
        unattributed = []
        let lost = waiting.sorted { $0.key < $1.key }.map(\.value)
        waiting = [:]
        let gone = lost.filter { $0.number == nil }
        let uncertain = gone.count { $0.isPatient }
        if uncertain > 0 { link.notify(.uncertain(uncertain)) }
        if !isAway { link.notify(.disconnected) }
        isAway = true
        for request in gone { request.answer(.failure(LinkThread.uncertain)) }
        if !gone.isEmpty { link.answered(gone.count) }
        link.giveBack(
            lost.filter { $0.number != nil }.map { request in
                var request = request
                if !request.isPatient { request.deadline = request.deadline ?? now + LinkThread.patience }
                return request
            })
        // If a daemon ends as soon as it gets requests, they are not sent again at once.
        nextTry = now + pause
        pause = min(max(pause * 2, 100), LinkThread.longestPause)
    }

    // MARK: Sending and receiving

    private func queueOutput() {
        guard greeting == nil, output.count - sent < 1 << 16 else { return }
        for request in link.take() {
            var request = request
            if request.isRepeatable, knowsProducers, request.number == nil {
                lastNumber += 1
                request.number = lastNumber
            }
            let params = request.number.map { numbered(request.params, $0) } ?? request.params
            RequestLine.append(to: &output, id: nextID, method: request.method.name, params: params)
            waiting[nextID] = request
            nextID += 1
        }
    }

    /// Returns the params with the producer and a number.
    private func numbered(_ params: [UInt8], _ number: Int64) -> [UInt8] {
        // There is always a member before it: the app.
        var numbered = Array(params.dropLast()) + [.comma]
        producer.append(number, to: &numbered)
        return numbered + [.closeBrace]
    }

    private func wait() {
        var descriptors = [pollfd(fd: link.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
        if socket >= 0 {
            let events = POLLIN | (sent < output.count ? POLLOUT : 0)
            descriptors.append(pollfd(fd: socket, events: Int16(events), revents: 0))
        }
        // Without a connection, the next attempt is due by time if there is something to send.
        var timeout = socket < 0 && link.hasRequests ? CInt(max(nextTry - now, 1)) : -1
        if link.hasDropped {
            let telling = CInt(max(nextTelling - now, 1))
            timeout = timeout < 0 ? telling : min(timeout, telling)
        }
        if socket < 0, let deadline = link.nextDeadline {
            let left = CInt(max(deadline - now, 1))
            timeout = timeout < 0 ? left : min(timeout, left)
        }
        let count = poll(&descriptors, nfds_t(descriptors.count), timeout)
        guard count > 0 else { return }
        if descriptors[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 256)
            while read(link.wakeDescriptor, &bytes, bytes.count) == bytes.count {}
        }
        guard socket >= 0, descriptors.count > 1, descriptors[1].revents != 0 else { return }
        if descriptors[1].revents & Int16(POLLOUT) != 0 { flush() }
        if socket >= 0, descriptors[1].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { receive() }
    }

    /// Milliseconds on a monotonic clock.
    private var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
    }

    private func flush() {
        while sent < output.count {
            let count = output.withUnsafeBytes {
                send(socket, $0.baseAddress?.advanced(by: sent), output.count - sent, CInt(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { return disconnect() }
            sent += count
        }
        output.removeAll(keepingCapacity: output.capacity <= 1 << 20)
        sent = 0
    }

    private func receive() {
        while socket >= 0 {
            let descriptor = socket
            switch reader.fill({ recv(descriptor, $0, $1, 0) }) {
            case .bytes:
                var answered = 0
                while let line = reader.next() { answered += take(line) }
                answered += attribute()
                link.answered(answered)
            case .nothing: return
            case .end, .failed, .tooLong: return disconnect()
            }
        }
    }

    private func take(_ line: ArraySlice<UInt8>) -> Int {
        do {
            switch try Incoming(ArraySlice(Array(line))) {
            case .result(let id?, let result): return answer(id, .success(result))
            case .error(let id?, let error): return answer(id, .failure(HarkError(error)))
            case .error(nil, let error): unattributed.append(HarkError(error))
            case .result(nil, _), .notification: break
            }
        } catch {
            link.notify(.refused(HarkError(error)))
        }
        return 0
    }

    /// Matches refusals without an id, which is possible once no other requests wait.
    private func attribute() -> Int {
        guard !unattributed.isEmpty, unattributed.count == waiting.count else { return 0 }
        let refused = zip(waiting.sorted { $0.key < $1.key }, unattributed)
        (waiting, unattributed) = ([:], [])
        var count = 0
        for ((_, request), error) in refused {
            request.answer(.failure(error))
            count += 1
        }
        return count
    }

    private func answer(_ id: Int64, _ answer: Link.Answer) -> Int {
        if id == greeting {
            takeGreeting(answer)
            return 0
        }
        guard let request = waiting.removeValue(forKey: id) else { return 0 }
        request.answer(answer)
        return 1
    }
}
