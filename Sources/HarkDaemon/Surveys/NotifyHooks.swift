import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Runs the notify hook for surveys that are ready where nobody presents.
///
/// One hook at a time for each presentation. What it prints decides: `answer OPTION`, `dismiss`, or nothing, which leaves
/// the survey ready. A hook that fails is logged and run again later; the survey waits in the store meanwhile.
@DaemonActor
final class NotifyHooks {
    // Made by the desk, which belongs to the daemon and lives as long as the process does.
    private unowned let desk: SurveyDesk
    private let loop: EventLoop
    var settings = NotifySettings()
    /// Where the daemon is reached, for a hook that asks more of it.
    var socketPath = ""
    private var running: [Identifier: Run] = [:]

    private final class Run {
        var child: ChildProcess?
        var timer: TimerSource?
        var failures = 0
        /// It has been shown and closed without a choice: it is not shown again by itself.
        var isDone = false
    }

    /// Seconds before a hook that failed is run again; the last for all further failures.
    private static let patience: [UInt64] = [30, 120, 600, 3_600]

    init(desk: SurveyDesk, loop: EventLoop) {
        self.desk = desk
        self.loop = loop
    }

    /// What was shown and closed without a choice, and so does not keep the next one from being shown.
    var settled: Set<Identifier> { Set(running.filter(\.value.isDone).keys) }

    func start(for presentation: Presentation) {
        guard settings.isEnabled, running[presentation.id] == nil else { return }
        let run = Run()
        running[presentation.id] = run
        launch(run, presentation)
    }

    /// A survey that is no longer ready needs no notification: it is taken away.
    func follow(_ presentation: Presentation) {
        if presentation.state != .ready { end(presentation.id) }
    }

    /// Something was cleared: what it took is no longer shown.
    func review() {
        for id in Array(running.keys) {
            do throws(WireError) {
                if try desk.presentation(id)?.state != .ready { end(id) }
            } catch {
                Log.warning("a notification could not be looked up: \(error.message)")
            }
        }
    }

    private func end(_ id: Identifier) {
        let run = running.removeValue(forKey: id)
        run?.timer?.cancel()
        run?.child?.terminate()
    }

    private func launch(_ run: Run, _ presentation: Presentation) {
        guard let survey = desk.survey(of: presentation) else { return }
        var command = ChildProcess.Command(settings.arguments(for: survey, presentation))
        command.environment = settings.environment(for: survey, presentation)
        command.environment["HARK_SOCKET"] = socketPath
        command.input = NotifySettings.input(survey, presentation)
        command.timeoutMicroseconds = UInt64(settings.timeoutSeconds) * 1_000_000
        do throws(SystemError) {
            run.child = try ChildProcess(command, on: loop) { [weak self] outcome in
                self?.ended(run, presentation.id, outcome)
            }
        } catch {
            failed(run, presentation.id, "\(error)")
        }
    }

    private func ended(_ run: Run, _ id: Identifier, _ outcome: ChildProcess.Outcome) {
        run.child = nil
        guard running[id] === run else { return }
        guard outcome.status.isSuccess || outcome.timedOut else {
            let said = String(decoding: outcome.errorOutput.prefix(200), as: UTF8.self)
            failed(run, id, "it ended with \(outcome.status)\(said.isEmpty ? "" : ", saying: \(said)")")
            return
        }
        run.isDone = true
        let words = String(decoding: outcome.output, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
        do throws(WireError) {
            let presentation = try desk.presentation(id)
            switch settings.choice(in: words, of: presentation.flatMap(desk.survey), presentation) {
            case .answer(let option): try answer(id, option)
            case .dismiss: try dismiss(id)
            case .open: open(id)
            case nil: break
            }
        } catch {
            Log.warning("what the notify hook chose was not taken: \(error.message)")
        }
    }

    private func failed(_ run: Run, _ id: Identifier, _ reason: String) {
        run.failures += 1
        let wait = NotifyHooks.patience[min(run.failures, NotifyHooks.patience.count) - 1]
        Log.warning("the notify hook failed, and will be run again in \(wait) s: \(reason)")
        do throws(SystemError) {
            let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 1_000_000) { [weak self] in
                guard let self, running[id] === run else { return }
                retry(run, id)
            }
            run.timer = timer
            timer.arm(afterMicroseconds: wait * 1_000_000)
        } catch {
            Log.warning("the notify hook will be run again with the next start: \(error)")
        }
    }

    private func retry(_ run: Run, _ id: Identifier) {
        do throws(WireError) {
            if let presentation = try desk.presentation(id) { launch(run, presentation) } else { end(id) }
        } catch {
            failed(run, id, error.message)
        }
    }

    private func answer(_ id: Identifier, _ option: String) throws(WireError) {
        try act(id) { engine, changes, source, now throws(WireError) in
            _ = try engine.presentAndAnswer(
                id, SurveySubmission(option: .string(option)), visibleTo: nil, source: source, now: now,
                into: &changes)
        }
    }

    private func dismiss(_ id: Identifier) throws(WireError) {
        try act(id) { engine, changes, source, now throws(WireError) in
            _ = try engine.present(id, visibleTo: nil, source: source, now: now, into: &changes)
            _ = try engine.dismiss(id, visibleTo: nil, source: source, now: now, into: &changes)
        }
    }

    private func act(
        _ id: Identifier,
        _ decide: (inout Engine, inout Changes, Source, Timestamp) throws(WireError) -> Void
    ) throws(WireError) {
        guard let presentation = try desk.presentation(id) else { return }
        let source = Source(uid: presentation.user.uid, pid: 0)
        try desk.ledger.decide { engine, changes, now throws(WireError) in
            try decide(&engine, &changes, source, now)
        }
        let run = running[id]
        desk.ledger.ifRefused { [self] error in
            // The survey is as it was before: it is offered again once the store takes commits.
            if running[id] === run { end(id) }
            Log.warning("what the notify hook chose was not stored: \(error.message)")
        }
    }

    /// Opens the survey for somebody who clicked on its notification.
    private func open(_ id: Identifier) {
        var command = ChildProcess.Command(settings.openArguments(for: id))
        command.environment["HARK_SOCKET"] = socketPath
        command.timeoutMicroseconds = 3_600_000_000
        do throws(SystemError) {
            try ChildProcess(command, on: loop) { outcome in
                if !outcome.status.isSuccess {
                    Log.warning("the command that opens a survey ended with \(outcome.status)")
                }
            }
        } catch {
            Log.warning("a survey could not be opened: \(error)")
        }
    }

    func stop() {
        for run in running.values {
            run.timer?.cancel()
            run.child?.terminate()
        }
        running = [:]
    }
}
