import HarkCore
import HarkStore
import HarkWire
import Synchronization

/// Whom log entries are about that name nobody: an id of this store, made once, kept until somebody resets it.
extension DeliveryDesk {
    private static let key = "deviceId"

    /// The id; made now if there is none yet.
    func deviceId() throws(WireError) -> String {
        if let known = knownDeviceId { return known }
        let stored = try ledger.lookUp { reader throws(StoreError) in try reader.meta(DeliveryDesk.key) }
        if let stored {
            knownDeviceId = stored
            deviceName.set(stored)
            return stored
        }
        return try resetDeviceId()
    }

    /// A commit has failed, and with it perhaps what was decided of the id: what is stored holds.
    func recallDeviceId() {
        guard knownDeviceId != nil else { return }
        do throws(WireError) {
            knownDeviceId = try ledger.lookUp { reader throws(StoreError) in try reader.meta(DeliveryDesk.key) }
        } catch {
            knownDeviceId = nil
        }
    }

    /// A new id takes the place of the old one.
    @discardableResult
    func resetDeviceId() throws(WireError) -> String {
        let id = try ledger.decide { engine, changes, now in
            let id = engine.makeIdentifier(at: now).description
            changes.rows.append(.setMeta(key: DeliveryDesk.key, value: id))
            return id
        }
        knownDeviceId = id
        return id
    }

    /// Requests in the making bear a new id once it is on disk: one that was sent and then lost would be nobody's.
    func followDeviceId(_ changes: Changes) {
        for case .setMeta(DeliveryDesk.key, let id) in changes.rows { deviceName.set(id) }
    }
}

/// The id as requests in the making see it, on whatever thread they are put together.
final class DeviceName: Sendable {
    private let id = Mutex<String?>(nil)

    var current: String? { id.withLock { $0 } }

    func set(_ id: String?) {
        self.id.withLock { $0 = id }
    }
}
