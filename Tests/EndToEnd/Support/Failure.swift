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

/// Waits until `condition` holds, asking again every few milliseconds; fails when `seconds` are over, which are many, as the
/// machine may be very busy.
func waitUntil(
    _ what: @autoclosure () -> String, within seconds: Double = 180, every interval: Double = 0.002,
    _ condition: () throws -> Bool
) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while try !condition() {
        guard Date() < deadline else { throw Failure("not within \(seconds) s: \(what())") }
        pass(seconds: interval)
    }
}

/// Waits until `value` is the same twice in a row, asked for every `interval` seconds.
func waitUntilItRests<Value: Equatable>(_ what: String, every interval: Double, _ value: () throws -> Value) throws {
    var last: Value?
    try waitUntil("\(what) rests", every: interval) {
        let now = try value()
        defer { last = now }
        return now == last
    }
}

/// Lets time pass: where the moment itself is what a test is about, as in a kill at any of them, or where something must
/// not happen for longer than it would take. Nothing is waited for with it that could be asked for.
func pass(seconds: Double) { usleep(UInt32(seconds * 1_000_000)) }

/// The same for a random time, in milliseconds.
func pass(milliseconds: ClosedRange<Double>) { pass(seconds: .random(in: milliseconds) / 1_000) }
