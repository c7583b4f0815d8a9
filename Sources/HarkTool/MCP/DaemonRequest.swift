import Glibc
import HarkClient
import HarkWire

/// A request of the daemon that is waited for beside others.
///
/// It has a connection of its own, so that a slow one holds up nobody, and an end whatever the daemon does.
final class DaemonRequest {
    private let method: String
    private let params: [UInt8]
    /// Whether it may be sent again where the daemon went away: it does the same however often it is sent.
    private let isRepeatable: Bool
    private(set) var deadline: ContinuousClock.Instant
    private var line: Line?
    private var sent: Int64 = 0
    private var nextAttempt = ContinuousClock.now

    private static let betweenAttempts = Duration.milliseconds(200)
    /// For how long a daemon may keep a new connection, or the bytes of a request, waiting, in seconds.
    private static let sendingPatience = 1.0

    /// A connection that is closed with the request.
    private final class Line {
        var connection: Connection

        init(_ connection: consuming Connection) {
            self.connection = connection
            self.connection.patience = 0
        }
    }

    /// - Parameter seconds: after which it has failed, if no answer has come.
    init(_ method: String, _ params: [UInt8], within seconds: Int64, isRepeatable: Bool = false) {
        self.method = method
        self.params = params
        self.isRepeatable = isRepeatable
        deadline = .now + .seconds(seconds)
    }

    /// Readable once there may be an answer; -1 while there is no connection.
    var descriptor: CInt { line?.connection.descriptor ?? -1 }

    /// When it wants to be looked at, whether there is something to read or not.
    var next: ContinuousClock.Instant { line == nil ? min(nextAttempt, deadline) : deadline }

    /// Ends the waiting: the next look fails if there is no answer by then.
    func hurry() { deadline = min(deadline, .now) }

    /// The answer, or why there is none; nil as long as it is waited for.
    func outcome(at now: ContinuousClock.Instant) -> Swift.Result<JSONText, ClientError>? {
        if line == nil {
            guard now >= nextAttempt || now >= deadline else { return nil }
            do throws(ClientError) {
                let anew = Line(try Connection(patience: Self.sendingPatience))
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
        let isLoss = [.disconnected, .notRunning].contains(error.code) || error.reason == "shuttingDown"
        guard isRepeatable, isLoss, now < deadline else { return .failure(error) }
        nextAttempt = now + Self.betweenAttempts
        return nil
    }

    private var late: ClientError { ClientError(.timedOut, "the daemon has not answered in time") }
}
