import HarkAsking
import HarkClient
import HarkScreen

/// Separates the visitors of a kiosk: detects when one has left, when the next may answer, and the language.
final class Kiosk {
    /// Called when the visitor has left.
    var onGone: () -> Void = {}
    /// Called when a visitor chooses another language.
    var onLanguage: (Language) -> Void = { _ in }

    private let options: KioskOptions
    private let frame: Frame
    private var clock: VisitClock
    private var timer: UInt32?
    /// The state that an absent visitor would leave behind.
    private var watched = Watched.nothing
    private(set) var language: Language?
    /// Whether the survey of the screen is shown, and no visitor has begun it.
    private(set) var isStanding = false

    private enum Watched {
        case nothing
        /// A chosen language is no loss, so there is no warning.
        case language
        case survey
    }

    init(_ options: KioskOptions, _ frame: Frame) {
        self.options = options
        self.frame = frame
        clock = VisitClock(
            idleReset: Double(options.idleReset), minGap: Double(options.minGap),
            shortestRest: options.alwaysShown == nil ? 1 : 0)
        frame.window.onTouch { [weak self] in self?.touch() }
    }

    /// Notes a touch.
    func touch() {
        if clock.touch(at: MonotonicClock.now) { look() }
    }

    /// Notes that a survey is on the screen.
    ///
    /// - Parameter isStanding: Whether it stays there until a visitor begins it.
    func begin(isStanding: Bool) {
        self.isStanding = isStanding
        if isStanding { stop() } else { watch(.survey) }
    }

    /// Notes that a visitor has done something in the survey.
    func act() {
        guard isStanding else { return touch() }
        isStanding = false
        watch(.survey)
    }

    /// Notes that the survey was answered.
    func answered() {
        clock.answered(at: MonotonicClock.now)
        stop()
    }

    /// Stops watching for an absent visitor.
    func stop() {
        watched = .nothing
        look()
    }

    private func watch(_ what: Watched) {
        clock.begin(at: MonotonicClock.now)
        watched = what
        look()
    }

    private func look() {
        if let timer { MainLoop.forget(timer) }
        timer = nil
        let now = MonotonicClock.now
        guard watched != .nothing else { return frame.count(down: nil) }
        if clock.isOver(at: now) {
            stop()
            return onGone()
        }
        frame.count(down: watched == .survey ? clock.secondsLeft(at: now) : nil)
        timer = MainLoop.after(clock.pause(at: now)) { [weak self] in
            self?.timer = nil
            self?.look()
        }
    }

    // MARK: Between two visitors

    /// The seconds for which the screen is to rest.
    var pause: Double { clock.rest(at: MonotonicClock.now) }
    /// Returns the number of ignored presses.
    func takeIgnored() -> Int { clock.takeIgnored() }

    /// Adds the available languages to the page.
    func add(to page: RestPage) {
        page.add(options.languages, chosen: language ?? desktops, frame.measures) { [weak self] in
            self?.choose($0)
        }
    }

    /// The available language that the desktop uses.
    private var desktops: Language? {
        guard let own = Words.locale.flatMap({ Language(String($0.prefix { $0 != "." && $0 != "@" })) }) else {
            // Texts are English by default.
            return options.languages.first { $0.code == "en" }
        }
        return options.languages.first { $0 == own }
            ?? options.languages.first { own.code.hasPrefix($0.code + "_") }
    }

    private func choose(_ language: Language) {
        speak(language)
        watchLanguage()
        onLanguage(language)
    }

    func watchLanguage() { watch(.language) }

    /// Sets the language of everything shown; nil for the desktop's.
    func speak(_ language: Language?) {
        self.language = language
        Words.speak(language?.code)
        Application.isRightToLeft = language?.isRightToLeft
    }
}
