import Foundation

/// Debian's nginx in front of other servers, gone with this object.
final class Nginx {
    private let files: TemporaryFiles
    private let child: Child

    static let isInstalled = access("/usr/sbin/nginx", X_OK) == 0

    /// - Parameters:
    ///   - port: The port on which it listens once it is ready.
    ///   - http: The content of its `http` block.
    init(port: Int, _ http: String) throws {
        files = try TemporaryFiles()
        let folder = files.path
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        try files.write(
            """
            daemon off;
            pid \(folder)/pid;
            error_log \(folder)/errors;
            user root;
            worker_processes 1;
            events { worker_connections 512; }
            http {
                log_format short "$server_name $status";
                access_log \(folder)/answers short;
                \(temporary.map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: "\n    "))
                \(http)
            }
            """, to: "nginx.conf")
        child = try Child(
            ["/usr/sbin/nginx", "-e", "\(folder)/errors", "-c", "\(folder)/nginx.conf"], errors: files.path("output"))
        let (child, files) = (child, files)
        try waitUntil("nginx listens") {
            guard child.isRunning else { throw Failure("nginx: \(try files.text("output"))") }
            return Ports.isTaken(port)
        }
    }

    /// The answers so far: the name of the server and a status, such as `hook 413`.
    var answers: Set<String> {
        get throws { Set(try files.text("answers").split(separator: "\n").map(String.init)) }
    }

    // Its worker outlives a master that was killed.
    deinit {
        child.signal(SIGTERM)
        _ = try? child.wait(within: 5)
    }
}

/// TCP ports of this machine's own address.
enum Ports {
    /// One that was free a moment ago.
    static func free() throws -> Int {
        let descriptor = try check("socket") { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { close(descriptor) }
        var address = local(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try check("bind") { bind(descriptor, address, length) }
                try check("getsockname") { getsockname(descriptor, address, &length) }
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    static func isTaken(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = local(UInt16(port))
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func local(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}

/// A certificate that vouches for itself, for 127.0.0.1.
struct OwnCertificate {
    let certificate: String
    let key: String

    init(in files: TemporaryFiles, _ name: String = "own") throws {
        certificate = files.path("\(name).pem")
        key = files.path("\(name).key")
        let run = try Child.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-out",
            certificate, "-keyout", key, "-days", "2", "-subj", "/CN=\(name)", "-addext",
            "subjectAltName=IP:127.0.0.1",
        ])
        guard run.ending == .exited(0) else { throw Failure("openssl: \(run.errors)") }
    }
}
