import Glibc

/// An MQTT broker on a port of 127.0.0.1, with a folder of its own.
final class Broker {
    enum Kind: String, CaseIterable {
        case mosquitto = "Mosquitto"
        case nats = "NATS"
    }

    let child: Child
    let url: String
    /// The certificate of the authority, if the broker uses TLS.
    let authority: String?

    /// - Parameter certificates: The certificates for TLS; nil for none.
    init(_ kind: Kind, folder: String, certificates: BrokerCertificates? = nil) throws {
        mkdir(folder, 0o700)
        let port = try freePort()
        authority = certificates?.authority
        url = (certificates == nil ? "mqtt" : "mqtts") + "://127.0.0.1:\(port)"
        let file = folder + "/broker.conf"
        let log = folder + "/log"
        switch kind {
        case .mosquitto:
            var lines = [
                "listener \(port) 127.0.0.1", "allow_anonymous true", "user root", "persistence true",
                "persistence_location \(folder)/", "max_packet_size 20000000",
            ]
            if let certificates {
                lines += [
                    "cafile \(certificates.authority)", "certfile \(certificates.certificate)",
                    "keyfile \(certificates.key)",
                ]
            }
            try writeFile(file, lines.joined(separator: "\n") + "\n")
            child = try Child(["/usr/sbin/mosquitto", "-c", file], log: log)
        case .nats:
            let tls = certificates.map {
                "tls { ca_file: \"\($0.authority)\", cert_file: \"\($0.certificate)\", key_file: \"\($0.key)\" }"
            }
            try writeFile(
                file,
                """
                server_name: "hark"
                listen: "127.0.0.1:-1"
                max_payload: 8MB
                jetstream { store_dir: "\(folder)/js" }
                mqtt { listen: "127.0.0.1:\(port)"
                  \(tls ?? "") }

                """)
            child = try Child(["/usr/sbin/nats-server", "-c", file], log: log)
        }
        let end = now() + 30_000_000_000
        while !isListening(port) {
            guard child.isRunning, now() < end else {
                throw Failure("\(kind.rawValue) does not listen: " + ((try? textOfFile(log)) ?? ""))
            }
            usleep(10_000)
        }
    }
}

/// A private authority and the certificates that it has signed for a broker on 127.0.0.1, made by openssl(1).
struct BrokerCertificates {
    let authority: String
    let certificate: String
    let key: String

    init(folder: String) throws {
        mkdir(folder, 0o700)
        (authority, certificate, key) = (folder + "/ca.crt", folder + "/broker.crt", folder + "/broker.key")
        let log = folder + "/log"
        func openssl(_ arguments: String) throws {
            let words = arguments.split(separator: " ").map { String($0.replacing("FOLDER", with: folder)) }
            try Child(["/usr/bin/openssl"] + words, log: log).waitForSuccess("openssl \(arguments)")
        }
        let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        try writeFile(folder + "/broker.ext", "subjectAltName=IP:127.0.0.1\n")
        try openssl("req -x509 \(new) -days 2 -subj /CN=bench -keyout FOLDER/ca.key -out FOLDER/ca.crt")
        try openssl("req \(new) -subj /CN=broker -keyout FOLDER/broker.key -out FOLDER/broker.csr")
        try openssl(
            "x509 -req -in FOLDER/broker.csr -CA FOLDER/ca.crt -CAkey FOLDER/ca.key -CAcreateserial -days 2 "
                + "-extfile FOLDER/broker.ext -out FOLDER/broker.crt")
    }
}

/// A port of 127.0.0.1 that was free just now.
private func freePort() throws -> UInt16 { try HTTPSink().port }

private func isListening(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}
