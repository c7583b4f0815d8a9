import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// Waits until a daemon has connected to its fleet, and prints what it waits for.
struct FleetWait {
    /// The timeout in seconds.
    static let patience = 10.0
    private static let pause: CInt = 200

    /// - Returns: The state of the fleet at the end.
    static func run(
        _ connection: inout Connection, patience: Double = patience, _ say: (String) -> Void
    ) throws(ClientError) -> FleetStatus.Result {
        let end = MonotonicClock.now + patience
        var told: String?
        while true {
            let status = try FleetReport.ask(&connection)
            if isInPlace(status) || isHopeless(status) || MonotonicClock.now >= end { return status }
            let text = waiting(status)
            if text != told { say(text) }
            told = text
            poll(nil, 0, pause)
        }
    }

    static func isInPlace(_ status: FleetStatus.Result) -> Bool {
        switch status.fleet?.state {
        case .ready, .serving: true
        // A hub is also in standby before it knows that there is no other hub.
        case .connecting, .alone, .greeting, .standby, nil: false
        }
    }

    /// Whether the problem cannot go away by itself.
    private static func isHopeless(_ status: FleetStatus.Result) -> Bool {
        switch status.fleet?.cause {
        case .login, .setting: true
        case .unreachable, .rights, .limit, .broker, nil: false
        }
    }

    static func waiting(_ status: FleetStatus.Result) -> String {
        let broker = VisibleText.make(status.fleet?.broker ?? "the broker")
        let what =
            switch status.fleet?.state {
            case .alone: "the broker is reached; waiting for a hub"
            case .greeting: "a hub is there; waiting for its answer"
            case .standby: "the broker is reached; looking for another hub"
            default: "waiting for \(broker)"
            }
        let problem = status.fleet?.problem.map { " (\(VisibleText.make($0)))" } ?? ""
        return what + problem
    }
}
