import HarkClient
import HarkWire

/// `hark network --follow`: prints the state of the network, then each change, across restarts of the daemon.
struct NetworkFollower {
    private let console: Console
    private let isJSON: Bool
    private var last = ""

    init(_ console: Console, json: Bool) {
        self.console = console
        isJSON = json
    }

    mutating func run(_ first: consuming Connection) throws {
        var reconnection = Reconnection(console)
        try reconnection.follow(first) { connection, reconnection in
            let result = try connection.call(.networkSubscribe)
            reconnection.succeeded()
            try show(result.member("network"))
            while let (method, params) = try connection.nextNotification(printedOn: console) {
                if method == NotificationShape.networkChanged.name { try show(params.member("network")) }
            }
        }
    }

    /// Prints changes only: of the headline for people, of everything for programs.
    private mutating func show(_ network: JSONText?) throws {
        let network = try Command.known(network)
        let text = isJSON ? network.text : NetworkText(network, console.style).headline
        guard text != last else { return }
        last = text
        if isJSON {
            try console.print(json: text)
        } else {
            try console.print("\(LocalTime.secondText(LocalTime.now))  \(text)")
        }
        try console.flush()
    }
}
