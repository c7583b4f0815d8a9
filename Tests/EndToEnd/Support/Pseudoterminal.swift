import Foundation

/// A terminal as programs see one: what they write to it is read by the test as it came.
final class Pseudoterminal {
    private let master: CInt
    private let path: String

    // From <asm-generic/ioctls.h>, where Swift cannot read them; Foundation does not show unlockpt and ptsname.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    init() throws {
        master = try check("open") { open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC) }
        let master = master
        var locked: CInt = 0
        try check("TIOCSPTLCK") { ioctl(master, Self.setLock, &locked) }
        var number: CInt = 0
        try check("TIOCGPTN") { ioctl(master, Self.getNumber, &number) }
        path = "/dev/pts/\(number)"
        try check("fcntl") { fcntl(master, F_SETFL, O_NONBLOCK) }
    }

    deinit { close(master) }

    /// Runs a program with its output and errors on this terminal until it ends or `isEnough` of what it wrote.
    func run(
        _ command: [String], environment: [String: String], until isEnough: (String) -> Bool = { _ in false }
    ) throws -> (ending: Child.Ending?, screen: String) {
        // Without post-processing: line ends come as they were written.
        let end = try check("open") { open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) }
        defer { close(end) }
        var mode = termios()
        try check("tcgetattr") { tcgetattr(end, &mode) }
        cfmakeraw(&mode)
        try check("tcsetattr") { tcsetattr(end, TCSANOW, &mode) }
        let variables = ["TERM": "xterm", "LANG": "C.UTF-8"].merging(environment) { $1 }
        let child = try Child(command, environment: variables, output: end, errors: path)
        var written: [UInt8] = []
        var hasEnded = false
        try waitUntil("the end of \(command)") {
            // What was written before the end is there once the end is.
            hasEnded = !child.isRunning
            written += drain()
            return hasEnded || isEnough(String(decoding: written, as: UTF8.self))
        }
        return (hasEnded ? try child.wait() : nil, String(decoding: written, as: UTF8.self))
    }

    private func drain() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(master, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }
}
