internal import CMosquitto
package import HarkSystem

/// A client of an MQTT broker on the event loop, over libmosquitto, which is loaded when this is first started.
///
/// It connects again by itself, and speaks MQTT 5, or 3.1.1 where a broker does not know it. Sessions are clean: after each
/// `connected` there are no subscriptions, and what was published and not confirmed by then is forgotten. While it is connected
/// and nothing happens, there is no thread and one wake-up each keep-alive.
@DaemonActor
package final class MQTTClient {
    private let loop: EventLoop
    private let options: Options
    private let onEvent: @DaemonActor (Event) -> Void
    private var connection: MQTTConnection?
    /// One that has ended, while its host is still being looked up: no other begins before, so there is one thread at most.
    private var lingering: MQTTConnection?
    private var timer: TimerSource?
    private var manner = MQTTConnection.Manner()
    /// Whether a broker was connected to in this version of MQTT.
    private var isVersionKnown = false
    private var failures = 0
    /// When the broker was connected to; microseconds of the monotonic clock.
    private var since: UInt64?
    /// It is time for another try, once that is possible.
    private var isDue = false
    private var isStarted = false
    private var isClosed = false

    /// Why the last connection ended, or there is none; nil while there is one.
    package private(set) var lastFailure: MQTTFailure?

    /// - Parameter onEvent: called on turns of the loop of their own, never within a call of this object; it may call anything
    ///   here.
    package init(loop: EventLoop, options: Options, onEvent: @escaping @DaemonActor (Event) -> Void) {
        self.loop = loop
        self.options = options
        self.onEvent = onEvent
    }

    isolated deinit { close() }

    package var isConnected: Bool { since != nil }

    /// The longest packet that the broker takes, as it said; longer ones are not sent. Nil where it has not said so.
    package var maxPacketBytes: Int? { connection?.maxPacketBytes }

    /// Whether something that was published waits to be written; `drained` tells when it does no more.
    package var hasUnwritten: Bool { connection?.handle?.wantsToWrite ?? false }

    /// Begins to connect; saying it again changes nothing.
    package func start() {
        guard !isStarted, !isClosed else { return }
        isStarted = true
        connect()
    }

    /// Says goodbye to the broker, so that it does not tell the last will, and lets go of everything; no event comes any more.
    ///
    /// It does not wait: what could not be written yet is lost, and then the broker tells the will. See `hasUnwritten`.
    package func close() {
        isClosed = true
        since = nil
        timer?.cancel()
        timer = nil
        connection?.close()
        connection = nil
        // If its host is being looked up, it frees itself.
        lingering = nil
    }

    /// Tries to connect at once where it would wait, or waits in vain for a network that is not the one there is now.
    package func networkReturned() {
        guard isStarted, !isClosed, since == nil else { return }
        failures = 0
        if let connection, !connection.isLookingUp {
            self.connection = nil
            connection.close()
        }
        if connection == nil { connect() }
    }

    /// Asks for what is published to topics, in which `+` and `#` stand for others. Does nothing while there is no connection.
    ///
    /// - Parameter qos: 0, or 1 where the broker shall send again what it gets no confirmation of.
    package func subscribe(_ topics: [String], qos: Int32 = 0) {
        guard isConnected else { return }
        connection?.subscribe(topics, qos: qos)
    }

    /// Hands a message to the broker, as far as that can be done now; the rest waits in memory, without a bound.
    ///
    /// - Parameter qos: 0, or 1 for being told in `refused` that the broker does not take it (MQTT 5). More than the broker takes
    ///   is lowered.
    /// - Returns: false if it is not sent: without a connection, with a topic that cannot be, or longer than the broker takes.
    package func publish(_ topic: String, _ payload: [UInt8], retained: Bool = false, qos: Int32 = 0) -> Bool {
        guard isConnected, let connection else { return false }
        return connection.publish(topic, payload, isRetained: retained, qos: qos)
    }

    // MARK: Connecting

    private func connect() {
        timer?.disarm()
        isDue = lingering != nil
        guard !isDue, !isClosed, connection == nil else { return }
        let connection = MQTTConnection(loop: loop, options: options, manner: manner) { [weak self] in
            self?.take($1, of: $0)
        }
        self.connection = connection
        connection.begin()
    }

    private func take(_ news: MQTTConnection.News, of connection: MQTTConnection) {
        if case .returned = news, connection === lingering {
            lingering = nil
            if isDue { connect() }
        }
        guard connection === self.connection else { return }
        switch news {
        case .established:
            isVersionKnown = true
            since = SystemClock.monotonicMicroseconds
            lastFailure = nil
            onEvent(.connected)
        case .event(let event): onEvent(event)
        case .ended(let failure): end(connection, failure)
        case .returned: break
        }
    }

    private func end(_ connection: MQTTConnection, _ failure: MQTTFailure) {
        self.connection = nil
        if connection.isLookingUp { lingering = connection }
        // A broker that ends connections soon is not asked again as if all were well.
        if let since, SystemClock.monotonicMicroseconds - since >= Self.steadyMicroseconds { failures = 0 }
        since = nil
        // A host without an address of the older internet fails for a reason of no use to anybody.
        let failure = connection.manner.isIPv4Only && failure.kind == .unreachable ? lastFailure ?? failure : failure
        lastFailure = failure
        let wasOlder = manner.version != MQTT_PROTOCOL_V5
        manner.isIPv4Only = connection.isIPv4WorthATry
        if connection.isOtherVersionWorthATry, failure.kind == .refused || !isVersionKnown {
            manner.version = wasOlder ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
            isVersionKnown = false
            // Nothing is wrong yet.
            if !wasOlder { return connect() }
        }
        failures += 1
        retry()
        onEvent(.disconnected(failure))
    }

    private func retry() {
        let backoff = Backoff(base: options.firstRetrySeconds, cap: 60)
        let most = backoff.wait(afterFailures: failures, dice: 1)
        // At least half of it, or a few would soon ask all the time; the other half by chance, or all would come together.
        let seconds = (most + most * Double.random(in: 0...1)) / 2
        do {
            let timer = try timer ?? loop.timer(clock: .monotonic) { [weak self] in self?.connect() }
            timer.arm(afterMicroseconds: UInt64(seconds * 1_000_000))
            self.timer = timer
        } catch {
            // Timers of one kind share one descriptor, so only memory can be short; another network lets it try again.
            Log.error("the broker is not connected to again: \(error)")
        }
    }

    private static let steadyMicroseconds: UInt64 = 10_000_000
}
