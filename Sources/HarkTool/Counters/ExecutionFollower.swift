import HarkClient
import HarkWire

/// `hark execution follow`: executions as they fire, over restarts of the daemon.
struct ExecutionFollower {
    private let console: Console
    private let isJSON: Bool
    private let app: String?
    private var reconnection: Reconnection

    init(_ console: Console, json: Bool, app: String?) {
        self.console = console
        isJSON = json
        self.app = app
        reconnection = Reconnection(console)
    }

    /// Ends only by a signal or by an error that waiting does not cure.
    mutating func run(_ first: consuming Connection) throws {
        var connection = first
        while true {
            do {
                try follow(&connection)
            } catch let error as ClientError where error.isPassing {
                reconnection.explain(error)
            }
            connection = try reconnection.connect()
        }
    }

    private mutating func follow(_ connection: inout Connection) throws {
        var params = JSONWriter()
        params.beginObject()
        if let app { params.member("app", app) }
        params.endObject()
        _ = try connection.call("execution.subscribe", params.bytes)
        reconnection.succeeded()
        while let (method, params) = try connection.nextNotification() {
            if method == "execution.fired" {
                try console.print(isJSON ? params.text : CounterText.fired(params, console.style))
            }
            if !connection.hasNotification() { try console.flush() }
        }
    }
}
