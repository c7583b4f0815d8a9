internal import CLinux
import Glibc
import HarkAsking
import HarkClient
import HarkWire

extension Machine {
    /// The machine that this process runs on.
    static func this(_ console: Console) -> Machine {
        Machine(
            uid: getuid(), environment: SocketAddress.environment, entry: look, room: room, contact: contact,
            run: { BoundedProgram.run($0, patience: Machine.patience) }, program: find,
            terminal: Terminal(isThere: console.outputIsTerminal, columns: TerminalMode.size.columns),
            contents: contents)
    }

    private static let mostContents = 16 << 20

    private static func contents(_ path: String) -> [UInt8]? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= mostContents else {
            return nil
        }
        return try? InputFile.readRegular(path)
    }

    private static func look(_ path: String) -> Entry? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let kind: Entry.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFSOCK: .socket
            default: .other
            }
        let wanted = kind == .folder ? W_OK | X_OK : R_OK
        return Entry(
            kind: kind, owner: status.st_uid, mode: UInt32(status.st_mode & 0o7777),
            isUsable: access(path, wanted) == 0)
    }

    private static func room(_ path: String) -> Room? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        return Room(free: UInt64(status.f_bavail) * unit, total: UInt64(status.f_blocks) * unit)
    }

    private static func find(_ name: String) -> String? {
        let beside = OwnProgram.beside(name)
        if beside.contains("/") { return beside }
        let folders = SocketAddress.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        return folders.split(separator: ":").lazy.map { "\($0)/\(name)" }.first { path in
            access(path, X_OK) == 0 && look(path)?.kind == .file
        }
    }

    private static func contact(_ address: SocketAddress) -> Contact {
        let descriptor: CInt
        switch address.connect(patience: patience) {
        case .success(let connected): descriptor = connected
        case .failure(let failure): return failure.isTimeout ? .silent(nil) : .unreachable(failure.code)
        }
        let pid = peer(of: descriptor)
        var connection = Connection(adopting: descriptor)
        connection.patience = patience
        do throws(ClientError) {
            let status = try connection.call(DaemonStatus())
            var configuration: String?
            // Only administrators may ask.
            do throws(ClientError) {
                configuration = try connection.call(ConfigGet()).text.text
            } catch {
                if error.code == .timedOut { return .silent(pid) }
            }
            var fleet: String?
            // Only administrators may ask, and an older daemon knows no fleets.
            do throws(ClientError) {
                fleet = try connection.call(FleetStatus.name, Array(#"{"limit":1}"#.utf8)).text
            } catch {
                if error.code == .timedOut { return .silent(pid) }
            }
            return .answers(status: status.text.text, configuration: configuration, fleet: fleet)
        } catch {
            return error.code == .timedOut ? .silent(pid) : .refuses(error.message)
        }
    }

    private static func peer(of descriptor: CInt) -> Int32? {
        // Process, user and group: the Glibc module lacks this struct.
        var credentials: [Int32] = [0, 0, 0]
        var length = socklen_t(credentials.count * MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, credentials[0] > 1 else {
            return nil
        }
        // A socket made by systemd is systemd's, which must not be killed.
        let name = try? InputFile.read("/proc/\(credentials[0])/comm")
        return name?.starts(with: "harkd".utf8) == true ? credentials[0] : nil
    }
}
