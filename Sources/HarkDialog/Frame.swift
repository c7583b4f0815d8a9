import HarkAsking
import HarkClient
import HarkScreen

/// The window, which shows one scene at a time: a survey or form, or a resting screen.
final class Frame {
    let window: Window
    var measures: Measures
    /// Handles keys; `isFirst` is true before the focused widget has handled them.
    var onKey: (_ key: Key, _ isFirst: Bool) -> Bool = { _, _ in false }
    /// Called when keys begin to count for what is shown.
    var onReady: () -> Void = {}
    /// Called when the window is about to close.
    var onClose: () -> Void = {}

    private let scenes = Stack()
    private let countdown = Countdown()
    private var gate: KeyGate
    private var timer: UInt32?

    init(
        _ application: Application, title: String, _ kind: Measures.Kind, hasColors: Bool = false, logo: String? = nil
    ) {
        measures = Measures(application, kind, hasColors: hasColors)
        measures.logo = logo
        let content: Widget = kind == .kiosk ? Overlay(scenes, countdown.widget) : scenes
        window = Window(application, title: title, width: measures.width, content)
        // A full screen has no window next to it, and without a window manager no event says that it is active.
        gate = KeyGate(isActive: kind != .window, at: MonotonicClock.now)
        if kind != .window { content.style(kind == .kiosk ? "hark-kiosk" : "hark-full", true) }
        if kind == .kiosk { window.hidePointer() }
        if kind == .window { window.onActivity { [weak self] in self?.noteActivity() } }
        window.onKey(isFirst: true) { [weak self] in self?.takesKeys == false || self?.onKey($0, true) == true }
        window.onKey(isFirst: false) { [weak self] in self?.onKey($0, false) ?? false }
        window.onClose { [weak self] in
            self?.onClose()
            return true
        }
    }

    func show(_ scene: Widget) {
        scenes.show(scene)
        gate.show(at: MonotonicClock.now)
        awaitKeys()
    }

    /// Whether keys are meant for what is shown.
    var takesKeys: Bool { gate.isOpen(at: MonotonicClock.now) }

    private func noteActivity() {
        gate.set(isActive: window.isActive, at: MonotonicClock.now)
        awaitKeys()
    }

    private func awaitKeys() {
        if let timer { MainLoop.forget(timer) }
        timer = gate.wait(at: MonotonicClock.now).map { seconds in
            MainLoop.after(seconds) { [weak self] in
                self?.timer = nil
                // A timer may come a little early.
                if self?.takesKeys == false { self?.awaitKeys() } else { self?.onReady() }
            }
        }
    }

    /// Shows the seconds until a kiosk restarts; nil hides the warning.
    func count(down seconds: Int?) { countdown.show(seconds) }
}
