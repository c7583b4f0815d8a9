import HarkSystem
import HarkWire

/// Whether notifications would disturb or be missed: "do not disturb" is on, or nobody is there, because the session is
/// locked or idle. Signals of the bus report it, so waiting for its end costs nothing.
@DaemonActor
final class QuietTime {
    /// nil: not known yet.
    private(set) var isQuiet: Bool?
    /// The reason not to notify now; nil if there is none, or it is not known yet.
    var reason: Absence? {
        guard isQuiet == true else { return nil }
        if session?.isAway == true { return session?.isLocked == true ? .locked : .idle }
        return .doNotDisturb
    }
    private let onChange: (Bool) -> Void
    private var desktop: DoNotDisturb?
    private var session: SessionState?

    /// - Parameters:
    ///   - bus: The bus of the session; nil for none.
    ///   - onChange: Called when it is known, and on each change, not before `ask`.
    init(_ bus: MessageBus?, loop: EventLoop, onChange: @escaping @DaemonActor (_ isQuiet: Bool) -> Void) {
        self.onChange = onChange
        do throws(SystemError) {
            // Without a desktop nobody can sit in front of it.
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
        // One of them is enough for a quiet time. Both must agree that there is none.
        let said = [desktop.map(\.isOn), session.map(\.isAway)].compactMap { $0 }
        let isQuiet: Bool? = said.contains(true) ? true : said.contains(nil) ? nil : false
        guard let isQuiet, isQuiet != self.isQuiet else { return }
        self.isQuiet = isQuiet
        onChange(isQuiet)
    }
}
