/// Decides whether a key is meant for the content of a window.
///
/// A window may appear while a person types into another one. So keys count only once the window has been active with its
/// current content for a while.
package struct KeyGate: Sendable {
    /// The time for which keys do not count, in seconds.
    package static let pause = 0.6

    private var activeSince: Double?
    private var shownSince: Double?

    /// - Parameter isActive: Whether the window is the active one from the beginning, as a full screen is.
    package init(isActive: Bool, at now: Double) { activeSince = isActive ? now : nil }

    /// Notes that the window became the active one, or no longer is.
    package mutating func set(isActive: Bool, at now: Double) { activeSince = isActive ? activeSince ?? now : nil }

    /// Notes that the content of the window changes.
    package mutating func show(at now: Double) { shownSince = now }

    /// The seconds until keys count, 0 if they do; nil while the window is not the active one.
    package func wait(at now: Double) -> Double? {
        guard let activeSince, let shownSince else { return nil }
        return max(0, max(activeSince, shownSince) + Self.pause - now)
    }

    package func isOpen(at now: Double) -> Bool { wait(at: now) == 0 }
}
