import Glibc
import HarkAsking
import HarkClient
import HarkScreen
import HarkWire

/// Shows what is wanted, one survey after the other, and ends the program.
final class Host {
    private(set) var exitCode = ExitCode.ok
    let application: Application
    let options: DialogOptions
    let clerk = Clerk()
    var frame: Frame?
    private var kiosk: Kiosk?
    private var sheet: Sheet?
    var restPage: RestPage?
    /// Whether it is known how windows are to look, and the file of the logo.
    var isDressed = false
    var logo: String?
    private var watch: UInt32?
    private var timer: UInt32?
    private var course = Reconnection()
    /// Whether the daemon is being asked for the next survey.
    private var isFetching = false

    init(_ application: Application, _ options: DialogOptions) {
        self.application = application
        self.options = options
    }

    private var waits: Bool { options.wish.waits }

    func run() {
        MainLoop.onEndingSignal { [weak self] in self?.leave() }
        if options.fillsScreen { rest() }
        Task { await begin() }
    }

    private func begin() async { await fetch { try await $0.begin($1) } }

    // MARK: A single survey

    private func show(_ word: Clerk.Word) {
        let form = word.form
        Application.isRightToLeft = Reading.isRightToLeft([form.title, form.message].joined(separator: " "))
        show(
            word,
            in: options.fillsScreen
                ? frame ?? makeFrame(form.title) : Frame(application, title: form.title, .window, logo: logo))
    }

    private func show(_ word: Clerk.Word, in frame: Frame) {
        self.frame = frame
        let course = Course(word, clerk)
        let sheet = Sheet(course, in: frame)
        self.sheet = sheet
        restPage = nil
        sheet.onDone = { [weak self] in self?.done($0) }
        sheet.onChange = { [weak self] in self?.change($0) }
        if let kiosk {
            course.onTouch = { [weak kiosk] in kiosk?.act() }
            sheet.onEnd = { [weak kiosk] in $0 == .answered ? kiosk?.answered() : kiosk?.stop() }
            sheet.isStanding = { [weak kiosk] in kiosk?.isStanding == true }
            kiosk.begin(isStanding: word.isStanding)
        }
        sheet.open()
        FirstFrame.report(frame.window)
    }

    /// Reopens the answers for a change, in the window with the thanks.
    private func change(_ form: SurveyForm) {
        Task {
            guard let frame, let word = await clerk.change(form) else { return done(.answered) }
            show(word, in: frame)
        }
    }

    private func done(_ ending: AskEnding) {
        let putOff = sheet?.putOff
        sheet = nil
        guard waits else {
            exitCode = ending.exitCode
            if case .gone(let why) = ending { Say.error(why) }
            guard ending == .left, let putOff else { return application.quit() }
            Task {
                await clerk.putOff(for: putOff)
                application.quit()
            }
            return
        }
        if kiosk != nil { return endVisit(isAbandoned: false, hasThanked: ending == .answered) }
        if options.fillsScreen {
            rest()
        } else {
            frame?.window.close()
            frame = nil
        }
        Task {
            if ending == .left { await clerk.putOff(for: putOff) }
            await next()
        }
    }

    // MARK: Successive surveys

    private func next() async { await fetch { clerk, _ in try await clerk.next() } }

    private func fetch(_ ask: (Clerk, Clerk.Wish) async throws -> Clerk.Word?) async {
        isFetching = true
        defer { isFetching = false }
        do {
            let word = try await ask(clerk, options.wish)
            course.succeeded()
            await dress()
            if let word { return show(word) }
            // The thanks stay only until it is known that no standing survey comes.
            if kiosk != nil, restPage == nil { rest() }
            await listen()
        } catch {
            await failed(error)
        }
    }

    private func listen() async {
        let descriptor = await clerk.descriptor
        guard descriptor >= 0 else { return lookAgain() }
        if options.kiosk?.standing != nil { lookAgain(after: Self.betweenTries) }
        watch = MainLoop.whenReadable(descriptor) { [weak self] _ in
            self?.watch = nil
            self?.stopListening()
            self?.isFetching = true
            Task { await self?.next() }
            return false
        }
    }

    /// The seconds after which a standing survey that did not come is tried again.
    private static let betweenTries = 300.0

    private func lookAgain(after seconds: Double = 1) {
        timer = MainLoop.after(seconds) { [weak self] in
            self?.timer = nil
            self?.stopListening()
            self?.isFetching = true
            Task { [weak self] in
                guard let self else { return }
                if await clerk.hasBegun { await next() } else { await begin() }
            }
        }
    }

