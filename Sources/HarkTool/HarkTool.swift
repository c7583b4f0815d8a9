import Glibc
import HarkClient
import HarkWire

/// The `hark` program.
package enum HarkTool {
    /// Runs the command line of this process and ends the process with its exit code.
    package static func main() -> Never {
        openMissingStandardDescriptors()
        // If the parent process left SIGCHLD ignored, the kernel would not say how a program ended.
        signal(SIGCHLD, SIG_DFL)
        let console = Console()
        Connection.whenSlow = { console.say("hark: \(VisibleText.lines($0))") }
        // Each page of a list may be incomplete, so the warnings are limited.
        var told = 0
        Connection.whenIncomplete = {
            told += 1
            if told <= 3 { console.say("hark: warning: \(VisibleText.lines($0))") }
        }
        let code = run(CommandLine.arguments, console)
        exit(code.rawValue)
    }

    private static func run(_ words: [String], _ console: Console) -> ExitCode {
        var path = ["hark"]
        var command: Command?
        do throws(any Error) {
            let words = try wellFormed(words)
            let invocation = try Invocation(words, of: CommandTable.hark, path: &path)
            command = invocation.command
            tellOfOtherDaemon(console)
            try invocation.run(console)
            try console.flush()
            return .ok
        } catch let quiet as QuietExit {
            return flushing(console, quiet.exit)
        } catch let error as ToolError {
            return flushing(console, report(error, path, console))
        } catch let error as ClientError {
            return flushing(console, report(ToolError(error, of: command), path, console))
        } catch {
            return flushing(console, report(ToolError(.software, "\(error)"), path, console))
        }
    }

    /// Warns that with sudo a different daemon is asked than without, so the answers differ.
    private static func tellOfOtherDaemon(_ console: Console) {
        guard getuid() == 0, let caller = SocketAddress.environment("SUDO_UID").flatMap({ UInt32($0) }), caller != 0,
            SocketAddress.environment("HARK_SOCKET") ?? "" == "",
            access("/run/user/\(caller)/hark/hark.sock", F_OK) == 0
        else { return }
        console.say(
            "hark: with sudo this is root's; account \(caller) has a daemon of its own, asked by hark without sudo")
    }

    /// Prints buffered output before a failure. An error while printing does not change the exit code.
    private static func flushing(_ console: Console, _ code: ExitCode) -> ExitCode {
        do { try console.flush() } catch { console.say("hark: \(error.message)") }
        return code
    }

    private static func report(_ error: ToolError, _ path: [String], _ console: Console) -> ExitCode {
        console.say("\(path.joined(separator: " ")): \(VisibleText.lines(error.message))")
        if let hint = error.hint { console.say(VisibleText.lines(hint)) }
        if error.exit == .usage { console.say("'\(path.joined(separator: " ")) --help' shows how it is used.") }
        return error.exit
    }

    /// Refuses arguments that are not UTF-8: their bytes would be stored as something else.
    private static func wellFormed(_ words: [String]) throws(ToolError) -> [String] {
        let doubtful = words.indices.filter { words[$0].unicodeScalars.contains("\u{FFFD}") }
        guard
            let first = doubtful.first(where: { index in
                CommandLine.unsafeArgv[index].map { String(validatingCString: $0) == nil } ?? false
            })
        else { return words }
        // The arguments of a program that a command runs need not be text.
        let command = words.dropFirst().first.flatMap(CommandTable.hark.member)
        if command?.completes == .program, let end = words.firstIndex(of: "--"), first > end { return words }
        throw .usage("argument \(first) is not UTF-8 text", hint: "Convert it, for example with iconv.")
    }

    /// Opens missing standard descriptors, so that no file opened later becomes one of them. The replacement fails on
    /// use, so no output is lost silently.
    private static func openMissingStandardDescriptors() {
        for (descriptor, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDWR)] as [(CInt, CInt)] {
            if fcntl(descriptor, F_GETFD) == -1, errno == EBADF { _ = open("/dev/null", mode) }
        }
    }
}
