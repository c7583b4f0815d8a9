import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// `hark prompt`: asks a question, waits, and prints the answer.
struct PromptRun {
    private let arguments: Arguments
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) {
        self.arguments = arguments
        self.console = console
    }

    func run() throws {
        if let id = arguments[PromptOptions.id] { return try fetch(id) }
        let request = try PromptRequest(arguments)
        if arguments.has(PromptOptions.noWait) {
            let standing = try PromptLink.ask(try request.asked(requiresPresenter: false, isKept: true))
            return try console.printed(json: standing.json, arguments) ? () : console.print(standing.promptId)
        }
        let terminal = request.isForMyself ? PromptTerminal() : nil
        let isUnattended = terminal == nil && request.timeout == nil
        let asked = try request.asked(requiresPresenter: isUnattended, isKept: false)
        let link: PromptLink
        do throws(ClientError) {
            link = try PromptLink(asking: asked)
        } catch {
            guard error.reason == .notFound, isUnattended else { throw error }
            return try nobody()
        }
        if let terminal, let shown = link.standing.shown(to: getuid()) { try ask(shown, link, terminal) }
        try tell(try wait(for: link, isMine: true))
    }

    // MARK: On the terminal

    private func ask(_ shown: ShownSurvey, _ link: PromptLink, _ terminal: borrowing PromptTerminal) throws {
        let prompt = AskedPrompt(shown, link)
        let ending = try terminal.use { screen in
            if screen.hasScreen {
                var form = AskOnScreen(prompt, screen)
                return try form.run()
            }
            var lines = AskByLines(prompt, screen)
            return try lines.run()
        }
        guard ending == .left else { return }
        link.cancel()
        SignalQueue.endProcess(by: SIGINT)
    }

    // MARK: Waiting

    private func fetch(_ id: String) throws {
        if let extra = arguments.operands.first {
            throw ToolError.usage("'--id' and the question '\(extra)' contradict each other", hint: "Give one of them.")
        }
        let link = try PromptLink(id)
        if arguments.has(PromptOptions.noWait) { return try tell(link.standing) }
        try tell(try wait(for: link, isMine: false))
    }

    /// Waits until the question is closed, across restarts of the daemon.
    ///
    /// - Parameter isMine: Whether it was asked here, and is withdrawn when this program is ended.
    private func wait(for link: PromptLink, isMine: Bool) throws -> PromptReply {
        let signals = SignalQueue(SignalQueue.endings)
        var course = Reconnection()
        while true {
            do throws(ClientError) {
                if link.isAway { try link.reconnect() }
                if let over = try link.heard() { return over }
            } catch {
                guard error.isLoss || error.code == .timedOut else { throw error }
                if course.failed(at: MonotonicClock.now) { console.say("hark: the daemon is away; waiting for it") }
                // The question has expired by now; the daemon notes that when it is back.
                if let end = link.standing.expiresAt, end <= LocalTime.now { return link.standing.expired }
            }
            Input.wait(
                for: signals.descriptor, link.descriptor,
                atMost: link.isAway ? course.pause(at: MonotonicClock.now) : -1)
            if let number = signals.next() {
                if isMine { link.cancel() }
                SignalQueue.endProcess(by: number)
            }
        }
    }

    // MARK: Printing the result

    private func tell(_ standing: PromptReply) throws {
        if standing.state == .cancelled, standing.reason == "nobody" { return try nobody() }
        _ = try console.printed(json: standing.json, arguments)
        if standing.state == .answered || standing.state == .expired, let answer = standing.answer {
            return try print(answer)
        }
        switch standing.state {
        case .dismissed: throw try quiet(.declined, "the question was dismissed")
        case .expired: throw try quiet(.timedOut, "nobody answered in time")
        case .open: throw try quiet(.temporary, "nobody has answered yet")
        case .answered, .cancelled:
            let why = standing.reason.map { " (\(VisibleText.make($0)))" } ?? ""
            throw try quiet(.noInput, "the question was taken back\(why)")
        }
    }

    private func print(_ answer: [String]) throws {
        if arguments.has(.json) { return }
        for line in answer { try console.print(value: line) }
    }

    private func nobody() throws {
        let fallback = arguments.all(PromptOptions.fallback)
        guard fallback.isEmpty else { return try print(fallback) }
        throw ToolError(
            .nobody, "there is nobody to ask: no terminal, no presenter, and no notification can be shown",
            hint:
                "With --timeout, hark waits for an answer; 'hark surveys' says why no notification can be shown.")
    }

    private func quiet(_ exit: ExitCode, _ message: String) throws -> QuietExit {
        try console.flush()
        console.say("hark: \(message)")
        return QuietExit(exit: exit)
    }
}
