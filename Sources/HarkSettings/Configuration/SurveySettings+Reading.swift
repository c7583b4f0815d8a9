import HarkCore
import HarkWire

extension NotifySettings {
    /// Reads `notify` of the settings.
    mutating func read(_ settings: inout ObjectReader) {
        guard !settings.isNull("notify") else {
            isEnabled = false
            return
        }
        guard var reader = settings.object("notify", expected: "an object with a command, or null") else { return }
        defer { reader.finish() }
        reader.take("command", .command, into: &command)
        reader.take("open", .command, into: &open)
        reader.take("timeoutSeconds", .integer(in: 1...86_400), into: &timeoutSeconds)
    }
}

extension DebugMode {
    /// Reads `debug` of the settings.
    static func read(_ settings: inout ObjectReader) -> DebugMode? {
        if let preset = settings.value("debug").flatMap(MemberType<DebugPreset>.word.read) { return DebugMode(preset) }
        guard var reader = settings.object("debug", expected: "production, debug, or an object") else { return nil }
        defer { reader.finish() }
        var mode = DebugMode.production
        reader.take("bypassGating", .bool, into: &mode.bypassesGating)
        reader.take("scheduleDelaySeconds", .orNull(.seconds), into: &mode.delay)
        reader.take("attemptCooldownSeconds", .orNull(.seconds), into: &mode.attemptCooldown)
        return mode
    }
}