    private func stopListening() {
        if let watch { MainLoop.forget(watch) }
        if let timer { MainLoop.forget(timer) }
        watch = nil
        timer = nil
    }

    // MARK: Full screen

    private func makeFrame(_ title: String) -> Frame {
        let frame = Frame(
            application, title: title, options.kind, hasColors: options.kiosk?.hasColors == true, logo: logo)
        self.frame = frame
        if let kind = options.kiosk {
            let kiosk = Kiosk(kind, frame)
            kiosk.onGone = { [weak self] in self?.visitorHasGone() }
            kiosk.onLanguage = { [weak self] language in
                self?.rest()
                Task { await self?.clerk.speak(language.code) }
            }
            self.kiosk = kiosk
        }
        frame.window.fillScreen()
        return frame
    }

    /// - Parameter isOpen: Whether input is accepted already.
    func rest(isOpen: Bool = true) {
        let frame = frame ?? makeFrame("Hark")
        frame.onKey = { _, _ in false }
        frame.onReady = {}
        frame.onClose = { [weak self] in
            if self?.kiosk == nil { self?.leave() }
        }
        let page = RestPage(
            options.restText ?? Words.say("Nothing to answer right now."), picture: makePicture(), frame.measures)
        kiosk?.add(to: page)
        page.isOpen = isOpen
        restPage = page
        frame.show(page.root)
        frame.window.present()
    }

    // MARK: Visitors

    private func visitorHasGone() {
        // The survey about to arrive is for the person who chose the language.
        if sheet == nil, isFetching { return kiosk?.watchLanguage() ?? () }
        sheet?.course.stop()
        sheet = nil
        endVisit(isAbandoned: true)
    }

    /// Clears the screen, and asks the next visitor after a pause.
    ///
    /// - Parameter hasThanked: Whether the page of thanks is on the screen. It stays until a standing survey comes.
    private func endVisit(isAbandoned: Bool, hasThanked: Bool = false) {
        guard let kiosk else { return }
        stopListening()
        kiosk.speak(nil)
        application.forgetClipboard()
        if options.kiosk?.standing == nil || !hasThanked { rest(isOpen: false) }
        Task { await clerk.endVisit(isAbandoned: isAbandoned) }
        timer = MainLoop.after(kiosk.pause) { [weak self] in
            self?.timer = nil
            self?.restPage?.isOpen = true
            let ignored = kiosk.takeIgnored()
            Task { [weak self] in
                guard let self else { return }
                await clerk.note(ignored: ignored)
                await clerk.speak(nil)
                await next()
            }
        }
    }

    // MARK: End

    private func failed(_ error: any Error) async {
        switch error {
        case let nothing as NothingToAsk: quit(.noInput, nothing.why)
        case let unknown as NotUnderstood: quit(.software, unknown.text)
        case let error as ClientError where error.isPassing && waits:
            if course.failed(at: MonotonicClock.now) { Say.error("\(error.message); waiting for the daemon") }
            lookAgain(after: Double(course.pause(at: MonotonicClock.now)) / 1_000)
        case let error as ClientError where error.reason == .networkError: showTrouble(error)
        case let error as ClientError:
            quit(error.exitCode, [error.message, error.hint].compactMap(\.self).joined(separator: "\n"))
        default: quit(.software, "\(error)")
        }
    }

    /// Shows why the questions could not be loaded, with a button to retry.
    private func showTrouble(_ error: ClientError) {
        let frame = frame ?? Frame(application, title: "Hark", options.kind)
        self.frame = frame
        let trouble = TroublePage(error.message, frame.measures) { [weak self] in Task { await self?.begin() } }
        frame.onKey = { [weak self] key, isFirst in
            guard key.isEscape, !isFirst else { return false }
            self?.quit(error.exitCode, error.message)
            return true
        }
        frame.onClose = { [weak self] in self?.quit(error.exitCode, error.message) }
        frame.onReady = { trouble.takeFocus() }
        frame.show(trouble.root)
        frame.window.present()
        frame.window.dropFocus()
    }

    private func quit(_ code: ExitCode, _ why: String) {
        Say.error(why)
        exitCode = code
        application.quit()
    }

    /// Ends after a signal: the draft of a form is kept, and a survey is asked again.
    private func leave() {
        exitCode = waits || sheet?.isAnswered == true ? .ok : .declined
        Task {
            await sheet?.course.keep()
            application.quit()
        }
    }
}

extension AskEnding {
    var exitCode: ExitCode {
        switch self {
        case .answered, .held: .ok
        case .dismissed, .muted, .left: .declined
        case .waiting: .temporary
        case .gone: .noInput
        }
    }
}
