package import HarkSystem

/// Certificates for servers on this machine and for their clients, made once for a process: files in a folder of their own.
@DaemonActor
package final class Certificates {
    package enum Name: String, CaseIterable, Sendable {
        /// For `localhost` and 127.0.0.1.
        case server
        /// For another host.
        case elsewhere
        /// Like `server`, until yesterday.
        case expired
        case client
        /// A certificate of another authority.
        case stranger
    }

    private static var made: Task<Result<Certificates, any Error>, Never>?
    private let folder: TemporaryFolder

    private init() throws { folder = try TemporaryFolder(inMemory: true) }

    package static func shared(on loop: EventLoop) async throws -> Certificates {
        let task =
            made
            ?? DaemonActor.task {
                await Result {
                    let certificates = try Certificates()
                    try await certificates.make(on: loop)
                    return certificates
                }
            }
        made = task
        return try await task.value.get()
    }

    /// The authority of all but `stranger`.
    package nonisolated var authority: String { folder.path + "/authority.pem" }
    package nonisolated func certificate(_ name: Name) -> String { "\(folder.path)/\(name.rawValue).pem" }
    package nonisolated func key(_ name: Name) -> String { "\(folder.path)/\(name.rawValue).key" }

    private func make(on loop: EventLoop) async throws {
        for authority in ["authority", "other"] {
            try await openssl(
                ["req", "-x509", "-days", "2", "-subj", "/CN=\(authority)"] + newKey("\(folder.path)/\(authority).key")
                    + ["-out", "\(folder.path)/\(authority).pem"], on: loop)
        }
        for name in Name.allCases {
            let names = name == .elsewhere ? "DNS:elsewhere.invalid" : "DNS:localhost,IP:127.0.0.1"
            let request = "\(folder.path)/\(name.rawValue).request"
            try await openssl(
                ["req", "-subj", "/CN=\(name.rawValue)", "-addext", "subjectAltName=\(names)", "-out", request]
                    + newKey(key(name)), on: loop)
            let authority = "\(folder.path)/" + (name == .stranger ? "other" : "authority")
            try await openssl(
                ["x509", "-req", "-in", request, "-CA", authority + ".pem", "-CAkey", authority + ".key"]
                    + ["-CAcreateserial", "-copy_extensions", "copy", "-days", name == .expired ? "-1" : "2"]
                    + ["-out", certificate(name)], on: loop)
        }
    }

    private func newKey(_ path: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path]
    }

    private func openssl(_ arguments: [String], on loop: EventLoop) async throws {
        try await run(["openssl"] + arguments, on: loop)
    }
}

extension Result where Failure == any Error, Success: Sendable {
    fileprivate init(_ body: @DaemonActor () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
