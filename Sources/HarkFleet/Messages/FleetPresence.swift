package import HarkWire

/// Who serves a shard: retained at the broker, and the last will of the hub says that it is gone.
package struct FleetPresence: FleetMessage {
    /// The hub's store. Another one has other records.
    package let store: Identifier
    /// A run of the hub: one that was started again may have lost what it had.
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
