import Glibc

/// A PostgreSQL on a Unix socket in a folder of its own, from Debian's package. It runs as the account nobody if root measures.
final class Database {
    let child: Child
    /// The `url` of a destination for it.
    var url: String { "postgresql://hark@/postgres?host=\(folder)" }
    private let folder: String
    private let programs: String

    init(folder: String) throws {
        self.folder = folder
        programs = try Database.newest()
        mkdir(folder, 0o755)
        if getuid() == 0 {
            try check(folder, chown(folder, 65_534, 65_534))
            // The account nobody has to reach the folder.
            try check(folder, chmod(folder + "/..", 0o711))
        }
        try Child(
            Database.command([
                programs + "/initdb", "-D", folder + "/data", "-U", "hark", "-A", "trust", "--locale=C.UTF-8",
            ]),
            environment: ["PATH": "/usr/bin:/bin"], log: folder + "/../initdb.log"
        ).waitForSuccess("initdb")
        // A database usually has a machine of its own. Here it gets the processor time that the daemon leaves.
        child = try Child(
            ["/usr/bin/nice", "-n", "19"]
                + Database.command([
                    programs + "/postgres", "-D", folder + "/data", "-k", folder, "-c", "listen_addresses=",
                    "-c", "max_wal_size=4GB",
                ]), log: folder + "/../postgres.log")
        let end = now() + 30_000_000_000
        while true {
            do {
                try run("SELECT 1")
                return
            } catch {
                guard child.isRunning, now() < end else { throw error }
            }
            usleep(20_000)
        }
    }

    /// Runs a command of psql's.
    func run(_ command: String) throws {
        try Child(["/usr/bin/psql", "-X", "-q", "-h", folder, "-U", "hark", "-c", command, "postgres"])
            .waitForSuccess("psql")
    }

    func end() throws { try child.end() }

    private static func command(_ words: [String]) -> [String] {
        getuid() == 0
            ? ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] + words : words
    }

    private static func newest() throws -> String {
        let place = "/usr/lib/postgresql"
        guard let folder = opendir(place) else { throw Failure("PostgreSQL is not installed") }
        defer { closedir(folder) }
        var versions: [Int] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let version = Int(name) { versions.append(version) }
        }
        guard let version = versions.max() else { throw Failure("PostgreSQL is not installed") }
        return "\(place)/\(version)/bin"
    }
}
