import Glibc
import HarkClient

/// Reads whole files.
enum InputFile {
    static func standardInput() throws(ToolError) -> [UInt8] {
        try read(0, "standard input")
    }

    /// Returns the bytes of a file; `-` is standard input.
    static func read(_ path: String) throws(ToolError) -> [UInt8] {
        if path == "-" { return try standardInput() }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ToolError(.noInput, "cannot open \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        return try read(descriptor, path)
    }

    /// Opens a regular file for reading. Refuses devices and named pipes, which would block until there is a writer.
    static func openRegular(_ path: String) throws(ToolError) -> CInt {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ToolError(.noInput, "cannot open: \(String(cString: strerror(errno)))") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ToolError(.noInput, "this is a folder, a pipe or a device, and no file")
        }
        return descriptor
    }

    /// Returns the bytes of a regular file.
    static func readRegular(_ path: String) throws(ToolError) -> [UInt8] {
        let descriptor = try openRegular(path)
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
