internal import CMosquitto

/// Collects the reports of the library's callbacks during a call, for delivery after it: the receiver may call the library
/// again, and end the connection.
///
/// It belongs to one connection, and like that to one thread at a time: not to the loop's while the host is resolved.
final class MosquittoInbox {
    enum Entry {
        case answered(MosquittoAnswer)
        /// The broker ends the connection; MQTT 5 only.
        case dismissed(code: Int32)
        case message(MQTTClient.Message)
        case dropped(topic: String, reason: String)
        /// The broker accepted or refused a message with a QoS above 0.
        case acknowledged(number: Int32, code: Int32)
        case subscribed(number: Int32, codes: [Int32])
    }

    private let functions: UnsafePointer<hark_mosquitto>
    private let maxPayloadBytes: Int
    private(set) var entries: [Entry] = []
    private var bytes = 0
    /// The first few OpenSSL error codes.
    private(set) var tlsErrors: [UInt32] = []
    /// OpenSSL's verification result for the peer's certificate, read with the first error; later it may be gone.
    private(set) var verified: Int?
    /// The library's error message, which never quotes a broker.
    private(set) var complaint: String?

    init(_ functions: UnsafePointer<hark_mosquitto>, maxPayloadBytes: Int) {
        self.functions = functions
        self.maxPayloadBytes = maxPayloadBytes
    }

    /// Removes and returns all entries.
    func take() -> [Entry] {
        defer {
            entries = []
            bytes = 0
        }
        return entries
    }

    /// Whether there are enough entries for one turn of the loop.
    var isFull: Bool { bytes >= 1 << 20 || entries.count >= 256 }

    private func add(_ entry: Entry, bytes: Int = 0) {
        entries.append(entry)
        self.bytes += bytes
    }

    // MARK: Callbacks

    /// Registers the callbacks; this object must live as long as `client`.
    func listen(to client: OpaquePointer) {
        let functions = functions.pointee
        functions.connect_v5_callback_set(client) { _, inbox, code, _, properties in
            let inbox = MosquittoInbox.of(inbox)
            inbox.add(.answered(MosquittoAnswer(code: code, properties, inbox.functions)))
        }
        functions.disconnect_v5_callback_set(client) { _, inbox, code, _ in
            MosquittoInbox.of(inbox).add(.dismissed(code: code))
        }
        functions.publish_v5_callback_set(client) { _, inbox, number, code, _ in
            MosquittoInbox.of(inbox).add(.acknowledged(number: number, code: code))
        }
        functions.subscribe_v5_callback_set(client) { _, inbox, number, count, codes, _ in
            let codes = UnsafeBufferPointer(start: codes, count: Int(max(0, count)))
            MosquittoInbox.of(inbox).add(.subscribed(number: number, codes: Array(codes)))
        }
        functions.message_callback_set(client) { _, inbox, message in
            guard let message else { return }
            let inbox = MosquittoInbox.of(inbox)
            inbox.take(message.pointee)
            // This is the only bound on the data that one call reads from a broker that sends without end.
            if inbox.isFull { hark_mosquitto_pause() }
        }
        functions.log_callback_set(client) { client, inbox, level, line in
            guard let line else { return }
            MosquittoInbox.of(inbox).note(String(cString: line), isError: level & Int32(MOSQ_LOG_ERR) != 0, client)
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MosquittoInbox {
        // The context of `mosquitto_new`; the connection frees the library's side before it is released.
        Unmanaged<MosquittoInbox>.fromOpaque(context!).takeUnretainedValue()
    }

    private func take(_ message: mosquitto_message) {
        let count = Int(message.payloadlen)
        // UTF-8 without control characters; for anything else the library ends the connection, as MQTT requires.
        let topic = String(cString: message.topic)
        guard count <= maxPayloadBytes else {
            let reason = "a message of \(count) bytes, where \(maxPayloadBytes) are the most"
            return add(.dropped(topic: topic, reason: reason))
        }
        let payload = [UInt8](UnsafeRawBufferPointer(start: message.payload, count: count))
        add(
            .message(MQTTClient.Message(topic: topic, payload: payload, isRetained: message.retain)),
            bytes: count + topic.utf8.count)
    }

    /// Forgets all errors.
    func forgive() {
        tlsErrors = []
        verified = nil
        complaint = nil
    }

    private func note(_ line: String, isError: Bool, _ client: OpaquePointer?) {
        guard isError else {
            if line.hasSuffix("sending CONNECT") { noteRefusal(client) }
            return
        }
        // "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"
        let parts = line.split(separator: ":", maxSplits: 3)
        if line.hasPrefix("OpenSSL Error"), parts.count > 2, let number = UInt32(parts[2], radix: 16) {
            if tlsErrors.count < 8 { tlsErrors.append(number) }
            if verified == nil {
                verified = functions.pointee.ssl_get(client).map { functions.pointee.verify_result($0) }
            }
        } else if complaint == nil {
            complaint = line
        }
    }

    /// Over the loopback, a broker may have shaken hands already and refused right after. Its answer must be read here:
    /// a write would find the connection broken, and then the library reads no more.
    private func noteRefusal(_ client: OpaquePointer?) {
        let calls = functions.pointee
        guard let tls = calls.ssl_get(client), calls.is_handshake_done(tls) != 0 else { return }
        var byte: UInt8 = 0
        guard calls.peek(tls, &byte, 1) <= 0 else { return }
        let number = calls.take_error()
        if number != 0 { tlsErrors.append(UInt32(truncatingIfNeeded: number)) }
    }
}
