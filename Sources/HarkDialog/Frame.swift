import HarkAsking
import HarkScreen

/// The window, which shows one scene at a time: a sheet, or a resting screen.
final class Frame {
    let window: Window
    let measures: Measures
    /// Handles keys; `isFirst` is true before the focused widget has handled them.
    var onKey: (_ key: Key, _ isFirst: Bool) -> Bool = { _, _ in false }
    /// Called when the window is about to close.
    var onClose: () -> Void = {}

    private let scenes = Stack()
    private let countdown = Countdown()

    init(_ application: Application, title: String, _ kind: Measures.Kind) {
        measures = Measures(application, kind)
        let content: Widget = kind == .kiosk ? Overlay(scenes, countdown.widget) : scenes
        window = Window(application, title: title, isFixed: kind == .window, content)
        if kind != .window { content.style(kind == .kiosk ? "hark-kiosk" : "hark-full", true) }
        if kind == .kiosk { window.hidePointer() }
        window.onKey(isFirst: true) { [weak self] in self?.onKey($0, true) ?? false }
        window.onKey(isFirst: false) { [weak self] in self?.onKey($0, false) ?? false }
        window.onClose { [weak self] in
            self?.onClose()
            return true
        }
    }

    func show(_ scene: Widget) { scenes.show(scene) }

    /// Shows the seconds until a kiosk restarts; nil hides the warning.
    func count(down seconds: Int?) { countdown.show(seconds) }
}
