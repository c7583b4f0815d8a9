import HarkClient
import HarkWire

/// `hark execution follow`: prints executions as they fire, across restarts of the daemon.
struct ExecutionFollower {
    private let console: Console
    private let isJSON: Bool
    private let app: String?

    init(_ console: Console, json: Bool, app: String?) {
        self.console = console
        isJSON = json
        self.app = app
    }

    func run(_ first: consuming Connection) throws {
        var reconnection = Reconnection(console)
        try reconnection.follow(first) { connection, reconnection in
            _ = try connection.call(.executionSubscribe) { $0.member(.onlyApp, app) }
            reconnection.succeeded()
            while let (method, params) = try connection.nextNotification(printedOn: console) {
                if method == NotificationShape.executionFired.name {
                    if isJSON {
                        try console.print(json: params)
                    } else {
                        try console.print(CounterText.fired(ExecutionFired(params), console.style))
                    }
                }
                if !connection.hasNotification() { try console.flush() }
            }
        }
    }
}
