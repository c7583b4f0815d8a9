import HarkSystem
import HarkWire

/// Whether this is no time for notifications: the desktop was told not to disturb, or nobody sits before it, as its session
/// is locked or idle. Told by signals, so waiting for its end costs nothing.
@DaemonActor
final class QuietTime {
    /// nil: not known yet.
    private(set) var isQuiet: Bool?
    /// Why this is no time for notifications; nil if it is one, or is not known yet.
    var reason: Absence? {
        guard isQuiet == true else { return nil }
        if session?.isAway == true { return session?.isLocked == true ? .locked : .idle }
        return .doNotDisturb
    }
    private let onChange: (Bool) -> Void
    private var desktop: DoNotDisturb?
    private var session: SessionState?

    /// - Parameters:
    ///   - bus: of the session; nil: there is none.
    ///   - onChange: Called when it is known, and at each change, not before `ask`.
    init(_ bus: MessageBus?, loop: EventLoop, onChange: @escaping @DaemonActor (_ isQuiet: Bool) -> Void) {
        self.onChange = onChange
        do throws(SystemError) {
            // Without a desktop it does not matter who sits before it.
            guard let bus else { return }
            desktop = try DoNotDisturb(bus, loop: loop) { [weak self] in self?.look() }
            session = try SessionState(MessageBus(.system, loop: loop)) { [weak self] in self?.look() }
        } catch {
            Log.debug("whether notifications disturb cannot be told: \(error)")
        }
    }

    func ask() {
        desktop?.ask()
        session?.ask()
        if desktop == nil, session == nil { DaemonActor.post { [weak self] in self?.look() } }
    }

    /// Another notification server came.
    func serverChanged() { desktop?.ask() }

    private func look() {
        // One that says so is enough; that nothing is against it all have to say.
        let said = [desktop.map(\.isOn), session.map(\.isAway)].compactMap { $0 }
        let isQuiet: Bool? = said.contains(true) ? true : said.contains(nil) ? nil : false
        guard let isQuiet, isQuiet != self.isQuiet else { return }
        self.isQuiet = isQuiet
        onChange(isQuiet)
    }
}
