import Glibc
import HarkDelivery
import HarkSystem
import HarkTesting
import Testing

/// Connections with TLS.
@Suite(.timeLimit(.minutes(45))) struct MQTTSecurityTests {
    @DaemonActor
    private func broker(
        _ loop: EventLoop, _ name: Certificates.Name = .server, more: String = ""
    ) async throws -> (Broker, Certificates) {
        let certificates = try await Certificates.shared(on: loop)
        let broker = try await Broker.start(on: loop) { _ in
            """
            allow_anonymous true
            certfile \(certificates.certificate(name))
            keyfile \(certificates.key(name))
            cafile \(certificates.authority)
            \(more)
            """
        }
        return (broker, certificates)
    }

    @Test("a thousand messages go each way, by name and by address", arguments: ["localhost", "127.0.0.1"])
    func messages(host: String) async throws {
        try await onLoop { loop in
            // Brokers drop what is more than they care to keep for a client.
            let (broker, certificates) = try await broker(loop, more: "max_queued_messages 0")
            @DaemonActor func peer() async throws -> Peer {
                try await Peer(loop, broker.url(secure: true, host: host)) {
                    $0.authoritiesFile = certificates.authority
                }
                .connected()
            }
            let one = try await peer()
            let other = try await peer()
            try await one.subscribe("one", qos: 1)
            try await other.subscribe("other", qos: 1)
            let payload = [UInt8](repeating: 7, count: 3000)
            for number in 0..<1000 {
                #expect(one.client.publish("other", [UInt8(number % 256)] + payload, qos: Int32(number % 2)))
                #expect(other.client.publish("one", [UInt8(number % 256)] + payload))
            }
            try await eventually("all are there") { one.messages.count == 1000 && other.messages.count == 1000 }
            #expect(one.messages.map { $0.payload[0] } == (0..<1000).map { UInt8($0 % 256) })
            #expect(one.messages.allSatisfy { $0.payload.dropFirst().elementsEqual(payload) })
            #expect(one.failures.isEmpty && other.failures.isEmpty)
            one.client.close()
            other.client.close()
            try await broker.stop()
        }
    }

    @Test(
        "a broker's certificate that is not to be trusted, is for another host or has expired is told as that",
        arguments: [
            (Certificates.Name.stranger, "none of the authorities"), (.elsewhere, "is not for the host 127.0.0.1"),
            (.expired, "has expired"),
        ])
    func untrusted(name: Certificates.Name, reason: String) async throws {
        try await onLoop { loop in
            let (broker, certificates) = try await broker(loop, name)
            let failure = try await Peer(loop, broker.url(secure: true)) {
                $0.authoritiesFile = certificates.authority
                $0.password = "secret"
                $0.userName = "user"
            }.failure()
            #expect(failure.kind == .certificate)
            #expect(failure.reason.contains(reason) && !failure.reason.contains("secret"), "\(failure)")
            try await broker.stop()
        }
    }

    @Test("without a file of authorities, the system's count")
    func system() async throws {
        try await onLoop { loop in
            let (broker, _) = try await broker(loop)
            let failure = try await Peer(loop, broker.url(secure: true)).failure()
            #expect(failure.kind == .certificate)
            #expect(failure.reason.contains("none of the system's authorities"), "\(failure)")
            try await broker.stop()
        }
    }

    @Test(
        "a broker that wants a certificate gets it; without one, or with another's, it is told",
        arguments: ["1.2", "1.3"])
    func ours(version: String) async throws {
        try await onLoop { loop in
            let (broker, certificates) = try await broker(
                loop, more: "require_certificate true\ntls_version tlsv\(version)")
            @DaemonActor func peer(_ name: Certificates.Name?) throws -> Peer {
                try Peer(loop, broker.url(secure: true)) {
                    $0.authoritiesFile = certificates.authority
                    $0.certificateFile = name.map { certificates.certificate($0) }
                    $0.keyFile = name.map { certificates.key($0) }
                }
            }
            try await peer(.client).connected().client.close()
            // On this machine it may just find the connection broken, as a broker closes it right behind what it says.
            let without = try await peer(nil).failure(.ownCertificate)
            #expect(without.reason.contains("wants a certificate"), "\(without)")
            let strangers = try await peer(.stranger).failure(.ownCertificate)
            #expect(strangers.reason.contains("does not take our certificate"), "\(strangers)")
            try await broker.stop()
        }
    }

    @Test("files that cannot be used are named")
    func files() async throws {
        try await onLoop { loop in
            let certificates = try await Certificates.shared(on: loop)
            let listener = try await BadListener.start("mute", on: loop)
            let url = listener.url.replacing("mqtt", with: "mqtts")
            @DaemonActor func failure(_ change: (inout MQTTClient.Options) -> Void) async throws -> MQTTFailure {
                try await Peer(loop, url) {
                    $0.authoritiesFile = certificates.authority
                    $0.connectSeconds = 20
                    change(&$0)
                }.failure()
            }
            let missing = try await failure { $0.authoritiesFile = "/not/there.pem" }
            #expect(
                missing.kind == .certificate && missing.reason.contains("/not/there.pem, cannot be read"), "\(missing)")
            let empty = try await failure { $0.authoritiesFile = "/dev/null" }
            #expect(empty.kind == .certificate && empty.reason.contains("PEM"), "\(empty)")
            let half = try await failure { $0.certificateFile = certificates.certificate(.client) }
            #expect(half.kind == .ownCertificate && half.reason.contains("name both"), "\(half)")
            let mixed = try await failure {
                $0.certificateFile = certificates.certificate(.client)
                $0.keyFile = certificates.key(.server)
            }
            #expect(mixed.kind == .ownCertificate && mixed.reason.contains("belong together"), "\(mixed)")
            // OpenSSL would ask for its password on the terminal, and wait.
            let folder = try TemporaryFolder(inMemory: true)
            let locked = folder.path + "/locked.key"
            try await run(
                [
                    "openssl", "ec", "-aes128", "-passout", "pass:secret", "-in", certificates.key(.client), "-out",
                    locked,
                ],
                on: loop)
            let asked = try await failure {
                $0.certificateFile = certificates.certificate(.client)
                $0.keyFile = locked
            }
            #expect(asked.kind == .ownCertificate && asked.reason.contains("without a password"), "\(asked)")
            try await listener.stop()
        }
    }

    @Test("TLS where there is none, and none where there is, say which of both to write")
    func mixedUp() async throws {
        try await onLoop { loop in
            let (secure, certificates) = try await broker(loop)
            let plain = try await Broker.start(on: loop)
            let nats = try await nats(on: loop)
            for url in [plain.url(secure: true), nats.url(secure: true)] {
                let failure = try await Peer(loop, url) { $0.authoritiesFile = certificates.authority }.failure()
                #expect([.closed, .protocolViolation].contains(failure.kind))
                #expect(failure.reason.contains("else write mqtt://"), "\(failure)")
            }
            let failure = try await Peer(loop, secure.url()).failure()
            #expect([.closed, .protocolViolation].contains(failure.kind))
            #expect(failure.reason.contains("write mqtts://"), "\(failure)")
            for broker in [secure, plain, nats] { try await broker.stop() }
        }
    }

    @Test("an error that another connection has left in OpenSSL's queue ends none that is well")
    func errorOfOthers() async throws {
        try await onLoop { loop in
            let (broker, certificates) = try await broker(loop)
            let peer = try await Peer(loop, broker.url(secure: true)) { $0.authoritiesFile = certificates.authority }
                .connected()
            try await peer.subscribe("here", qos: 1)
            for number in 1...20 {
                try leaveError()
                #expect(peer.client.publish("here", [UInt8(number)]))
                try leaveError()
                try await eventually("it has come") {
                    if let failure = peer.failures.last { throw failure }
                    return peer.messages.count == number
                }
            }
            peer.client.close()
            try await broker.stop()
        }
    }

    /// The error that closing a connection during its handshake leaves in OpenSSL's TLS: "shutdown while in init".
    @DaemonActor
    private func leaveError() throws {
        typealias Begin = @convention(c) () -> Void
        typealias Set = @convention(c) (Int32, Int32, UnsafePointer<CChar>?) -> Void
        // The one that libmosquitto has loaded.
        let library = try #require(dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD))
        defer { dlclose(library) }
        unsafeBitCast(try #require(dlsym(library, "ERR_new")), to: Begin.self)()
        // It takes a format and its arguments; here there are none.
        unsafeBitCast(try #require(dlsym(library, "ERR_set_error")), to: Set.self)(20, 407, nil)
    }

    @Test("many connections one after the other all come about")
    func handshakes() async throws {
        try await onLoop { loop in
            let (broker, certificates) = try await broker(loop)
            for _ in 0..<40 {
                let peer = try Peer(loop, broker.url(secure: true)) { $0.authoritiesFile = certificates.authority }
                try await peer.connected().client.close()
            }
            try await broker.stop()
        }
    }
}
