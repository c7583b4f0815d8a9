import HarkSystem

/// Whether the desktop is in "do not disturb" mode: a property of the notification server (KDE, dunst), or a setting
/// (GNOME). A server that does not report it counts as free.
@DaemonActor
final class DoNotDisturb {
    /// nil: not known yet.
    var isOn: Bool? { asked > 0 ? nil : isInhibited || isPaused || areBannersOff }

    private let bus: MessageBus
    private let loop: EventLoop
    private let onChange: () -> Void
    private var isInhibited = false
    private var isPaused = false
    private var areBannersOff = false
    /// The number of pending answers.
    private var asked = 0
    /// Answers of an earlier server have another number and are ignored.
    private var round = 0
    private var hearsSettings = false

    private static let inhibition = NotificationServer.target
    private static let dunst = MessageBus.Target(
        destination: NotificationServer.name, path: NotificationServer.path, interface: "org.dunstproject.cmd0")
    private static let patienceMicroseconds: UInt64 = 5_000_000
    private static let settings = "/org/gnome/desktop/notifications/"
    private static let readBanners = ["gsettings", "get", "org.gnome.desktop.notifications", "show-banners"]

    init(_ bus: MessageBus, loop: EventLoop, onChange: @escaping @DaemonActor () -> Void) throws(SystemError) {
        self.bus = bus
        self.loop = loop
        self.onChange = onChange
        try bus.onSignal(
            """
            type='signal',sender='\(NotificationServer.name)',path='\(NotificationServer.path)',\
            interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'
            """
        ) { [weak self] signal in
            guard signal.text() != nil, let properties = signal.properties() else { return }
            self?.take(properties)
        }
    }

    /// Queries the current server; call it at the start, and when the server has changed.
    func ask() {
        round += 1
        let round = round
        asked = 0
        (isInhibited, isPaused, areBannersOff) = (false, false, false)
        for target in [DoNotDisturb.inhibition, DoNotDisturb.dunst] {
            expect(round) { done throws(SystemError) in
                try bus.properties(of: target, timeoutMicroseconds: DoNotDisturb.patienceMicroseconds) { [weak self] in
                    if self?.round == round { self?.take($0) }
                    done()
                }
            }
        }
        expect(round) { done throws(SystemError) in
            try bus.call(
                "GetServerInformation", of: NotificationServer.target,
                timeoutMicroseconds: DoNotDisturb.patienceMicroseconds
            ) { [weak self] reply in
                if let self, self.round == round, reply.error == nil, reply.text() == "gnome-shell" { askSettings() }
                done()
            }
        }
    }

    private func expect(_ round: Int, _ call: (@escaping @DaemonActor () -> Void) throws(SystemError) -> Void) {
        asked += 1
        let done: @DaemonActor () -> Void = { [weak self] in
            guard let self, self.round == round else { return }
            asked -= 1
            if asked == 0 { onChange() }
        }
        do throws(SystemError) {
            try call(done)
        } catch {
            Log.debug("the notification server cannot be asked: \(error)")
            DaemonActor.post(done)
        }
    }

    private func take(_ properties: [String: BusMessage.Property]) {
        let before = isOn
        if case .bool(let isOn) = properties["Inhibited"] { isInhibited = isOn }
        if case .bool(let isOn) = properties["paused"] { isPaused = isOn }
        if isOn != before { onChange() }
    }

    // MARK: GNOME

    /// Reads the setting, now and on each change.
    private func askSettings() {
        if !hearsSettings {
            hearsSettings = true
            do throws(SystemError) {
                try bus.onSignal(
                    "type='signal',interface='ca.desrt.dconf.Writer',member='Notify',arg0path='\(DoNotDisturb.settings)'"
                ) { [weak self] _ in self?.askSettings() }
            } catch {
                Log.debug("changes of the desktop's settings cannot be heard: \(error)")
            }
        }
        let round = round
        expect(round) { done throws(SystemError) in
            var command = ChildProcess.Command(DoNotDisturb.readBanners)
            command.timeoutMicroseconds = DoNotDisturb.patienceMicroseconds
            try ChildProcess(command, on: loop) { [weak self] outcome in
                if let self, self.round == round {
                    areBannersOff = String(decoding: outcome.output, as: UTF8.self).hasPrefix("false")
                }
                done()
            }
        }
    }
}
