import HarkAsking
import HarkClient
import HarkScreen

/// Brings what is wanted on the screen, one after the other, and ends the program.
final class Host {
    private(set) var exitCode = ExitCode.ok
    private let application: Application
    private let options: DialogOptions
    private let clerk = Clerk()
    private var frame: Frame?
    private var sheet: Sheet?
    private var watch: UInt32?
    private var timer: UInt32?
    /// The daemon was away when it was last looked for.
    private var isLost = false

    init(_ application: Application, _ options: DialogOptions) {
        self.application = application
        self.options = options
    }

    private var waits: Bool { if case .all = options.wish { true } else { false } }

    func run() {
        MainLoop.onEndingSignal { [weak self] in self?.leave() }
        if options.fillsScreen { rest() }
        Task { await begin() }
    }

    private func begin() async {
        do {
            if let word = try await clerk.begin(options.wish) { show(word) } else { await listen() }
        } catch {
            await failed(error)
        }
    }

    // MARK: One

    private func show(_ word: Clerk.Word) {
        let form = word.form
        Application.isRightToLeft = Reading.isRightToLeft([form.title, form.message].joined(separator: " "))
        let frame =
            options.fillsScreen ? frame ?? makeFrame(form.title) : Frame(application, title: form.title, isKiosk: false)
        self.frame = frame
        let sheet = Sheet(Course(word, clerk), in: frame)
        self.sheet = sheet
        sheet.onDone = { [weak self] in self?.done($0) }
        sheet.open()
        FirstFrame.report(frame.window)
    }

    private func done(_ ending: AskEnding) {
        sheet = nil
        guard waits else {
            exitCode = ending.exitCode
            if case .gone(let why) = ending { Say.error(why) }
            return application.quit()
        }
        if options.fillsScreen {
            rest()
        } else {
            frame?.window.close()
            frame = nil
        }
        Task { await next() }
    }

    // MARK: One after the other

    private func next() async {
        do {
            if let word = try await clerk.next() { show(word) } else { await listen() }
            isLost = false
        } catch {
            await failed(error)
        }
    }

    private func listen() async {
        let descriptor = await clerk.descriptor
        guard descriptor >= 0 else { return lookAgain() }
        watch = MainLoop.whenReadable(descriptor) { [weak self] _ in
            self?.watch = nil
            Task { await self?.next() }
            return false
        }
    }

    private func lookAgain() {
        timer = MainLoop.after(1) { [weak self] in
            self?.timer = nil
            Task { [weak self] in
                guard let self else { return }
                if await clerk.hasBegun { await next() } else { await begin() }
            }
        }
    }

    // MARK: Kiosk

    private func makeFrame(_ title: String) -> Frame {
        let frame = Frame(application, title: title, isKiosk: true)
        self.frame = frame
        frame.window.fillScreen()
        return frame
    }

    private func rest() {
        let frame = frame ?? makeFrame("Hark")
        frame.onKey = { _, _ in false }
        frame.onClose = { [weak self] in self?.leave() }
        let words = Label(options.restText, wraps: true).centered().styled("title-2", "dim-label")
        frame.show(Column(words.expanding(y: true)).padded(x: 48))
        frame.window.present()
    }

    // MARK: The end

    private func failed(_ error: any Error) async {
        switch error {
        case let nothing as NothingToAsk: quit(.noInput, nothing.why)
        case let unknown as NotUnderstood: quit(.software, unknown.text)
        case let error as ClientError where error.isPassing && waits:
            if !isLost { Say.error("\(error.message); waiting for the daemon") }
            isLost = true
            lookAgain()
        case let error as ClientError where error.reason == "networkError": showTrouble(error)
        case let error as ClientError:
            quit(error.exitCode, [error.message, error.hint].compactMap(\.self).joined(separator: "\n"))
        default: quit(.software, "\(error)")
        }
    }

    /// The questions could not be had: why, and a button that tries again.
    private func showTrouble(_ error: ClientError) {
        let frame = frame ?? Frame(application, title: "Hark", isKiosk: options.fillsScreen)
        self.frame = frame
        let trouble = TroublePage(error.message, frame.measures) { [weak self] in Task { await self?.begin() } }
        frame.onKey = { [weak self] key, isFirst in
            guard key.isEscape, !isFirst else { return false }
            self?.quit(error.exitCode, error.message)
            return true
        }
        frame.onClose = { [weak self] in self?.quit(error.exitCode, error.message) }
        frame.show(trouble.root)
        frame.window.present()
        trouble.takeFocus()
    }

    private func quit(_ code: ExitCode, _ why: String) {
        Say.error(why)
        exitCode = code
        application.quit()
    }

    /// Ends by a signal: what is begun of a form is kept, a survey is asked again.
    private func leave() {
        exitCode = waits ? .ok : .declined
        Task {
            await sheet?.course.keep()
            application.quit()
        }
    }
}

extension AskEnding {
    var exitCode: ExitCode {
        switch self {
        case .answered: .ok
        case .dismissed, .muted, .left: .declined
        case .waiting: .temporary
        case .gone: .noInput
        }
    }
}
