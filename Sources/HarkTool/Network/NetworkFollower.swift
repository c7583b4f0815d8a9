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
            let status = try connection.call(.networkSubscribe, as: NetworkResult.self).value
            reconnection.succeeded()
            try show(status.network)
            while let (method, params) = try connection.nextNotification(printedOn: console) {
                if method == NotificationShape.networkChanged.name { try show(NetworkChanged(params).network) }
            }
        }
    }

    /// Prints changes only: of the headline for people, of everything for programs.
    private mutating func show(_ network: AnyJSON?) throws {
        let network = try Command.known(network)
        let text = isJSON ? network.text : NetworkText(NetworkInfo(network), console.style).headline
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
