internal import CMosquitto
internal import Glibc
internal import Synchronization

/// A connection in libmosquitto: its handle, created for each connection, so that no state remains from the last and
/// certificate files are read again.
///
/// Only one thread may use it at a time: first the one that resolves the host, then the loop's.
final class MosquittoHandle: @unchecked Sendable {
    let inbox: MosquittoInbox
    /// The errno of the successful start of connecting.
    private(set) var beginningError: Int32 = 0
    private let library: MosquittoLibrary
    let verdict: MosquittoVerdict
    private var client: OpaquePointer?

    /// Starts connecting. Blocks while the host is resolved, and reads files.
    ///
    /// - Parameters:
    ///   - version: The version of MQTT, as the library numbers it.
    ///   - isIPv4Only: Whether IPv6 is not tried.
    init(_ options: MQTTClient.Options, version: Int32, isIPv4Only: Bool) throws(MQTTFailure) {
        library = try MosquittoLibrary.load(options.library)
        inbox = MosquittoInbox(library.functions, maxPayloadBytes: options.maxPayloadBytes)
        verdict = MosquittoVerdict(options, library.functions)
        // The library checks this too, but for an invalid id it closes descriptor 0, even if that is another file.
        guard Self.isClientId(options.clientId) else {
            throw verdict.invalid("the client id must be a text of 1 to 65535 bytes without control characters")
        }
        let texts = [options.userName, options.password, options.will?.topic].compactMap { $0 }
        guard !texts.contains(where: { $0.utf8.contains(0) }) else {
            throw verdict.invalid("user, password and the topic of the last will must not hold the character U+0000")
        }
        let context = Unmanaged.passUnretained(inbox).toOpaque()
        guard let client = library.functions.pointee.new(options.clientId, true, context) else {
            throw verdict.outOfMemory
        }
        self.client = client
        do {
            inbox.listen(to: client)
            try configure(client, options, version)
            try connect(client, options, isIPv4Only)
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// Closes the connection as it is, and frees its memory; later calls do nothing.
    func close() {
        guard let client else { return }
        self.client = nil
        library.functions.pointee.destroy(client)
    }

    /// Whether MQTT allows the id: no control characters and no code points that are noncharacters.
    private static func isClientId(_ text: String) -> Bool {
        (1...65_535).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                switch $0.value {
                case 0..<0x20, 0x7f..<0xa0, 0xfdd0...0xfdef: false
                default: $0.value & 0xfffe != 0xfffe
                }
            }
    }

    // MARK: Connecting

    private func configure(
        _ client: OpaquePointer, _ options: MQTTClient.Options, _ version: Int32
    ) throws(MQTTFailure) {
        let functions = library.functions.pointee
        try check(functions.int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version))
        try check(functions.int_option(client, MOSQ_OPT_TCP_NODELAY, 1))
        if options.userName != nil || options.password != nil {
            // A password without a user requires MQTT 5.
            let code = functions.username_pw_set(client, options.userName ?? "", options.password)
            try check(code, "user and password must be texts of at most 65535 bytes")
        }
        if let will = options.will {
            let code = will.payload.withUnsafeBytes {
                functions.will_set(client, will.topic, Int32($0.count), $0.baseAddress, 1, will.isRetained)
            }
            try check(code, "the last will needs a topic without wildcards, and a payload of at most 65535 bytes")
        }
        if options.address.isSecure { try secure(client, options) }
        if version == MQTT_PROTOCOL_V5 { announceLimit(client, options) }
    }

