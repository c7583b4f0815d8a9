import Glibc
import HarkClient
import HarkWire

/// A daemon of a preview's own: it knows one survey, has nothing to send or notify, and its folder is temporary.
final class PreviewDaemon {
    private let folder: String
    private var program: ChildProgram?

    /// How long it may take to serve, in seconds.
    private static let patience = 20

    private var socket: String { folder + "/s" }

    /// - Parameter survey: The survey, in the form of a survey file.
    init(_ survey: [UInt8]) throws {
        var path = Array((ScratchFolder.parent + "/hark-preview-XXXXXX").utf8CString)
        guard mkdtemp(&path) != nil else {
            throw ToolError(.unavailable, "no folder can be made: \(String(cString: strerror(errno)))")
        }
        folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do {
            try Self.write(
                #"{"notify":null,"archive":false,"retention":"none","debug":"debug"}"#.utf8, to: folder + "/harkd.json")
            var document = JSONWriter()
            document.beginObject()
            document.key("surveys")
            document.beginArray()
            document.raw(survey)
            document.endArray()
            document.endObject()
            try Self.write(document.bytes, to: folder + "/surveys.json")
            try start()
        } catch {
            end()
            throw error
        }
    }

    private static func write(_ bytes: some Sequence<UInt8>, to path: String) throws(ToolError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ToolError(.unavailable, "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                throw ToolError(.unavailable, "cannot write \(path): \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Makes this process and its children use this daemon from now on.
    private func start() throws {
        // With util-linux, the daemon ends with this program, however that ends.
        let tied = access("/usr/bin/setpriv", X_OK) == 0 ? ["/usr/bin/setpriv", "--pdeathsig", "TERM"] : []
        let words = [OwnProgram.daemon, "--socket", socket, "--state", folder + "/state", "--config", folder]
        let started: ChildProgram
        do throws(Errno) {
            started = try ChildProgram(tied + words, captures: true)
        } catch {
            throw ToolError(
                .unavailable, "harkd, which checks what is answered, cannot be run: \(error.text)",
                hint: "Put it into the folder of hark, or on the PATH.")
        }
        program = started
        for _ in 0..<Self.patience * 100 {
            if case .success(let descriptor) = SocketAddress(path: socket).connect() {
                close(descriptor)
                setenv("HARK_SOCKET", socket, 1)
                return
            }
            guard started.endedWith() == nil else {
                program = nil
                let said = started.takeOutput().split(separator: "\n").last.map(String.init) ?? "it says nothing"
                throw ToolError(.unavailable, "harkd ended at once: \(VisibleText.make(said))")
            }
            poll(nil, 0, 10)
        }
        throw ToolError(.unavailable, "harkd did not serve within \(Self.patience) s")
    }

    /// Ends the daemon and removes its folder.
    func end() {
        if let program {
            kill(program.pid, SIGTERM)
            program.wait()
            self.program = nil
        }
        ScratchFolder.remove(folder)
    }
}

/// Folders that are removed again.
enum ScratchFolder {
    static var parent: String {
        SocketAddress.environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    }

    /// Removes a folder with everything in it, without following links out of it.
    static func remove(_ path: String) {
        // Only a folder that is none by a link is a folder here.
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        for name in FolderList.names(in: path) ?? [] { remove(path + "/" + name) }
        rmdir(path)
    }
}
