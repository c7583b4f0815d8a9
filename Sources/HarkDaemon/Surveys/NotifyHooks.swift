import Glibc
import HarkCore
import HarkLedger
import HarkNotifier
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// Runs the notify hook for ready surveys without a presenter.
///
/// One hook at a time for each presentation. What it prints decides: `answer OPTION`, `dismiss`, `mute`, `open`, or nothing, which
/// leaves the survey ready. When the hook fails, or what was chosen cannot be done, that is logged and the survey is told
/// of again later; it waits in the store meanwhile.
@DaemonActor
final class NotifyHooks {
    private weak var desk: SurveyDesk?
    private let loop: EventLoop
    var settings = NotifySettings() { didSet { failure = nil } }
    /// Called when something could not be shown.
    var onFailure: (Stored<Presentation>) -> Void = { _ in }
    /// Where the daemon is reached, for a hook that asks more of it.
    var socketPath = ""
    private var running: [Identifier: NotifyRun] = [:]

    /// The problem that was logged.
    private var toldProblem: String?
    /// Why the last notification could not be shown, as where no desktop is; nil: it could.
    private var failure: String?

    /// In which a hook can take away what it shows.
    private static let graceMicroseconds: UInt64 = 5_000_000

    init(desk: SurveyDesk, loop: EventLoop) {
        self.desk = desk
        self.loop = loop
    }

    /// Notifications that were closed without a choice. They do not keep the next one from being shown.
    var settled: Set<Identifier> { Set(running.filter(\.value.isDone).keys) }

    /// Why surveys cannot be notified; nil: no reason is known.
    var problem: String? { settings.problem }

    /// The same, or why the last of them was not shown.
    var trouble: String? {
        problem ?? failure.map { "surveys that are ready are not shown: the notify hook failed, \($0)" }
    }

    /// Whether there is a hook, nothing is known against it, and it did not fail the last time.
    var canTell: Bool { settings.arguments != nil && problem == nil && failure == nil && settings.mayHaveDesktop }

    /// Whether the notification of a presentation was clicked on, and the survey waits to be opened by that.
    func isOpened(_ id: Identifier) -> Bool { running[id]?.isOpened ?? false }

    func start(for ready: Stored<Presentation>) {
        guard settings.arguments != nil else { return }
        let presentation = ready.value
        let run = running[presentation.id] ?? NotifyRun(presentation.scope)
        running[presentation.id] = run
        if run.isIdle { launch(run, ready) }
    }

    /// A survey that is no longer ready needs no notification: it is taken away.
    func follow(_ presentation: Presentation) {
        if presentation.state != .ready { end(presentation.id) }
    }

    /// Removes the notifications of cleared surveys.
    func review() {
        for id in Array(running.keys) {
            do throws(WireError) {
                if try desk?.presentation(id)?.value.state != .ready { end(id) }
            } catch {
                Log.warning("a notification could not be looked up: \(error.message)")
            }
        }
    }

    private func end(_ id: Identifier) {
        let run = running.removeValue(forKey: id)
        run?.timer?.cancel()
        run?.child?.terminate()
        run?.returning?.terminate()
    }

    /// Replaces a notification by a new one, unless a person has opened it.
    func remind(of ready: Stored<Presentation>) {
        guard let run = running[ready.value.id], !run.isOpened else { return start(for: ready) }
        if let child = run.child {
            // Our own program replaces what it shows; a hook that still runs is at it.
            if settings.command == nil { child.signal(SIGUSR1) }
            return
        }
        run.returning?.terminate()
        run.isDone = false
        if run.isIdle { launch(run, ready) }
    }

    /// Waits until a person who is away, or leaves now, is back.
    private func awaitReturn(_ run: NotifyRun, _ id: Identifier) {
        guard run.returning == nil, let program = settings.notifier?.first, settings.command == nil else { return }
        var command = ChildProcess.Command([program, "--until-return"])
        command.timeoutMicroseconds = .max
        do throws(SystemError) {
            run.returning = try ChildProcess(command, on: loop) { [weak self] outcome in
                guard let self, running[id] === run else { return }
                run.returning = nil
                if outcome.status.isSuccess, !run.isOpened { desk?.reminders.remind(id) }
            }
        } catch {
            Log.debug("nobody will be reminded on coming back: \(error)")
        }
    }

