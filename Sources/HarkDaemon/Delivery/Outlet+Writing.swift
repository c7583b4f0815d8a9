import HarkDelivery
import HarkSystem
import HarkWire

extension Outlet {
    /// The public description of the destination.
    var outline: DestinationInfo {
        var info = DestinationInfo()
        info.name = name
        info.kind = destination.kind
        info.state = state.rawValue
        return info
    }

    /// The state of the destination.
    ///
    /// - Parameter deadLetters: The number of dead letters by destination.
    func info(deadLetters: [String: Int], lanes: Bool = false) -> DestinationInfo {
        var info = outline
        info.cursor = Int64(clamping: couriers.map(\.progress.cursor).min() ?? 0)
        info.pending = Int64(pending)
        info.delivered = Int64(accepted)
        info.dropped = Outlet.json(dropped)
        info.deadLetters = Int64(deadLetters[name] ?? 0)
        info.lastError = lastError
        info.retryAt = gate.breaker.dueAt
        if lanes { info.lanes = couriers.map(LaneInfo.init) }
        return info
    }

    fileprivate static func json(_ dropped: [LaneProgress.Drop: Int]) -> AnyJSON {
        let sorted = dropped.sorted { $0.key.rawValue < $1.key.rawValue }
        return AnyJSON(.object(JSONObject(sorted.map { ($0.key.rawValue, .int(Int64($0.value))) })))
    }
}

extension LaneInfo {
    @DaemonActor
    fileprivate init(_ courier: Courier) {
        self.init()
        name = courier.lane.name.isEmpty ? courier.destination.name : courier.lane.name
        cursor = Int64(clamping: courier.progress.cursor)
        pending = courier.pending.map { Int64($0) }
        delivered = Int64(courier.progress.accepted)
        dropped = Outlet.json(courier.progress.dropped)
    }
}
