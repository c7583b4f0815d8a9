import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// `hark agent`: presents surveys as notifications of the desktop it runs in, for as long as it runs.
///
/// Each survey that the daemon brings is a `harkd --notify` of its own, as the notify hook of a user's daemon is; what it
/// prints is the choice. A notification that nobody touches is given back, so the survey waits for `hark ask`; one that
/// cannot be shown is tried again. While notifications would disturb, or nobody is there to see them, the agent presents
/// nothing: `harkd --while-quiet` says when that is over.
final class SurveyAgent {
    private struct Failed {
        let offer: Offer
        let attempts: Int
        let at: Double
    }

    /// The exit code of `harkd --notify` without a program that shows notifications.
    private static let noNotifySend: CInt = 127
    /// And while notifications would disturb.
    private static let notNow: CInt = 75

    private let console: Console
    private let link: SurveyLink
    private let signals = SignalQueue(SignalQueue.endings + [SIGCHLD])
    /// A program that shows nothing says so sooner; seconds.
    private static let untilShown = 2.0
    /// How long a notification stays, in seconds.
    private let patience: Int64
    private var shown: [pid_t: Shown] = [:]
    private var failed: [String: Failed] = [:]
    /// The windows that were opened, with the presentations they are about.
    private var windows: [pid_t: String] = [:]
    private var hasToldProblem = false
    /// The program that waits until notifications may be shown again; nothing is presented until then.
    private var quiet: ChildProgram?
    private var quietSince = 0.0

    init(app: String?, patience: Int64, _ console: Console) throws {
        self.console = console
        self.patience = patience
        link = try SurveyLink(app: app, isPresenter: true, on: .notification)
    }

    /// Ends only by a signal or by an error that waiting does not cure.
    func run() throws -> Never {
        while true {
            do throws(ClientError) {
                if quiet == nil { try hear() }
            } catch {
                guard error.isPassing else { throw error }
                lost(error)
                try comeBack()
                // Data that came with the answer is in the buffer already.
                continue
            }
            wait(milliseconds: untilNext)
            if let ended = try handleSignals() { end(by: ended) }
            retryFailed()
        }
    }

    // MARK: The daemon

    private func hear() throws(ClientError) {
        // A call has found out, and nothing is heard any more.
        if link.isAway { throw ClientError(.disconnected, "the daemon went away") }
        while let (method, params) = try link.heard() {
            if method == NotificationShape.subscriptionClosed.name {
                throw ClientError(.disconnected, SubscriptionEnd(params).message)
            }
            let json = SurveyNotice(params).survey.json
            guard let presentation = ShownSurvey(json) else { continue }
            if method == NotificationShape.surveyPresent.name {
                show(Offer(presentation: presentation, json: json), attempts: 0)
            } else if NotificationShape.endShowing.contains(method) {
                close(presentation.id)
            }
        }
    }

    private func lost(_ error: ClientError) {
        console.say("hark: \(VisibleText.make(error.message)); waiting for the daemon")
        link.lose()
        for pid in shown.keys { close(pid: pid) }
        failed = [:]
    }

    /// - Parameter isTold: whether its coming back is news.
    private func comeBack(isTold: Bool = true) throws(ClientError) {
        var course = Reconnection()
        try course.reach(
            { () throws(ClientError) in try link.reconnect() },
            wait: { pause throws(ClientError) in
                guard pause > 0 else { return }
                wait(milliseconds: pause)
                if let ended = try handleSignals() { end(by: ended) }
            })
        if isTold { console.say("hark: the daemon is back") }
    }

    /// Tells the daemon something about a survey; that it has ended meanwhile is nothing to worry about.
    ///
    /// - Returns: false when the daemon's store would not take it.
    @discardableResult
    private func tell<Request: WireMethod>(_ request: Request) -> Bool {
        do throws(ClientError) {
            try link.call(request)
        } catch {
            if error.reason == .alreadyClosed || error.code == .disconnected { return true }
            console.say("hark: \(Request.name): \(VisibleText.make(error.message))")
            return error.reason != .storeUnavailable
        }
        return true
    }

    // MARK: Notifications

    private func show(_ offer: Offer, attempts: Int) {
        let id = offer.presentation.id
        guard !shown.values.contains(where: { $0.offer.presentation.id == id && !$0.isOver }) else { return }
        do throws(Errno) {
            let program = try ChildProgram(
                [OwnProgram.daemon, "--notify", String(patience), "--stay", "--unless-quiet"], input: offer.json.bytes,
                captures: true)
            // Without a desktop, notify-send waits for one until its time is up.
            let mayBeSeen = DesktopPresence.isPossible(environment: SocketAddress.environment) { access($0, F_OK) == 0 }
            shown[program.pid] = Shown(
                offer: offer, program: program, attempts: attempts, mayBeSeen: mayBeSeen,
                decidedAt: MonotonicClock.now + (mayBeSeen ? Self.untilShown : Double(patience)))
            failed[id] = nil
        } catch {
            fail(offer, attempts, "cannot start \(OwnProgram.daemon): \(error.text)")
        }
    }

    private func fail(_ offer: Offer, _ attempts: Int, _ why: String?) {
        let pause = Backoff.notification.wait(afterFailures: attempts + 1)
        if let why {
            let survey = VisibleText.make(offer.presentation.surveyId)
            console.say("hark: \(survey): \(why); next attempt in \(DurationText.make(pause))")
        }
        failed[offer.presentation.id] = Failed(
            offer: offer, attempts: attempts + 1, at: MonotonicClock.now + pause)
    }

