import Glibc
import HarkClient
import HarkWire

/// A request to the daemon that does not block others.
///
/// It has a connection of its own, so that a slow request delays no other, and a timeout.
final class DaemonRequest {
    private let method: String
    private let params: [UInt8]
    /// Whether the request is idempotent, so that it may be sent again if the daemon went away.
    private let isRepeatable: Bool
    private(set) var deadline: ContinuousClock.Instant
    private var line: Line?
    private var sent: Int64 = 0
    private var course = Reconnection()

    /// The timeout for a connection to be accepted, or for a request's bytes to be taken, in seconds.
    private static let sendingPatience = 1.0

    convenience init(_ request: some WireMethod, within seconds: Int64, isRepeatable: Bool = false) {
        self.init(type(of: request).name, request.json, within: seconds, isRepeatable: isRepeatable)
    }

    /// - Parameter seconds: The timeout.
    init(_ method: String, _ params: [UInt8], within seconds: Int64, isRepeatable: Bool = false) {
        self.method = method
        self.params = params
        self.isRepeatable = isRepeatable
        deadline = .now + .seconds(seconds)
    }

    /// A descriptor that becomes readable when a reply may have come; -1 while there is no connection.
    var descriptor: CInt { line?.descriptor ?? -1 }

    /// The time at which to call `outcome` even if the descriptor is not readable.
    var next: ContinuousClock.Instant {
        line == nil ? min(.now + .milliseconds(course.pause(at: MonotonicClock.now)), deadline) : deadline
    }

    /// Ends the wait: the next call of `outcome` fails if there is no reply by then.
    func hurry() { deadline = min(deadline, .now) }

    /// Returns the reply or the error; nil while the request is pending.
    func outcome(at now: ContinuousClock.Instant) -> Swift.Result<JSONText, ClientError>? {
        if line == nil {
            guard MonotonicClock.now >= course.nextTry || now >= deadline else { return nil }
            do throws(ClientError) {
                let anew = Line(try Connection(patience: Self.sendingPatience))
                anew.connection.patience = 0
                sent = try anew.connection.submit(method, params)
                line = anew
            } catch {
                return lost(error, at: now)
            }
        }
        guard let line else { return nil }
        do throws(ClientError) {
            return .success(try line.connection.result(of: sent))
        } catch {
            guard error.code == .timedOut else {
                self.line = nil
                return lost(error, at: now)
            }
            return now < deadline ? nil : .failure(late)
        }
    }

    private func lost(_ error: ClientError, at now: ContinuousClock.Instant) -> Swift.Result<JSONText, ClientError>? {
        guard isRepeatable, error.isLoss, now < deadline else { return .failure(error) }
        course.failed(at: MonotonicClock.now)
        return nil
    }

    private var late: ClientError { ClientError(.timedOut, "the daemon has not answered in time") }
}
