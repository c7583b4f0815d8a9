import Glibc

/// The reason why a measurement could not be made.
struct Failure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }

    /// The last system call's failure.
    static func system(_ call: String) -> Failure { Failure("\(call): \(String(cString: strerror(errno)))") }
}

/// Prints a line of progress, apart from the result.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// The result of a system call, which is a failure when negative.
@discardableResult
func check<Result: SignedInteger>(_ call: String, _ result: Result) throws -> Result {
    if result < 0 { throw Failure.system(call) }
    return result
}