    private func retryFailed() {
        let now = MonotonicClock.now
        for (pid, one) in shown where !one.isOver && one.decidedAt ?? .infinity <= now {
            shown[pid]?.decidedAt = nil
            if one.mayBeSeen { tell(SurveyNotified(one.offer.presentation.id)) }
        }
        for failure in failed.values where failure.at <= now { show(failure.offer, attempts: failure.attempts) }
    }

    /// Closes what is shown of a presentation, and forgets it.
    private func close(_ id: String) {
        failed[id] = nil
        for (pid, shown) in shown where shown.offer.presentation.id == id { close(pid: pid) }
    }

    private func close(pid: pid_t) {
        shown[pid]?.isOver = true
        kill(pid, SIGTERM)
    }

    private func ended(_ shown: Shown, code: CInt) {
        let output = shown.program.takeOutput()
        guard !shown.isOver else { return }
        let presentation = shown.offer.presentation
        if code != Self.noNotifySend { hasToldProblem = false }
        if code == 0, shown.decidedAt != nil { tell(SurveyNotified(presentation.id)) }
        switch Choice(output) {
        case .option(let value):
            // The daemon takes it to be shown here still.
            var request = SurveyAnswer(presentation.id)
            request.option = value
            if !tell(request) {
                fail(shown.offer, shown.attempts, "the answer was not stored")
            }
        case .mute:
            var request = SurveyDismiss(presentation.id)
            request.scope = .ever
            if !tell(request) {
                fail(shown.offer, shown.attempts, "that it is not to come again was not stored")
            }
        case .open:
            giveBack(presentation)
            open(presentation.id)
        case nil where code == Self.noNotifySend:
            // The program has said so itself, and does again with each survey: once is enough.
            fail(
                shown.offer, shown.attempts,
                hasToldProblem ? nil : "there is neither a session bus nor notify-send (on Debian: libnotify-bin)")
            hasToldProblem = true
        case nil where code == Self.notNow:
            tellAway(presentation, output)
            beQuiet(shown)
        case nil where code != 0:
            let said = VisibleText.make(String(output.prefix { !$0.isNewline }))
            fail(shown.offer, shown.attempts, said.isEmpty ? "harkd --notify ended with exit code \(code)" : said)
        case nil: giveBack(presentation)
        }
    }

    /// Tells the daemon why nobody would see a survey, from the output of `harkd --notify`.
    private func tellAway(_ presentation: ShownSurvey, _ output: String) {
        let words = output.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, words[0] == "away", let reason = Absence(rawValue: String(words[1])) else { return }
        do throws(ClientError) {
            var request = SurveyAway(presentation.id)
            request.reason = reason
            try link.call(request)
        } catch {
            if error.reason == .alreadyClosed || error.code == .disconnected { return }
            console.say("hark: survey.away: \(VisibleText.make(error.message))")
        }
    }

    /// Asks in a window, or where there can be none in a terminal.
    private func open(_ presentation: String) {
        do throws(DialogWindow.Absence) {
            windows[try DialogWindow.start([presentation]).pid] = presentation
        } catch {
            openTerminal(presentation)
        }
    }

    private func openTerminal(_ presentation: String) {
        if Command.wantsNoSurveys { return }
        if !TerminalWindow.open(["ask", presentation]) {
            console.say("hark: there is no window and no terminal to answer in; set TERMINAL, or use 'hark ask'")
        }
    }

    /// Presents nothing until notifications disturb nobody. Surveys that were sent here are ready again, for others
    /// too.
    private func beQuiet(_ shown: Shown) {
        guard quiet == nil else { return }
        do throws(Errno) {
            quiet = try ChildProgram([OwnProgram.daemon, "--while-quiet"], captures: true)
            quietSince = MonotonicClock.now
        } catch {
            return fail(shown.offer, shown.attempts, "cannot start \(OwnProgram.daemon): \(error.text)")
        }
        link.lose()
        for pid in self.shown.keys { close(pid: pid) }
        failed = [:]
    }

    private func beHeardAgain() throws(ClientError) {
        _ = quiet?.takeOutput()
        quiet = nil
        // A desktop that changes its mind all the time does not have us ask the daemon as often.
        if MonotonicClock.now < quietSince + 1 { wait(milliseconds: 1000) }
        try comeBack(isTold: false)
    }

    private func giveBack(_ presentation: ShownSurvey) { tell(SurveyRelease(presentation.id)) }

    // MARK: Waiting

    private var untilNext: CInt {
        let times = failed.values.map(\.at) + shown.values.compactMap { $0.isOver ? nil : $0.decidedAt }
        return MonotonicClock.milliseconds(until: times.min())
    }

    private func wait(milliseconds: CInt) {
        Input.wait(for: signals.descriptor, link.descriptor, atMost: milliseconds)
    }

    /// Reaps children; the signal to end by, if one came.
    private func handleSignals() throws(ClientError) -> CInt? {
        while let number = signals.next() {
            if number != SIGCHLD { return number }
            while let (pid, code) = ChildProgram.reap() {
                if let shown = shown.removeValue(forKey: pid) { ended(shown, code: code) }
                if pid == quiet?.pid { try beHeardAgain() }
                if let presentation = windows.removeValue(forKey: pid), DialogWindow.absent.contains(code) {
                    openTerminal(presentation)
                }
            }
        }
        return nil
    }

    private func end(by signal: CInt) -> Never {
        for pid in Array(shown.keys) + (quiet.map { [$0.pid] } ?? []) { kill(pid, SIGTERM) }
        SignalQueue.endProcess(by: signal)
    }
}
