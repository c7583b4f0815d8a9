import HarkAsking
import HarkScreen

/// Keeps the visitors of a kiosk apart: notices when one has gone, when the next may come, and which language they read.
final class Kiosk {
    /// The visitor has gone.
    var onGone: () -> Void = {}
    /// A visitor wants to read another language.
    var onLanguage: (Language) -> Void = { _ in }

    private let options: KioskOptions
    private let frame: Frame
    private var clock: VisitClock
    private var timer: UInt32?
    /// What somebody may go away from.
    private var watched = Watched.nothing
    private(set) var language: Language?

    private enum Watched {
        case nothing
        /// Nothing is lost with a language that was chosen, so nobody has to be warned.
        case language
        case survey
    }

    init(_ options: KioskOptions, _ frame: Frame) {
        self.options = options
        self.frame = frame
        clock = VisitClock(idleReset: Double(options.idleReset), minGap: Double(options.minGap))
        frame.window.onTouch { [weak self] in self?.touch() }
    }

    /// Somebody is there.
    func touch() {
        if clock.touch(at: MonotonicClock.now) { look() }
    }

    /// Something is on the screen that somebody may answer.
    func begin() { watch(.survey) }

    /// That was answered.
    func answered() {
        clock.answered(at: MonotonicClock.now)
        stop()
    }

    /// Nobody can go away from anything.
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

    /// For how many seconds the screen is to rest.
    var pause: Double { clock.rest(at: MonotonicClock.now) }
    /// How many presses did not count meanwhile.
    func takeIgnored() -> Int { clock.takeIgnored() }

    /// Puts the languages that there are on the page.
    func add(to page: RestPage) {
        page.add(options.languages, chosen: language ?? desktops, frame.measures) { [weak self] in
            self?.choose($0)
        }
    }

    /// The one of them that the desktop has.
    private var desktops: Language? {
        guard let own = Words.locale.flatMap({ Language(String($0.prefix { $0 != "." && $0 != "@" })) }) else {
            // Where nothing is said, words are English.
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

    /// From now on what is shown is in that language; nil: in the desktop's.
    func speak(_ language: Language?) {
        self.language = language
        Words.speak(language?.code)
        Application.isRightToLeft = language?.isRightToLeft
    }
}
