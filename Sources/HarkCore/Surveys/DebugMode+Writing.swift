package import HarkWire

extension DebugInfo {
    package init(_ mode: DebugMode) {
        self.init()
        bypassGating = mode.bypassesGating
        scheduleDelaySeconds = mode.delay.map { Double($0) / 1_000 }
        attemptCooldownSeconds = mode.attemptCooldown.map { Double($0) / 1_000 }
    }
}

extension DebugMode {
    package func write(to json: inout JSONWriter) { DebugInfo(self).write(to: &json) }
}
