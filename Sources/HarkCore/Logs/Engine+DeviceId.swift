package import HarkWire

/// Whom log entries are about that name nobody: an id of this store, made once, kept until somebody resets it.
extension Engine {
    /// The key under which the store keeps it.
    package static let deviceIdKey = "deviceId"

    var needsDeviceId: Bool { logs.deviceId == nil }

    /// Brings in what the store knows of it.
    package mutating func admit(deviceId: String?) {
        if needsDeviceId { logs.deviceId = deviceId.map(LogBook.DeviceId.known) ?? LogBook.DeviceId.none }
    }

    /// The id; made now if there is none yet.
    package mutating func deviceId(now: Timestamp, into changes: inout Changes) -> String {
        if case .known(let id) = logs.deviceId { return id }
        return resetDeviceId(now: now, into: &changes)
    }

    /// A new id takes the place of the old one.
    package mutating func resetDeviceId(now: Timestamp, into changes: inout Changes) -> String {
        let id = makeIdentifier(at: now).description
        logs.deviceId = .known(id)
        remember(id, as: Engine.deviceIdKey, into: &changes)
        return id
    }
}
