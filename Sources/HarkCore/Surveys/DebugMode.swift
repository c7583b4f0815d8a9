package import HarkWire

/// Changes to the behaviour while surveys are tried out. Each part can be on alone.
package struct DebugMode: Sendable, Equatable {
    /// Whether surveys are shown without any check, and showings count towards nothing.
    package var bypassesGating: Bool
    /// Replaces every delay after an event, in milliseconds; surveys without a delay stay without.
    package var delay: Int64?
    /// Replaces every cooldown after an attempt, in milliseconds.
    package var attemptCooldown: Int64?

    package init(bypassesGating: Bool = false, delay: Int64? = nil, attemptCooldown: Int64? = nil) {
        self.bypassesGating = bypassesGating
        self.delay = delay
        self.attemptCooldown = attemptCooldown
    }

    package static let production = DebugMode()
    package static let debug = DebugMode(bypassesGating: true, delay: 10_000, attemptCooldown: 10_000)

    package init(_ preset: DebugPreset) {
        switch preset {
        case .production: self = .production
        case .debug: self = .debug
        }
    }

    package var isOn: Bool { self != .production }
}
