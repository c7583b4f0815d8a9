package import HarkWire

/// The hub that serves a shard: retained at the broker; the hub's last will says that it is gone.
package struct FleetPresence: FleetMessage {
    /// The hub's store; another store has other records.
    package let store: Identifier
    /// The run of the hub: a restarted one may have lost records.
    package let run: Identifier
    package var isUp: Bool

    package init(store: Identifier, run: Identifier, isUp: Bool) {
        self.store = store
        self.run = run
        self.isUp = isUp
    }

    package init?(_ members: JSONObject) {
        guard let store = members.identifier("store"), let run = members.identifier("run"),
            let isUp = members["up"]?.boolValue
        else { return nil }
        self.init(store: store, run: run, isUp: isUp)
    }

    package func write(to json: inout JSONWriter) {
        json.member("store", store)
        json.member("run", run)
        json.key("up")
        json.bool(isUp)
    }
}
