import HarkScreen

/// The window, in which one scene after the other is shown: a sheet, or the words of a kiosk that rests.
final class Frame {
    let window: Window
    let measures: Measures
    /// Keys that the scene takes; `isFirst` tells those before the widget that has the focus had them.
    var onKey: (_ key: Key, _ isFirst: Bool) -> Bool = { _, _ in false }
    /// It is to go away.
    var onClose: () -> Void = {}

    private let scenes = Stack()

    init(_ application: Application, title: String, isKiosk: Bool) {
        measures = Measures(
            textScale: application.textScale, screenHeight: application.screenHeight, isKiosk: isKiosk)
        window = Window(application, title: title, isFixed: !isKiosk, scenes)
        if isKiosk { scenes.style("hark-kiosk", true) }
        window.onKey(isFirst: true) { [weak self] in self?.onKey($0, true) ?? false }
        window.onKey(isFirst: false) { [weak self] in self?.onKey($0, false) ?? false }
        window.onClose { [weak self] in
            self?.onClose()
            return true
        }
    }

    func show(_ scene: Widget) { scenes.show(scene) }
}
