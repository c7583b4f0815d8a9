import HarkDelivery
import HarkWire

extension Outlet {
    /// Writes the public description of a destination.
    func writeOutline(to json: inout JSONWriter) {
        json.beginObject()
        writeOutlineMembers(to: &json)
        json.endObject()
    }

    private func writeOutlineMembers(to json: inout JSONWriter) {
        json.key("name")
        json.string(name)
        json.key("kind")
        json.string(destination.kind)
        json.key("state")
        json.string(state.rawValue)
    }

    /// Writes the state of the destination.
    /// - Parameter deadLetters: The number of dead letters by destination.
    func write(deadLetters: [String: Int], lanes: Bool = false, to json: inout JSONWriter) {
        json.beginObject()
        writeOutlineMembers(to: &json)
        json.key("cursor")
        json.uint(couriers.map(\.progress.cursor).min() ?? 0)
        json.key("pending")
        json.int(pending)
        json.key("delivered")
        json.int(accepted)
        json.key("dropped")
        Outlet.write(dropped, to: &json)
        json.key("deadLetters")
        json.int(deadLetters[name] ?? 0)
        json.key("lastError")
        if let lastError { json.string(lastError) } else { json.null() }
        json.key("retryAt")
        if let dueAt = gate.breaker.dueAt { json.timestamp(dueAt) } else { json.null() }
        if lanes {
            json.key("lanes")
            json.beginArray()
            for courier in couriers { Outlet.write(courier, to: &json) }
            json.endArray()
        }
        json.endObject()
    }

    private static func write(_ courier: Courier, to json: inout JSONWriter) {
        json.beginObject()
        json.key("name")
        json.string(courier.lane.name.isEmpty ? courier.destination.name : courier.lane.name)
        json.key("cursor")
        json.uint(courier.progress.cursor)
        json.key("pending")
        if let pending = courier.pending { json.int(pending) } else { json.null() }
        json.key("delivered")
        json.int(courier.progress.accepted)
        json.key("dropped")
        write(courier.progress.dropped, to: &json)
        json.endObject()
    }

    private static func write(_ dropped: [LaneProgress.Drop: Int], to json: inout JSONWriter) {
        json.beginObject()
        for (reason, count) in dropped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            json.key(reason.rawValue)
            json.int(count)
        }
        json.endObject()
    }
}
