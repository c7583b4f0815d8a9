internal import CMosquitto
internal import HarkSystem

/// One connection to a broker, from looking up its host to its end, on the event loop.
///
/// libmosquitto blocks while it looks a host up, so that is done on a thread that lives only as long; nobody else touches the
/// handle meanwhile, and that of a connection that was closed during it is freed when the thread is back.
@DaemonActor
final class MQTTConnection {
    enum News {
        case established
        case event(MQTTClient.Event)
        /// The last of it, but for `returned`.
        case ended(MQTTFailure)
        /// The thread that looked the host up is back, after the end.
        case returned
    }

    /// How it is tried to connect.
    struct Manner: Equatable, Sendable {
        /// Of MQTT, as libmosquitto numbers them.
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
    /// First for the end of patience, then for the keep-alive.
    private var timer: TimerSource?
    /// The socket was ready once, so there is somebody at the other end.
    var isReached = false
    /// The broker ended the connection when it heard the version of MQTT, or said that it does not speak it.
    var isOtherVersionWorthATry = false
    /// The other end was tried by IPv6, and did not answer.
    var isIPv4WorthATry = false
    private var isToBeReadAgain = false
    /// Something waits to be written, and whoever publishes does not know yet that it is not so any more.
    private var isWaitingToWrite = false
    private var refusal: MosquittoAnswer?
    private var dismissal: Int32?
    private var keepAliveSeconds: Int
    /// The highest quality of service that the broker takes.
    private(set) var maxQoS: Int32 = 2
    /// The longest packet that the broker takes; nil where it has not said so.
    private(set) var maxPacketBytes: Int?
    /// Microseconds of the monotonic clock: when something last came, and went.
    private var lastIn: UInt64 = 0
    private var lastOut: UInt64 = 0
    /// How many bytes were read when last a packet was whole.
    var understoodBytes = 0
    /// What the broker has to answer yet, by the number of the packet.
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

    // MARK: Beginning

    func begin() {
        do {
            let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 100_000) { [weak self] in self?.ring() }
            timer.arm(afterMicroseconds: UInt64(max(0.001, options.connectSeconds) * 1_000_000))
            self.timer = timer
        } catch {
            // Nobody is told of an end within the call that began it.
            DaemonActor.post { [self] in end(MQTTFailure(.system, "no broker can be connected to: \(error)")) }
            return
        }
        isLookingUp = true
        let thread = WorkerThread(name: "hark-mqtt")
        thread.perform { [self, options, manner] in
            let result = Result { () throws(MQTTFailure) in
                try MosquittoHandle(options, version: manner.version, isIPv4Only: manner.isIPv4Only)
            }
            // The last thing the thread does, so closing it takes no time.
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
        // OpenSSL begins when there is a connection; from then on it waits for what comes, and writable is a socket nearly always.
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

    /// False when that was the end.
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
            // The socket does not tell of what TLS has read already.
            isToBeReadAgain = true
            DaemonActor.post { [weak self] in
                self?.isToBeReadAgain = false
                self?.act(.read)
            }
        }
        return true
    }

    /// To be called after each call that may have had the library write.
    func noteWriting() {
        lastOut = SystemClock.monotonicMicroseconds
        guard let handle else { return }
        if handle.wantsToWrite { isWaitingToWrite = true }
        socket?.setInterest(interest(handle))
    }

    /// Hands out what came; false when that was the end.
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
            // Numbers of MQTT 3.1.1 and 5.
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

    /// The library asks for a sign of life when nothing went, or came, for so long, and has to be reminded then.
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

    /// A call told that the connection is over.
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

    /// A call of whoever uses this told so: it is not surprised by the end during it.
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

    /// Ends it without a word to whoever uses this. A broker that was connected is told, so that it does not tell the last will;
    /// what waits to be written before that and cannot be is lost, and the broker is not told then.
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
