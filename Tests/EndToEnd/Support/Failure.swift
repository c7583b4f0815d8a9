import Foundation

/// What a test could not do or see.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// A refusal of the system, by errno.
    static func system(_ what: String) -> Failure { Failure("\(what): \(String(cString: strerror(errno)))") }
}

/// Throws the errno of a call that returned −1; a call that was interrupted is made again.
@discardableResult
func check<Result: SignedInteger>(_ what: String, _ call: () -> Result) throws -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw Failure.system(what) }
    }
}

/// Waits until `condition` holds, asking again every few milliseconds; fails when `seconds` are over.
func waitUntil(_ what: @autoclosure () -> String, within seconds: Double = 60, _ condition: () throws -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while try !condition() {
        guard Date() < deadline else { throw Failure("not within \(seconds) s: \(what())") }
        usleep(2_000)
    }
}
