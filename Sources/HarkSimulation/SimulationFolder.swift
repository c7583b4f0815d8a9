import Glibc
import HarkSystem
import HarkWire

/// A temporary folder, removed at the end of the simulation.
struct SimulationFolder: ~Copyable {
    let path: String

    init() throws(SystemError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var bytes = Array((parent + "/hark-simulate-XXXXXX").utf8CString)
        guard mkdtemp(&bytes) != nil else { throw SystemError(code: errno, operation: "mkdtemp", detail: parent) }
        path = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path of a folder inside it, for a store.
    func place(_ number: Int) throws(SystemError) -> String {
        let place = "\(path)/\(number)"
        try syscall("mkdir", detail: place) { mkdir(place, 0o700) }
        return place
    }

    deinit { Self.remove(path) }

    /// Nobody else writes into the folder, and it has no links.
    private static func remove(_ path: String) {
        for name in names(in: path) {
            let inside = path + "/" + name
            if unlink(inside) != 0 { remove(inside) }
        }
        rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// The lines of showings, gathered in a file: the sender of events reads no output before it has sent all.
final class ShowingSpool {
    private let file: FileDescriptor
    private var bytes: [UInt8] = []
    private var trouble: SystemError?

    private static let most = 1 << 18

    init(_ path: String) throws(SystemError) {
        file = try FileDescriptor.open(path, flags: O_RDWR | O_CREAT | O_EXCL)
    }

    func add(_ showing: SimulatedShowing) {
        var json = JSONWriter()
        json.beginObject()
        json.key("showing")
        json.beginObject()
        SimulatedShowingInfo(showing).writeMembers(to: &json)
        json.endObject()
        json.endObject()
        json.newline()
        bytes += json.bytes
        guard bytes.count >= Self.most, trouble == nil else { return }
        do throws(SystemError) { try flush() } catch { trouble = error }
    }

    private func flush() throws(SystemError) {
        try Output.write(bytes, to: file.raw)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes all lines to another file.
    func copy(to output: Int32) throws(SystemError) {
        if let trouble { throw trouble }
        try flush()
        let raw = file.raw
        try syscall("lseek") { lseek(raw, 0, SEEK_SET) < 0 ? Int32(-1) : 0 }
        var room = [UInt8](repeating: 0, count: Self.most)
        while true {
            let count = try syscall("read") { room.withUnsafeMutableBytes { read(raw, $0.baseAddress, $0.count) } }
            if count == 0 { return }
            try Output.write(Array(room[..<count]), to: output)
        }
    }
}

enum Output {
    /// Writes all bytes.
    static func write(_ bytes: [UInt8], to output: Int32 = STDOUT_FILENO) throws(SystemError) {
        var sent = 0
        while sent < bytes.count {
            sent += try syscall("write") {
                bytes.withUnsafeBytes { Glibc.write(output, $0.baseAddress?.advanced(by: sent), $0.count - sent) }
            }
        }
    }
}
