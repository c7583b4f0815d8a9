import Glibc
import HarkAsking
import HarkClient

/// Shows a form on the terminal until it ends. It only transfers bytes and carries out the form's actions.
struct AskOnScreen {
    private var asked: any Asked
    private let glyphs: Glyphs
    private let signals: SignalQueue
    private var form: TerminalForm
    private var decoder = KeyDecoder()
    private var screen: Screen
    private var course = Reconnection()

    private static let undecided: CInt = 50

    init(_ asked: any Asked, _ console: Console) {
        self.asked = asked
        glyphs = console.glyphs
        signals = SignalQueue(SignalQueue.endings + [SIGTSTP, SIGCONT, SIGWINCH])
        form = TerminalForm(asked.form)
        screen = Screen(coloured: console.style.coloured)
    }

    /// - Throws: If the terminal cannot be used.
    mutating func run() throws -> AskEnding {
        var mode = try TerminalMode()
        form.size = TerminalMode.size
        while true {
            // A notification that came with a reply is in the connection's buffer and wakes no poll.
            if let ending = asked.attend(&form.form, &course), let last = follow(ending) { return last }
            draw()
            let wake = wait()
            if wake.hasSignal { try handleSignals(&mode) }
            let keys = wake.hasInput ? try readKeys(&mode) : decoder.isUndecided ? decoder.settle() : []
            for key in keys {
                if let ending = try take(key, &mode), let last = follow(ending) { return last }
            }
        }
    }

    /// - Returns: The final result; nil if the answer can still be changed, which a page of thanks offers.
    private mutating func follow(_ ending: AskEnding) -> AskEnding? {
        if asked is AskedThanks { return ending }
        // An answer that is not changed still counts.
        guard ending == .answered else { return asked is AskedChange ? .answered : ending }
        guard let change = asked.change(form.form) else { return ending }
        show(AskedThanks(change))
        return nil
    }

    private mutating func show(_ next: any Asked) {
        let size = form.size
        asked = next
        form = TerminalForm(next.form, isThanks: next is AskedThanks)
        form.size = size
        course.succeeded()
    }

    private mutating func draw() {
        TerminalMode.write(screen.update(to: SurveyScreen(form, glyphs: glyphs).frame))
    }

    private func wait() -> (hasInput: Bool, hasSignal: Bool) {
        let next = course.isAway ? course.pause(at: MonotonicClock.now) : nil
        let own = decoder.isUndecided ? Self.undecided : next
        let patience =
            [own, asked.patience(form.form).map { CInt(min($0, 3600) * 1000) + 1 }].compactMap(\.self).min() ?? -1
        let ready = Input.wait(for: 0, signals.descriptor, asked.descriptor, atMost: patience)
        return (ready[0], ready[1])
    }

    private mutating func readKeys(_ mode: inout TerminalMode) throws -> [TerminalKey] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(0, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        guard count > 0 else {
            mode.leave()
            throw ToolError(.noInput, "the terminal has gone")
        }
        return decoder.feed(bytes[..<count])
    }

    private mutating func handleSignals(_ mode: inout TerminalMode) throws {
        while let number = signals.next() {
            switch number {
            case SIGWINCH:
                form.size = TerminalMode.size
                screen.forget()
            case SIGTSTP: try suspend(&mode, wholeJob: false)
            case SIGCONT: try resume(&mode)
            default:
                mode.leave()
                asked.keep(form.form)
                SignalQueue.endProcess(by: number)
            }
        }
    }

    private mutating func suspend(_ mode: inout TerminalMode, wholeJob: Bool) throws {
        mode.leave()
        SignalQueue.stop(wholeJob: wholeJob)
        try resume(&mode)
    }

    /// Takes the terminal (again), in any state.
    private mutating func resume(_ mode: inout TerminalMode) throws {
        try mode.enter()
        form.size = TerminalMode.size
        screen.forget()
    }

    private mutating func take(_ key: TerminalKey, _ mode: inout TerminalMode) throws -> AskEnding? {
        if key == .control("z") {
            try suspend(&mode, wholeJob: true)
        } else if key == .control("l") {
            screen.forget()
        } else if let thanks = asked as? AskedThanks {
            // Any key closes the page except the one for a change, which is not typed by chance.
            guard key == .control("e") else { return .answered }
            show(thanks.change)
        } else if let action = form.handle(key) {
            return asked.carryOut(action, &form.form, &course)
        }
        return nil
    }
}
