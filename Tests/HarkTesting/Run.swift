package import HarkSystem

/// A failure of a program that a test needs.
package struct ProgramFailed: Error, CustomStringConvertible {
    package let description: String
}

/// Runs a program to its end and returns its output; throws with its messages when it fails.
@DaemonActor
@discardableResult
package func run(_ arguments: [String], on loop: EventLoop) async throws -> String {
    let outcome: ChildProcess.Outcome = try await withCheckedThrowingContinuation { continuation in
        do {
            try ChildProcess(ChildProcess.Command(arguments), on: loop) { continuation.resume(returning: $0) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
    guard outcome.status.isSuccess else {
        let words = String(decoding: outcome.errorOutput, as: UTF8.self)
        throw ProgramFailed(description: "\(arguments.joined(separator: " ")): \(outcome.status): \(words)")
    }
    return String(decoding: outcome.output, as: UTF8.self)
}
