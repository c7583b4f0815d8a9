package import HarkWire

/// What is done otherwise while surveys are tried out. Each part can be on alone.
package struct DebugMode: Sendable, Equatable {
    /// Nothing keeps a survey from being shown, and no showing counts towards anything.
    package var bypassesGating: Bool
    /// Milliseconds that take the place of every delay after an event; surveys without a delay stay without.
    package var delay: Int64?
    /// Milliseconds that take the place of every cooldown after an attempt.
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
