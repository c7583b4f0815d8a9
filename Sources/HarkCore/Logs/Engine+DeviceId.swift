package import HarkWire

/// The user id for log entries that name no user: made once per store, and kept until it is reset.
extension Engine {
    /// The key of the id in the store.
    package static let deviceIdKey = "deviceId"

    var needsDeviceId: Bool { logs.deviceId == nil }

    /// Sets the id as the store has it; nil if the store has none.
    package mutating func admit(deviceId: String?) {
        if needsDeviceId { logs.deviceId = deviceId.map(LogBook.DeviceId.known) ?? LogBook.DeviceId.none }
    }

    /// The id, created now if there is none.
    package mutating func deviceId(now: Timestamp, into changes: inout Changes) -> String {
        if case .known(let id) = logs.deviceId { return id }
        return resetDeviceId(now: now, into: &changes)
    }

    /// Replaces the id with a new one.
    package mutating func resetDeviceId(now: Timestamp, into changes: inout Changes) -> String {
        let id = makeIdentifier(at: now).description
        logs.deviceId = .known(id)
        remember(id, as: Engine.deviceIdKey, into: &changes)
        return id
    }
}
