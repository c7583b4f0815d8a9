import Glibc
import HarkClient

/// Reads whole files.
enum InputFile {
    static func standardInput() throws(ToolError) -> [UInt8] {
        try read(0, "standard input")
    }

    /// The bytes of a file; `-` is standard input.
    static func read(_ path: String) throws(ToolError) -> [UInt8] {
        if path == "-" { return try standardInput() }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ToolError(.noInput, "cannot open \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        return try read(descriptor, path)
    }

    private static func read(_ descriptor: CInt, _ name: String) throws(ToolError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += chunk[..<count]
            } else if errno != EINTR {
                throw ToolError(.noInput, "cannot read \(name): \(String(cString: strerror(errno)))")
            }
        }
    }
}
