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

/// The result of `debug.set`.
package struct DebugResult: WireObject {
    package var debug = DebugInfo()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("debug", &debug, "`bypassGating`, `scheduleDelaySeconds`, `attemptCooldownSeconds`")
    }
}
