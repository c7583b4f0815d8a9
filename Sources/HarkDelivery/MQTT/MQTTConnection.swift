internal import CMosquitto
internal import HarkSystem

/// A connection to a broker, from resolving its host to its end, on the event loop.
///
/// libmosquitto blocks while it resolves a host, so that runs on a temporary thread. No other thread uses the handle
/// meanwhile; if the connection is closed during that, the handle is freed when the thread is done.
@DaemonActor
final class MQTTConnection {
    enum News {
        case established
        case event(MQTTClient.Event)
        /// The last news, except for `returned`.
        case ended(MQTTFailure)
        /// The resolving thread has finished after the end.
        case returned
    }

    /// The way to connect.
    struct Manner: Equatable, Sendable {
        /// The version of MQTT, as libmosquitto numbers it.
        var version = MQTT_PROTOCOL_V5
        var isIPv4Only = false
    }

    enum Stage { case lookingUp, connecting, established, over }

    let manner: Manner
    let options: MQTTClient.Options
    let tell: @DaemonActor (MQTTConnection, News) -> Void
    private let loop: EventLoop
    private(set) var stage = Stage.lookingUp
    private(set) var isLookingUp = false
    private(set) var handle: MosquittoHandle?
    private(set) var socket: MQTTSocket?
    /// The timer of the connect timeout, then of the keep-alive.
    private var timer: TimerSource?
    /// Whether the socket was ready once, so that the peer exists.
    var isReached = false
    /// Whether the broker ended the connection after reading the version of MQTT, or rejected that version.
    var isOtherVersionWorthATry = false
    /// Whether an attempt over IPv6 got no answer.
    var isIPv4WorthATry = false
    private var isToBeReadAgain = false
    /// Whether data waits to be written and the caller has not been notified yet that it was.
    private var isWaitingToWrite = false
    private var refusal: MosquittoAnswer?
    private var dismissal: Int32?
    private var keepAliveSeconds: Int
    /// The highest QoS that the broker accepts.
    private(set) var maxQoS: Int32 = 2
    /// The longest packet that the broker accepts; nil if it has not announced one.
    private(set) var maxPacketBytes: Int?
    /// When a packet was last received, and sent, in microseconds of the monotonic clock.
    private var lastIn: UInt64 = 0
    private var lastOut: UInt64 = 0
    /// The number of bytes read up to the last complete packet.
    var understoodBytes = 0
    /// The requests without an answer yet, by packet number.
    var subscriptions: [Int32: [String]] = [:]
    var publications: [Int32: (topic: String, bytes: Int)] = [:]

    init(
        loop: EventLoop, options: MQTTClient.Options, manner: Manner,
        tell: @escaping @DaemonActor (MQTTConnection, News) -> Void
    ) {
        self.loop = loop
        self.options = options
        self.manner = manner
        self.tell = tell
        keepAliveSeconds = options.keepAliveSeconds
    }

    // MARK: Connecting

