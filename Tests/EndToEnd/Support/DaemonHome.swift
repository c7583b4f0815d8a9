import Foundation

/// The folders and the socket of one daemon after another, all of it in a temporary folder.
final class DaemonHome {
    let files: TemporaryFiles
    let socket: String
    let state: String
    let configuration: String
    /// Programs and their arguments that `harkd` is run through, as in `unshare --mount`.
    var prefix: [String] = []
    var options: [String] = []
    var variables: [String: String] = [:]
    private var starts = 0

    init() throws {
        files = try TemporaryFiles()
        socket = files.path("s")
        state = files.path("state")
        configuration = files.path("config")
        try check("mkdir") { mkdir(configuration, 0o755) }
    }

    /// Writes `harkd.json`; a daemon that runs already has to be told.
    func configure(_ text: String) throws {
        try files.write(text, to: "config/harkd.json")
    }

    /// What clients have sent and the daemon has not read yet.
    func bytesWaiting() throws -> Int {
        try Child.run(["ss", "-xHn"]).output.split(separator: "\n").filter { $0.contains(socket) }
            .reduce(0) { $0 + (Int($1.split(separator: " ")[2]) ?? 0) }
    }

    /// Starts a daemon and waits until it serves.
    func start(_ more: [String] = []) throws -> DaemonProcess {
        let daemon = try launch(more)
        try daemon.waitUntilServing()
        return daemon
    }

    /// Starts a daemon that may refuse to run.
    func launch(_ more: [String] = []) throws -> DaemonProcess {
        starts += 1
        return try DaemonProcess(home: self, options: options + more, errors: files.path("errors-\(starts)"))
    }
}
