/// The debug mode.
package struct DebugInfo: WireObject {
    package var bypassGating = false
    package var scheduleDelaySeconds: Double?
    package var attemptCooldownSeconds: Double?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("bypassGating", &bypassGating)
        m("scheduleDelaySeconds", orNull: &scheduleDelaySeconds)
        m("attemptCooldownSeconds", orNull: &attemptCooldownSeconds)
    }
}

/// A named debug mode.
package enum DebugPreset: String, Sendable, CaseIterable {
    case production, debug
}

package struct DebugSet: WireMethod {
    package static let name = "debug.set"

    package var preset: DebugPreset?
    package var bypassesGating: Bool?
    /// In milliseconds, as the next; null switches it off.
    package var delay: Int64??
    package var attemptCooldown: Int64??

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("preset", &preset, "`production`, or `debug`: no gating, delays of 10 s")
        m("bypassGating", &bypassesGating, "show at every event")
        m("scheduleDelaySeconds", givenMilliseconds: &delay, "instead of every delay; null: as configured")
        m(
            "attemptCooldownSeconds", givenMilliseconds: &attemptCooldown,
            "instead of every attempt cooldown; null: as configured")
    }

    package struct Result: WireObject {
        package var debug = DebugInfo()

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("debug", &debug, "`bypassGating`, `scheduleDelaySeconds`, `attemptCooldownSeconds`")
        }
    }
}