    func begin() {
        do {
            let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 100_000) { [weak self] in self?.ring() }
            timer.arm(afterMicroseconds: UInt64(max(0.001, options.connectSeconds) * 1_000_000))
            self.timer = timer
        } catch {
            // An end is not reported within the call that began the connection.
            DaemonActor.post { [self] in end(MQTTFailure(.system, "no broker can be connected to: \(error)")) }
            return
        }
        isLookingUp = true
        let thread = WorkerThread(name: "hark-mqtt")
        thread.perform { [self, options, manner] in
            let result = Result { () throws(MQTTFailure) in
                try MosquittoHandle(options, version: manner.version, isIPv4Only: manner.isIPv4Only)
            }
            // The thread is done with everything else, so closing it does not block.
            DaemonActor.post { [self] in
                thread.close()
                found(result)
            }
        }
    }

    private func found(_ result: Result<MosquittoHandle, MQTTFailure>) {
        isLookingUp = false
        guard stage == .lookingUp else {
            if case .success(let handle) = result { handle.close() }
            return tell(self, .returned)
        }
        stage = .connecting
        do {
            let handle = try result.get()
            self.handle = handle
            socket = try MQTTSocket(loop, handle.socket, interest: interest(handle)) { [weak self] in self?.act($0) }
        } catch let failure as MQTTFailure {
            end(failure)
        } catch {
            end(MQTTFailure(.system, "no connection to \(options.address): \(error)"))
        }
    }

    // MARK: Reading and writing

    private func interest(_ handle: MosquittoHandle) -> Interest {
        // OpenSSL starts once connected. Then it only waits for input, while the socket is nearly always writable.
        if handle.isShakingHands { return isReached ? .read : [.read, .write] }
        return handle.wantsToWrite || isWaitingToWrite ? [.read, .write] : .read
    }

    private func act(_ readiness: Readiness) {
        guard let handle, stage != .over else { return }
        if stage == .connecting, let failure = faultBeforeAnswer(handle) { return end(failure) }
        let isFirst = !isReached
        if readiness.has([.read, .write]) { isReached = true }
        if readiness.has(.input) || (isFirst && handle.isShakingHands) {
            guard read(handle) else { return }
        }
        if readiness.has(.write), !handle.isShakingHands, handle.wantsToWrite {
            let result = handle.write()
            guard result.isFine, handle.socket >= 0 else { return conclude(handle, result) }
            lastOut = SystemClock.monotonicMicroseconds
            guard deliver(handle) else { return }
        }
        if isWaitingToWrite, !handle.wantsToWrite {
            isWaitingToWrite = false
            tell(self, .event(.drained))
            guard stage != .over else { return }
        }
        socket?.setInterest(interest(handle))
    }

    /// Returns false at the end of the connection.
    private func read(_ handle: MosquittoHandle) -> Bool {
        for _ in 0..<32 {
            let isShakingHands = handle.isShakingHands
            let result = handle.read()
            guard result.isFine, handle.socket >= 0 else {
                conclude(handle, result)
                return false
            }
            lastIn = SystemClock.monotonicMicroseconds
            if handle.inbox.entries.isEmpty, isTooMuch {
                end(handle.verdict.tooLarge())
                return false
            }
            if isShakingHands || result.wouldBlock || handle.inbox.isFull { break }
        }
        if !handle.inbox.entries.isEmpty { understoodBytes = socket?.bytesRead ?? understoodBytes }
        guard deliver(handle) else { return false }
        if handle.hasPending, !isToBeReadAgain {
            // The socket does not report data that TLS has buffered.
            isToBeReadAgain = true
            DaemonActor.post { [weak self] in
                self?.isToBeReadAgain = false
                self?.act(.read)
            }
        }
        return true
    }

    /// Updates the interest in writing; call it after each call of the library that may have written.
    func noteWriting() {
        lastOut = SystemClock.monotonicMicroseconds
        guard let handle else { return }
        if handle.wantsToWrite { isWaitingToWrite = true }
        socket?.setInterest(interest(handle))
    }

    /// Delivers received packets; returns false at the end of the connection.
    private func deliver(_ handle: MosquittoHandle) -> Bool {
        for entry in handle.inbox.take() {
            switch entry {
            case .answered(let answer): take(answer, handle)
            case .dismissed(let code): dismissal = code
            default: take(entry, handle.verdict)
            }
            guard stage != .over else { return false }
        }
        return true
    }

    private func take(_ answer: MosquittoAnswer, _ handle: MosquittoHandle) {
        guard answer.code == 0 else {
            // The codes of MQTT 3.1.1 and 5.
            isOtherVersionWorthATry =
                answer.code == 1 || answer.code == Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue)
            refusal = answer
            return
        }
        guard stage == .connecting else { return }
        stage = .established
        maxQoS = answer.maxQoS
        maxPacketBytes = answer.maxPacketBytes
        keepAliveSeconds = answer.keepAliveSeconds ?? keepAliveSeconds
        handle.stopLogging()
        timer?.disarm()
        lastOut = lastIn
        awaitKeepAlive()
        tell(self, .established)
    }

    // MARK: Time

    private func ring() {
        switch stage {
        case .lookingUp, .connecting:
            let isReached = socket?.isConnected ?? false
            isIPv4WorthATry = !isReached && isOverIPv6
            end(MosquittoVerdict.timedOut(options, isFound: handle != nil, isReached: isReached))
        case .established: keepAlive()
        case .over: break
        }
    }

    /// The library sends a ping after this time without sent, or received, packets, but must be called for it.
    private func awaitKeepAlive() {
        guard keepAliveSeconds > 0 else { return }
        timer?.arm(atMicroseconds: min(lastIn, lastOut) + UInt64(keepAliveSeconds) * 1_000_000)
    }

    private func keepAlive() {
        guard let handle else { return }
        let now = SystemClock.monotonicMicroseconds
        if min(lastIn, lastOut) + UInt64(keepAliveSeconds) * 1_000_000 <= now {
            let result = handle.keepAlive()
            guard result.isFine, handle.socket >= 0 else { return conclude(handle, result) }
            lastIn = now
            noteWriting()
        }
        awaitKeepAlive()
    }

    // MARK: The end

    /// Ends the connection after a failed call.
    private func conclude(_ handle: MosquittoHandle, _ result: MosquittoHandle.Result) {
        socket = nil
        let failure = handle.failure(result, isEstablished: stage == .established)
        guard deliver(handle) else { return }
        if let refusal {
            end(handle.verdict.refused(refusal))
        } else if result.isFine, let dismissal {
            end(handle.verdict.dismissed(dismissal))
        } else {
            end(failure)
        }
    }

    /// Ends the connection soon after a failed call of the user, who does not expect the end within that call.
    func concludeSoon(_ result: MosquittoHandle.Result) {
        DaemonActor.post { [weak self] in
            guard let self, let handle, stage != .over else { return }
            conclude(handle, result)
        }
    }

    private func end(_ failure: MQTTFailure) {
        guard release() else { return }
        tell(self, .ended(failure))
    }

    /// Closes the connection without an event. A connected broker is notified, so that it does not publish the last will; if data
    /// that must be written before cannot be, it is lost and the broker is not notified.
    func close() {
        if stage == .established { handle?.disconnect() }
        _ = release()
    }

    private func release() -> Bool {
        guard stage != .over else { return false }
        stage = .over
        timer?.cancel()
        timer = nil
        handle?.close()
        handle = nil
        socket = nil
        return true
    }
}