    private func launch(_ run: NotifyRun, _ ready: Stored<Presentation>) {
        let presentation = ready.value
        guard let survey = desk?.survey(of: presentation), let arguments = settings.arguments else { return }
        if let problem { return failed(run, presentation.id, problem) }
        // A prompt of a schedule does not wait for the desktop: an absence must be known when the prompt is due.
        let asksWhoIsThere = presentation.times.sampling != nil && settings.command == nil
        toldProblem = nil
        // Without a desktop, notify-send waits for one until its time is up. What ends sooner was seen.
        let mayBeSeen = settings.mayHaveDesktop
        var command = ChildProcess.Command(arguments + (asksWhoIsThere ? ["--unless-quiet"] : []))
        command.environment = settings.environment(for: survey, presentation)
        command.environment["HARK_SOCKET"] = socketPath
        command.input = NotifySettings.input(survey, presentation)
        command.graceMicroseconds = NotifyHooks.graceMicroseconds
        command.timeoutMicroseconds = settings.limitMicroseconds
        do throws(SystemError) {
            run.child = try ChildProcess(command, on: loop) { [weak self] outcome in
                self?.ended(run, presentation.id, outcome)
            }
            run.timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 500_000) { [weak self] in
                if mayBeSeen { self?.isShown(run, presentation.id) } else { run.timer = nil }
            }
            run.timer?.arm(
                afterMicroseconds: mayBeSeen
                    ? NotifyHooks.shownMicroseconds : UInt64(settings.timeoutSeconds) * 1_000_000)
        } catch {
            failure = "\(error)"
            failed(run, presentation.id, "\(error)")
        }
    }

    /// A hook that shows nothing says so at once.
    private static let shownMicroseconds: UInt64 = 2_000_000

    /// The notification is before the person.
    private func isShown(_ run: NotifyRun, _ id: Identifier) {
        run.timer = nil
        guard running[id] === run else { return }
        do throws(WireError) {
            try act(id) { engine, changes, _, now throws(WireError) in
                _ = try engine.notify(id, visibleTo: nil, now: now, into: &changes)
            }
        } catch {
            Log.debug("that a notification was shown was not stored: \(error.message)")
        }
    }

    private func ended(_ run: NotifyRun, _ id: Identifier, _ outcome: ChildProcess.Outcome) {
        run.child = nil
        let isDecided = run.timer == nil
        run.timer?.cancel()
        run.timer = nil
        guard running[id] === run else { return }
        if outcome.status == .exited(NotificationCommand.notNow),
            let reason = NotificationCommand.absence(in: outcome.output)
        {
            return away(run, id, reason)
        }
        guard outcome.status.isSuccess || outcome.timedOut else {
            let said = NotifyRun.line(of: outcome.errorOutput)
            let reason = "it ended with \(outcome.status)\(said.isEmpty ? "" : ", saying: \(said)")"
            failure = reason
            failed(run, id, reason)
            return
        }
        failure = nil
        if !isDecided { isShown(run, id) }
        let words = String(decoding: outcome.output, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
        do throws(WireError) {
            let presentation = try desk?.presentation(id)?.value
            switch settings.choice(in: words, of: presentation.flatMap({ desk?.survey(of: $0) }), presentation) {
            case .answer(let option, let text): try answer(id, option, text)
            case .dismiss: try dismiss(id)
            case .mute: try dismiss(id, isForEver: true)
            case .open: open(run, id)
            case nil:
                run.isDone = true
                if presentation.flatMap({ desk?.survey(of: $0) })?.reminders.onReturn == true { awaitReturn(run, id) }
            }
        } catch {
            failed(run, id, "what it chose was not taken: \(error.message)")
        }
    }

    /// Notes that nobody is there. A prompt that waits is shown when somebody is.
    private func away(_ run: NotifyRun, _ id: Identifier, _ reason: Absence) {
        desk?.noteAway(id, reason)
        guard running[id] === run, let program = settings.notifier?.first else { return }
        var command = ChildProcess.Command([program, "--while-quiet"])
        command.timeoutMicroseconds = .max
        do throws(SystemError) {
            run.returning = try ChildProcess(command, on: loop) { [weak self] outcome in
                guard let self, running[id] === run else { return }
                run.returning = nil
                if outcome.status.isSuccess { desk?.offer(in: run.scope) }
            }
        } catch {
            failed(run, id, "\(error)")
        }
    }

    private func failed(_ run: NotifyRun, _ id: Identifier, _ reason: String) {
        run.isDone = false
        run.failures += 1
        let wait = UInt64(Backoff.notification.wait(afterFailures: run.failures))
        // A problem of all surveys is logged once, until it is solved.
        if reason != problem || reason != toldProblem {
            Log.warning("the notify hook failed, and will be run again in \(wait) s: \(reason)")
        }
        toldProblem = problem
        do throws(WireError) {
            if let shown = try desk?.presentation(id) { onFailure(shown) }
        } catch {
            Log.debug("what could not be shown was not looked up: \(error.message)")
        }
        do throws(SystemError) {
            let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 1_000_000) { [weak self] in
                guard let self, running[id] === run else { return }
                run.timer = nil
                desk?.offer(in: run.scope)
            }
            run.timer = timer
            timer.arm(afterMicroseconds: wait * 1_000_000)
        } catch {
            Log.warning("the notify hook will be run again with the next start: \(error)")
        }
    }

    private func answer(_ id: Identifier, _ option: String, _ text: String?) throws(WireError) {
        try act(id) { engine, changes, source, now throws(WireError) in
            _ = try engine.presentAndAnswer(
                id, SurveySubmission(option: .string(option), text: text.map(JSONValue.string)), visibleTo: nil,
                isOpened: true, on: .notification, source: source, now: now, into: &changes)
        }
    }

    private func dismiss(_ id: Identifier, isForEver: Bool = false) throws(WireError) {
        try act(id) { engine, changes, source, now throws(WireError) in
            _ = try engine.presentAndDismiss(
                id, isForEver: isForEver, visibleTo: nil, isOpened: true, on: .notification, source: source, now: now,
                into: &changes)
        }
        if isForEver { desk?.lookForUnwanted() }
    }

    private func act(
        _ id: Identifier,
        _ decide: (inout Engine, inout Changes, Source, Timestamp) throws(WireError) -> Void
    ) throws(WireError) {
        guard let desk, let presentation = try desk.presentation(id)?.value else { return }
        let source = Source(uid: presentation.user.uid, pid: 0)
        let run = running[id]
        try desk.ledger.decide(needing: .presentation(id)) { engine, changes, now throws(WireError) in
            try decide(&engine, &changes, source, now)
        }.then { [self] outcome in
            guard case .failure(let error) = outcome else { return }
            // The survey is unchanged. It is offered again once the store takes commits.
            if running[id] === run { end(id) }
            Log.warning("what the notify hook chose was not stored: \(error.message)")
        }
    }

    /// Opens the survey after a click on its notification. If that fails, the notification is shown again.
    private func open(_ run: NotifyRun, _ id: Identifier) {
        run.isDone = true
        run.isOpened = true
        var command = ChildProcess.Command(settings.openArguments(for: id))
        command.environment["HARK_SOCKET"] = socketPath
        command.timeoutMicroseconds = 3_600_000_000
        do throws(SystemError) {
            try ChildProcess(command, on: loop) { [weak self] outcome in
                guard let self, running[id] === run, !outcome.status.isSuccess else { return }
                failed(run, id, "the command that opens it ended with \(outcome.status)")
            }
        } catch {
            failed(run, id, "it could not be opened (set notify.open): \(error)")
        }
    }

    func stop() {
        for run in running.values { run.end() }
        running = [:]
    }
}
