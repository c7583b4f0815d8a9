import HarkAsking
import HarkScreen

/// The window, in which one scene after the other is shown: a sheet, or the words of a screen that rests.
final class Frame {
    let window: Window
    let measures: Measures
    /// Keys that the scene takes; `isFirst` tells those before the widget that has the focus had them.
    var onKey: (_ key: Key, _ isFirst: Bool) -> Bool = { _, _ in false }
    /// It is to go away.
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

    /// Says in how many seconds a kiosk starts over; nil: it does not.
    func count(down seconds: Int?) { countdown.show(seconds) }
}
