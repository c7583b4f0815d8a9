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
        try StreamFollower(console: console).follow(first) { connection in
            try connection.call(.networkSubscribe)
        } _: { method, params in
            if method == nil || method == NotificationShape.networkChanged.name { try show(params.member("network")) }
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
    }
}
