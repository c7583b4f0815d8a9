import HarkSystem

/// Whether the user is at the desktop. By logind, the session is then neither locked nor idle. Without logind or a
/// session, the user is assumed to be there.
@DaemonActor
final class SessionState {
    /// nil: not known yet.
    var isAway: Bool? { isKnown ? isLocked || isIdle && isGraphical : nil }

    private let bus: MessageBus
    private let onChange: () -> Void
    private var isKnown = false
    private(set) var isLocked = false
    private var isIdle = false
    /// logind judges a terminal as idle by its input, which says nothing about a desktop.
    private var isGraphical = false
    /// The object of the session; nil if it is not known.
    private var path: String?
    private var heard: Set<String> = []

    private static let name = "org.freedesktop.login1"
    private static let manager = MessageBus.Target(
        destination: name, path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager")
    private static let session = "org.freedesktop.login1.Session"
    private static let graphical: Set<BusMessage.Property?> = [.text("x11"), .text("wayland"), .text("mir")]
    private static let patienceMicroseconds: UInt64 = 5_000_000

    init(_ bus: MessageBus, onChange: @escaping @DaemonActor () -> Void) throws(SystemError) {
        self.bus = bus
        self.onChange = onChange
        try bus.onOwner(of: SessionState.name) { [weak self] _, now in
            if !now.isEmpty { self?.ask() }
        }
        try bus.onEnd { [weak self] in self?.forget() }
    }

    /// Asks for the user's session, and then for its state.
    func ask() {
        do throws(SystemError) {
            // This program's own session or, for a service, the session in which the user has a display.
            try bus.call(
                "GetSession", of: SessionState.manager, [.text("auto")],
                timeoutMicroseconds: SessionState.patienceMicroseconds
            ) { [weak self] reply in
                guard let self else { return }
                guard reply.error == nil, let path = reply.path() else { return forget() }
                self.path = path
                listen(to: path)
            }
        } catch {
            Log.debug("logind cannot be asked: \(error)")
            DaemonActor.post { [weak self] in self?.forget() }
        }
    }

    private func listen(to path: String) {
        do throws(SystemError) {
            if heard.insert(path).inserted {
                try bus.onSignal(
                    """
                    type='signal',sender='\(SessionState.name)',path='\(path)',\
                    interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'
                    """
                ) { [weak self] signal in
                    guard let self, path == self.path, signal.text() == SessionState.session,
                        let properties = signal.properties()
                    else { return }
                    take(properties)
                }
                try bus.onSignal(
                    """
                    type='signal',sender='\(SessionState.name)',interface='org.freedesktop.login1.Manager',\
                    member='SessionRemoved',arg1path='\(path)'
                    """
                ) { [weak self] _ in self?.ask() }
            }
            let target = MessageBus.Target(
                destination: SessionState.name, path: path, interface: SessionState.session)
            try bus.properties(of: target, timeoutMicroseconds: SessionState.patienceMicroseconds) {
                [weak self] properties in
                guard let self, path == self.path else { return }
                (isLocked, isIdle, isGraphical) = (false, false, false)
                isKnown = true
                take(properties)
                onChange()
            }
        } catch {
            Log.debug("logind cannot be asked about the session: \(error)")
            forget()
        }
    }

    private func take(_ properties: [String: BusMessage.Property]) {
        let before = isAway
        if let type = properties["Type"] { isGraphical = SessionState.graphical.contains(type) }
        if case .bool(let isOn) = properties["LockedHint"] { isLocked = isOn }
        if case .bool(let isOn) = properties["IdleHint"] { isIdle = isOn }
        if isAway != before { onChange() }
    }

    private func forget() {
        path = nil
        (isLocked, isIdle) = (false, false)
        isKnown = true
        onChange()
    }
}
