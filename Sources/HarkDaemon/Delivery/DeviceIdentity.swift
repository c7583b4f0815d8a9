import HarkCore
import HarkLedger
import HarkSettings
import HarkStore
import HarkWire
import Synchronization

/// The id by which servers know this device, for log entries that name no user.
extension DeliveryDesk {
    /// Creates the device's id if a destination may need it.
    func nameDevice() throws(WireError) {
        let isNeeded = servers.contains { $0.settings?.kind == .sensorcore && $0.settings?.defaultUserId == nil }
        if isNeeded, deviceName.current == nil { try ledger.decideDeviceId(isReset: false) }
    }

    /// Uses a new id for requests once it is on disk: an id that was sent and then lost would belong to nobody.
    func followDeviceId(_ changes: Stored<Changes>) {
        for case .setMeta(Engine.deviceIdKey, let id) in changes.value.rows {
            deviceName.set(changes.map { _ -> String? in id })
        }
    }
}

extension Ledger {
    /// Decides the device's id: creates one if there is none, or replaces it.
    @discardableResult
    func decideDeviceId(isReset: Bool) throws(WireError) -> Decided<String> {
        try decide(needing: .deviceId) { engine, changes, now in
            isReset ? engine.resetDeviceId(now: now, into: &changes) : engine.deviceId(now: now, into: &changes)
        }
    }
}

/// The device's id, shared with the threads that build requests.
final class DeviceName: Sendable {
    private let id = Mutex<String?>(nil)

    var current: String? { id.withLock { $0 } }

    func set(_ id: Stored<String?>) {
        self.id.withLock { $0 = id.value }
    }
}