    private func secure(_ client: OpaquePointer, _ options: MQTTClient.Options) throws(MQTTFailure) {
        if let file = options.authoritiesFile { try verdict.checkFile(file, "authorities to trust", .certificate) }
        if let file = options.certificateFile { try verdict.checkFile(file, "our certificate", .ownCertificate) }
        if let file = options.keyFile { try verdict.checkFile(file, "our key", .ownCertificate) }
        guard (options.certificateFile == nil) == (options.keyFile == nil) else {
            throw MQTTFailure(
                .ownCertificate, "a certificate of our own needs its key, and a key its certificate: name both")
        }
        let functions = library.functions.pointee
        if options.authoritiesFile == nil { try check(functions.int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1)) }
        // A folder with hashed names, so that only the needed certificate is read.
        let folder = options.authoritiesFile == nil ? "/etc/ssl/certs" : nil
        let code = functions.tls_set(
            client, options.authoritiesFile, folder, options.certificateFile, options.keyFile,
            hark_mosquitto_no_password)
        try check(code)
    }

    /// Announces the longest accepted packet to the broker.
    private func announceLimit(_ client: OpaquePointer, _ options: MQTTClient.Options) {
        let functions = library.functions.pointee
        var properties: OpaquePointer?
        defer { functions.property_free_all(&properties) }
        // The topic and the other parts of a packet besides the payload.
        let size = UInt32(min(Int(UInt32.max), options.maxPayloadBytes + 65_535 + 32))
        guard
            functions.property_add_int32(&properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), size)
                == MOSQ_ERR_SUCCESS.rawValue
        else { return }
        // Only the blocking connect function takes such properties. It keeps them for later connections before it notices that
        // there is no host. If another version does not keep them, the broker only misses the limit.
        _ = functions.connect_bind_v5(client, nil, 0, 0, nil, properties)
    }

    private func connect(
        _ client: OpaquePointer, _ options: MQTTClient.Options, _ isIPv4Only: Bool
    ) throws(MQTTFailure) {
        let functions = library.functions
        var error: Int32 = 0
        func begin() -> Int32 {
            var code: Int32 = 0
            // Over the loopback, a broker may shake hands, refuse and close within this call, at a moment when its
            // answer is not read.
            for _ in 1...5 {
                inbox.forgive()
                code = hark_mosquitto_connect(
                    functions, client, options.address.host, Int32(options.address.port),
                    Int32(options.keepAliveSeconds), isIPv4Only ? "0.0.0.0" : nil, &error)
                guard code == MOSQ_ERR_ERRNO.rawValue, error == EPROTO, inbox.tlsErrors.isEmpty else { break }
            }
            return code
        }
        let code =
            !options.address.isSecure
            ? begin()
            : library.isPrepared.withLock { isPrepared -> Int32? in
                guard !isPrepared else { return nil }
                let code = begin()
                isPrepared = code <= MOSQ_ERR_SUCCESS.rawValue
                return code
            } ?? begin()
        guard code <= MOSQ_ERR_SUCCESS.rawValue else { throw verdict.connecting(code, error, inbox) }
        beginningError = error
    }

    private func check(_ code: Int32, _ advice: String? = nil) throws(MQTTFailure) {
        switch code {
        case MOSQ_ERR_SUCCESS.rawValue: return
        case MOSQ_ERR_NOMEM.rawValue: throw verdict.outOfMemory
        default:
            throw verdict.invalid(advice ?? "libmosquitto does not take it (\(verdict.text(of: code)))")
        }
    }

    // MARK: Connected

    /// Negative once the library has closed it.
    var socket: Int32 { client.map { library.functions.pointee.socket($0) } ?? -1 }
    var wantsToWrite: Bool { client.map { library.functions.pointee.want_write($0) } ?? false }
    private var tls: UnsafeMutableRawPointer? { client.flatMap { library.functions.pointee.ssl_get($0) } }
    var isShakingHands: Bool { tls.map { library.functions.pointee.is_handshake_done($0) == 0 } ?? false }
    /// Whether there is buffered input that the socket does not report.
    var hasPending: Bool { tls.map { library.functions.pointee.pending($0) > 0 } ?? false }

    /// The result of a call of the library.
    struct Result {
        let code: Int32
        let error: Int32

        var isFine: Bool { code == MOSQ_ERR_SUCCESS.rawValue }
        var wouldBlock: Bool { error == EAGAIN }
    }

    func read() -> Result { call { hark_mosquitto_read($0, $1, &$2) } }
    func write() -> Result { call { hark_mosquitto_write($0, $1, &$2) } }
    /// Sends a ping if it is due, and checks for the answer to the last one.
    func keepAlive() -> Result {
        call {
            $2 = 0
            return $0.pointee.loop_misc($1)
        }
    }

    func publish(
        _ topic: String, _ payload: [UInt8], qos: Int32, isRetained: Bool
    ) -> (result: Result, number: Int32) {
        var number: Int32 = 0
        let result = call { functions, client, error in
            payload.withUnsafeBytes {
                hark_mosquitto_publish(
                    functions, client, &number, topic, Int32($0.count), $0.baseAddress, qos, isRetained, &error)
            }
        }
        return (result, number)
    }

    func subscribe(_ topics: [String], qos: Int32) -> (result: Result, number: Int32) {
        var number: Int32 = 0
        let texts = topics.map { strdup($0) }
        defer { for text in texts { free(text) } }
        let result = call { functions, client, error in
            error = 0
            return texts.withUnsafeBufferPointer {
                functions.pointee.subscribe_multiple(client, &number, Int32($0.count), $0.baseAddress, qos, 0, nil)
            }
        }
        return (result, number)
    }

    /// Disconnects cleanly, so that the broker does not publish the last will.
    func disconnect() {
        _ = call {
            $2 = 0
            return $0.pointee.disconnect($1)
        }
    }

    /// Stops the log callback, for which the library formats each packet; only results report errors from now on.
    func stopLogging() { if let client { library.functions.pointee.log_callback_set(client, nil) } }

    private func call(
        _ body: (UnsafePointer<hark_mosquitto>, OpaquePointer, inout Int32) -> Int32
    ) -> Result {
        guard let client else { return Result(code: MOSQ_ERR_NO_CONN.rawValue, error: 0) }
        // OpenSSL has one error queue per thread, for all connections; while it has any entry, every call of OpenSSL
        // seems to have failed. The library (2.0.11) does not clear it: a connection closed during its handshake, of
        // this library or another, would make the others fail.
        library.functions.pointee.clear_errors()
        var error: Int32 = 0
        let code = body(library.functions, client, &error)
        return Result(code: code, error: error)
    }

    // MARK: Failures

    /// The failure of a call that ended the connection.
    func failure(_ result: Result, isEstablished: Bool) -> MQTTFailure {
        verdict.failing(result, inbox, isEstablished: isEstablished)
    }
}
