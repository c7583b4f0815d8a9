import HarkCore
import HarkStore
import HarkWire
import Synchronization

/// Whom log entries are about that name nobody, as the servers are told it.
extension DeliveryDesk {
    /// Sees to it that the device has an id, where a destination may have to tell it.
    func nameDevice() throws(WireError) {
        let isNeeded = servers.contains { $0.settings?.kind == .sensorcore && $0.settings?.defaultUserId == nil }
        if isNeeded, deviceName.current == nil { try ledger.decideDeviceId(isReset: false) }
    }

    /// Requests in the making bear a new id once it is on disk: one that was sent and then lost would be nobody's.
    func followDeviceId(_ changes: Stored<Changes>) {
        for case .setMeta(Engine.deviceIdKey, let id) in changes.value.rows {
            deviceName.set(changes.map { _ -> String? in id })
        }
    }
}

extension Ledger {
    /// The device's id, made now if there is none yet, or if a new one is to take its place.
    @discardableResult
    func decideDeviceId(isReset: Bool) throws(WireError) -> Decided<String> {
        try decide(needing: .deviceId) { engine, changes, now in
            isReset ? engine.resetDeviceId(now: now, into: &changes) : engine.deviceId(now: now, into: &changes)
        }
    }
}

/// The id as requests in the making see it, on whatever thread they are put together.
final class DeviceName: Sendable {
    private let id = Mutex<String?>(nil)

    var current: String? { id.withLock { $0 } }

    func set(_ id: Stored<String?>) {
        self.id.withLock { $0 = id.value }
    }
}
