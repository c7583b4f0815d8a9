import FoundationEssentials
import Glibc
package import HarkSystem

/// A real MQTT broker on 127.0.0.1, with a port, a folder and a process of its own.
///
/// Stop it in the end; it also ends with the loop's thread.
@DaemonActor
package final class Broker {
    package enum Kind: Sendable {
        case mosquitto
        /// Speaks MQTT 3.1.1 only.
        case nats
    }

    package let kind: Kind
    package let port: Int
    /// A folder for the files that a configuration names: lists of rights, passwords.
    package let folder: TemporaryFolder
    private let loop: EventLoop
    private var process: ChildProcess?
    private var outcome: ChildProcess.Outcome?

    /// Starts it, and returns once it can be connected to.
    ///
    /// - Parameters:
    ///   - files: written into its folder.
    ///   - configuration: lines for its configuration, to which the folder is given. They belong to its listener; for mosquitto
    ///     they have to say who may come, unless everybody (`allow_anonymous true`).
    package static func start(
        _ kind: Kind = .mosquitto, on loop: EventLoop, files: [String: String] = [:],
        configuration: (String) -> String = { _ in "allow_anonymous true" }
    ) async throws -> Broker {
        for attempt in 1... {
            let broker = try Broker(kind, port: freePort(), loop)
            for (name, text) in files {
                try Data(text.utf8).write(to: URL(filePath: "\(broker.folder.path)/\(name)"))
                // mosquitto takes no passwords that everybody may read.
                chmod("\(broker.folder.path)/\(name)", 0o600)
            }
            try broker.configure(configuration(broker.folder.path))
            do {
                try await broker.start()
                return broker
            } catch  where attempt < 5 && (broker.log.contains("in use")) {
                // Somebody was faster with the port.
            }
        }
        fatalError("never reached")
    }

    private init(_ kind: Kind, port: Int, _ loop: EventLoop) throws {
        self.kind = kind
        self.port = port
        self.loop = loop
        folder = try TemporaryFolder(inMemory: true)
    }

    package func url(secure: Bool = false, host: String = "127.0.0.1") -> String {
        "\(secure ? "mqtts" : "mqtt")://\(host):\(port)"
    }

    /// The log so far.
    package var log: String {
        let data = FileManager.default.contents(atPath: folder.path + "/log") ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    private func configure(_ lines: String) throws {
        let text =
            switch kind {
            case .mosquitto:
                """
                log_dest file \(folder.path)/log
                log_type all
                user root
                listener \(port) 127.0.0.1
                \(lines)

                """
            case .nats:
                """
                server_name: broker
                listen: "127.0.0.1:-1"
                log_file: "\(folder.path)/log"
                jetstream { store_dir: "\(folder.path)/store" }
                mqtt {
                    listen: "127.0.0.1:\(port)"
                }
                \(lines)

                """
            }
        try Data(text.utf8).write(to: URL(filePath: folder.path + "/configuration"))
    }

    /// Starts it, again after `stop()` or `kill()`, and returns once it can be connected to.
    package func start() async throws {
        let program = kind == .mosquitto ? "/usr/sbin/mosquitto" : "/usr/sbin/nats-server"
        let path = access(program, X_OK) == 0 ? program : String(program.split(separator: "/").last!)
        var command = ChildProcess.Command([path, "-c", folder.path + "/configuration"])
        command.timeoutMicroseconds = 3_600_000_000
        outcome = nil
        process = try ChildProcess(command, on: loop) { [weak self] in
            self?.outcome = $0
            self?.process = nil
        }
        try await eventually("a broker listens") {
            if let outcome { throw ProgramFailed(description: "\(path): \(outcome.status): \(log)") }
            return isListening
        }
    }

    /// Ends it, and waits for that.
    package func stop() async throws {
        process?.terminate()
        try await eventually("a broker ends") { process == nil }
    }

    /// Ends it without a chance to say goodbye, and waits for that.
    package func kill() async throws {
        process?.signal(SIGKILL)
        try await eventually("a broker is gone") { process == nil }
    }

    /// Stops it, so that it neither reads nor writes, until `resume()`.
    package func pause() { process?.signal(SIGSTOP) }
    package func resume() { process?.signal(SIGCONT) }

    private var isListening: Bool {
        do {
            let fd = try newSocket()
            defer { close(fd) }
            return withAddress(port) { connect(fd, $0, $1) }
        } catch {
            return false
        }
    }
}

/// A port of 127.0.0.1 on which nobody can listen while this lives, as it is bound.
package final class ClosedPort {
    package let number: Int
    private let fd: Int32

    package init() throws {
        let fd = try newSocket()
        _ = withAddress(0) { bind(fd, $0, $1) }
        self.fd = fd
        number = boundPort(fd)
    }

    deinit { close(fd) }
}

/// A free port of 127.0.0.1. Another process may take it first.
package func freePort() throws -> Int { try ClosedPort().number }

private func newSocket() throws -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    return try syscall("socket") { socket(AF_INET, kind, 0) }
}

private func boundPort(_ fd: Int32) -> Int {
    var bound = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &bound) {
        _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(fd, $0, &size) }
    }
    return Int(UInt16(bigEndian: bound.sin_port))
}

private func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}
