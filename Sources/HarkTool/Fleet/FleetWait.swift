import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// Waits until a daemon has found its place in its fleet, and says what it waits for.
struct FleetWait {
    /// In seconds.
    static let patience = 10.0
    private static let pause: CInt = 200

    /// - Returns: how it stands with the fleet then.
    static func run(
        _ connection: inout Connection, patience: Double = patience, _ say: (String) -> Void
    ) throws(ClientError) -> JSONText {
        let end = MonotonicClock.now + patience
        var told: String?
        while true {
            let status = try connection.call(.fleetStatus) { $0.member(.machineLimit, 1) }
            if isInPlace(status) || isHopeless(status) || MonotonicClock.now >= end { return status }
            let text = waiting(status)
            if text != told { say(text) }
            told = text
            poll(nil, 0, pause)
        }
    }

    static func isInPlace(_ status: JSONText) -> Bool {
        switch FleetWords.state(status) {
        case .ready, .serving: true
        // A hub stands by as well before it knows that there is no other.
        case .connecting, .alone, .greeting, .standby, nil: false
        }
    }

    /// Time does not change it.
    private static func isHopeless(_ status: JSONText) -> Bool {
        switch FleetWords.cause(status) {
        case .login, .setting: true
        case .unreachable, .rights, .limit, .broker, nil: false
        }
    }

    static func waiting(_ status: JSONText) -> String {
        let broker = VisibleText.make(status.member("broker")?.string ?? "the broker")
        let what =
            switch FleetWords.state(status) {
            case .alone: "the broker is reached; waiting for a hub"
            case .greeting: "a hub is there; waiting for its answer"
            case .standby: "the broker is reached; looking for another hub"
            default: "waiting for \(broker)"
            }
        let problem = status.member("problem")?.string.map { " (\(VisibleText.make($0)))" } ?? ""
        return what + problem
    }
}
