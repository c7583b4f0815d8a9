import Glibc
import HarkClient

/// An account of the machine on a command line: a name or a number.
enum AccountArgument {
    /// - Throws: A usage error if there is no such account.
    static func uid(_ text: String) throws -> UInt32 {
        if let number = UInt32(text), number != .max { return number }
        guard !text.isEmpty, !text.hasPrefix("-"), !text.contains(":"), let line = try entry(text),
            let uid = line.split(separator: ":", omittingEmptySubsequences: false).dropFirst(2).first.flatMap({
                UInt32($0)
            })
        else {
            throw ToolError.usage("this machine has no account '\(text)'", hint: "'getent passwd' lists them.")
        }
        return uid
    }

    /// Looks a name up with getent(1), because a static program cannot query account directories itself.
    private static func entry(_ name: String) throws -> Substring? {
        let program: ChildProgram
        do throws(Errno) {
            program = try ChildProgram(["getent", "passwd", name], captures: true)
        } catch {
            throw ToolError(
                .software, "cannot look up the account '\(name)': getent: \(error.text)", hint: "Give its number.")
        }
        let code = program.wait()
        let output = program.takeOutput()
        return code == 0 ? output.split(separator: "\n").first : nil
    }
}
