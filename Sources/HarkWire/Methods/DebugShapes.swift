/// The shapes of `debug.set`.
extension MethodShape {
    package static let debugSet = MethodShape(
        "debug.set",
        [
            .optional(.debugPreset), .optional(.bypassesGating), .optional(.debugDelay),
            .optional(.debugAttemptCooldown),
        ],
        result: DebugResult.members)
}

/// A named debug mode.
package enum DebugPreset: String, Sendable, CaseIterable {
    case production, debug
}

extension Parameter<DebugPreset> {
    package static var debugPreset: Parameter {
        Parameter("preset", .word, "`production`, or `debug`: no gating, delays of 10 s")
    }
}

extension Parameter<Bool> {
    package static var bypassesGating: Parameter { Parameter("bypassGating", .bool, "show at every event") }
}

extension Parameter<Int64?> {
    package static var debugDelay: Parameter {
        Parameter("scheduleDelaySeconds", .orNull(.seconds), "instead of every delay; null: as configured")
    }
    package static var debugAttemptCooldown: Parameter {
        Parameter(
            "attemptCooldownSeconds", .orNull(.seconds), "instead of every attempt cooldown; null: as configured")
    }
}
