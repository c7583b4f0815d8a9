internal import CMosquitto
package import HarkSystem
internal import HarkWire

/// A client of an MQTT broker on the event loop, using libmosquitto, which is loaded on the first start.
///
/// It reconnects automatically, and speaks MQTT 5, or 3.1.1 if the broker does not know it. Sessions are clean: after
/// each `connected` there are no subscriptions, and unconfirmed messages are forgotten. A connected, idle client needs
/// no thread and one wake-up per keep-alive.
@DaemonActor
package final class MQTTClient {
    private let loop: EventLoop
    private let options: Options
    private let onEvent: @DaemonActor (Event) -> Void
    private var connection: MQTTConnection?
    /// An ended connection whose host is still being resolved: the next waits for it, so there is one thread at most.
    private var lingering: MQTTConnection?
    private var timer: TimerSource?
    private var manner = MQTTConnection.Manner()
    /// Whether a connection with this version of MQTT has succeeded before.
    private var isVersionKnown = false
    private var failures = 0
    /// When the connection was established, in microseconds of the monotonic clock.
    private var since: UInt64?
    /// Whether another attempt is due, as soon as it is possible.
    private var isDue = false
    private var isStarted = false
    private var isClosed = false

    /// Why there is no connection; nil while there is one.
    package private(set) var lastFailure: MQTTFailure?

    /// - Parameter onEvent: Called in separate turns of the loop, never within a call of this object; it may call any
    ///   method.
    package init(loop: EventLoop, options: Options, onEvent: @escaping @DaemonActor (Event) -> Void) {
        self.loop = loop
        self.options = options
        self.onEvent = onEvent
    }

    isolated deinit { close() }

    package var isConnected: Bool { since != nil }

    /// The longest packet that the broker accepts, as it has announced; longer ones are not sent. Nil if it has not.
    package var maxPacketBytes: Int? { connection?.maxPacketBytes }

    /// Whether published messages wait to be written; `drained` reports the end of that.
    package var hasUnwritten: Bool { connection?.handle?.wantsToWrite ?? false }

    /// Starts connecting; further calls have no effect.
    package func start() {
        guard !isStarted, !isClosed else { return }
        isStarted = true
        connect()
    }

    /// Disconnects cleanly, so that the broker publishes no last will, and releases everything; no more events come.
    ///
    /// It does not wait: unwritten messages are lost, and then the broker publishes the will. See `hasUnwritten`.
    package func close() {
        isClosed = true
        since = nil
        timer?.cancel()
        timer = nil
        connection?.close()
        connection = nil
        // If its host is being resolved, it frees itself.
        lingering = nil
    }

    /// Connects at once, because the network has returned; gives up an attempt over the old network.
    package func networkReturned() {
        guard isStarted, !isClosed, since == nil else { return }
        failures = 0
        if let connection, !connection.isLookingUp {
            self.connection = nil
            connection.close()
        }
        if connection == nil { connect() }
    }

    /// Subscribes to topics, which may contain the wildcards `+` and `#`. Does nothing without a connection.
    ///
    /// - Parameter qos: 0, or 1 if the broker should repeat unconfirmed messages.
    package func subscribe(_ topics: [String], qos: Int32 = 0) {
        guard isConnected else { return }
        connection?.subscribe(topics, qos: qos)
    }

    /// Sends a message, as far as possible now; the rest waits in memory, without a bound.
    ///
    /// - Parameter qos: 0, or 1 to get `refused` if the broker rejects it (MQTT 5); lowered to the broker's maximum.
    /// - Returns: False if it is not sent: without a connection, with an invalid topic, or if it is too long for the
    ///   broker.
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
        // A connection that ends soon does not reset the count of failures.
        if let since, SystemClock.monotonicMicroseconds - since >= Self.steadyMicroseconds { failures = 0 }
        since = nil
        // A host without an IPv4 address always fails over IPv4; the earlier failure says more.
        let failure = connection.manner.isIPv4Only && failure.kind == .unreachable ? lastFailure ?? failure : failure
        lastFailure = failure
        let wasOlder = manner.version != MQTT_PROTOCOL_V5
        manner.isIPv4Only = connection.isIPv4WorthATry
        if connection.isOtherVersionWorthATry, failure.kind == .refused || !isVersionKnown {
            manner.version = wasOlder ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
            isVersionKnown = false
            // Not a failure yet.
            if !wasOlder { return connect() }
        }
        failures += 1
        retry()
        onEvent(.disconnected(failure))
    }

    private func retry() {
        let backoff = Backoff(base: options.firstRetrySeconds, cap: 60)
        let most = backoff.wait(afterFailures: failures)
        // At least half, so that a few clients do not ask constantly; the rest is random, to spread many clients.
        let seconds = (most + most * Double.random(in: 0...1)) / 2
        do {
            let timer = try timer ?? loop.timer(clock: .monotonic) { [weak self] in self?.connect() }
            timer.arm(afterMicroseconds: UInt64(seconds * 1_000_000))
            self.timer = timer
        } catch {
            // Timers of one kind share a descriptor, so only memory can be short; a network change retries.
            Log.error("the broker is not connected to again: \(error)")
        }
    }

    private static let steadyMicroseconds: UInt64 = 10_000_000
}
