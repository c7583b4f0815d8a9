import HarkAsking
import HarkScreen

/// The controller between a window and the daemon. It runs one call at a time and never blocks.
final class FormController {
    private(set) var form: SurveyForm
    /// Whether the survey was answered and can be changed.
    private(set) var mayBeChanged = false
    /// Called when the form has to be redrawn.
    var onChange: () -> Void = {}
    /// Called when an action was refused, with the reason and a retry.
    var onRefusal: (_ why: String, _ retry: @escaping () -> Void) -> Void = { _, _ in }
    var onEnd: (AskEnding) -> Void = { _ in }
    /// Called when a held answer is shown again.
    var onReturn: () -> Void = {}
    /// Called for each action of a person, also through an assistive program.
    var onTouch: () -> Void = {}

    private let daemon: DaemonSession
    private var descriptor: CInt
    private var patience: Double?
    private var state = State.idle
    /// The steps that wait for the end of a call: a button, and the closing of the window behind it.
    private var waiting: [Step] = []
    /// Input during a call, by field.
    private var edits: [Int: FormField.Input] = [:]
    private var watch: UInt32?
    private var timer: UInt32?

    typealias Step = (inout SurveyForm) -> SurveyForm.Action?

    private enum State {
        case idle, hearing, acting, over
        /// The daemon keeps the answer, which can be undone.
        case held
    }

    /// The delay after a key before the daemon is called, in seconds. Drafts have a further delay of their own.
    private static let pause = 0.1

    init(_ reply: DaemonSession.Reply, _ daemon: DaemonSession) {
        form = reply.form
        descriptor = reply.descriptor
        patience = reply.patience
        self.daemon = daemon
    }

    /// Whether an action waits for the daemon.
    var isActing: Bool { state == .acting }

    /// Starts to listen.
    func start() {
        rest()
        attend()
    }

    /// Takes input of a field.
    func edit(_ place: Int, _ input: FormField.Input) {
        guard form.fields.indices.contains(place), form.fields[place].input != input else { return }
        form.fields[place].input = input
        onTouch()
        form.problem = nil
        if state != .idle { edits[place] = input }
        if form.filling != nil, state == .idle { schedule(Self.pause) }
        onChange()
    }

    /// Performs the step of a button or key, and its action. A second press during an action is ignored.
    func act(_ step: @escaping Step) {
        onTouch()
        switch state {
        case .over, .acting, .held: return
        case .hearing:
            waiting = [step]
            return
        case .idle: break
        }
        form.problem = nil
        let action = step(&form)
        if let action { carryOut(action) }
        onChange()
    }

    /// Leaves, after the steps that still wait.
    func leave() {
        let step: Step = { _ in .leave }
        if isActing || !waiting.isEmpty { waiting = Array(waiting.prefix(1)) + [step] } else { act(step) }
    }

    /// Performs the waiting steps, up to one that is refused: the person reads why.
    private func goOn(after kind: State) {
        if kind == .acting, form.problem != nil { waiting = [] }
        while state == .idle, !waiting.isEmpty {
            act(waiting.removeFirst())
            if form.problem != nil { waiting = [] }
        }
    }

    private func carryOut(_ action: SurveyForm.Action) {
        talk(
            .acting, { [form, daemon] in await daemon.carryOut(action, form) },
            then: { [weak self] in self?.tellRefusal(of: action) })
    }

    /// Lets a held answer count.
    func complete() { conclude { [form, daemon] in await daemon.complete(form) } }

    /// Takes back a held answer.
    func undo() { conclude { [form, daemon] in await daemon.undo(form) } }

    private func conclude(_ body: @escaping () async -> DaemonSession.Reply) {
        guard state == .held else { return }
        onTouch()
        talk(
            .acting, body,
            then: { [weak self] in
                self?.onReturn()
                self?.tellRefusal(of: .submit)
            })
    }

    private func tellRefusal(of action: SurveyForm.Action) {
        guard let why = form.problem else { return }
        onRefusal(why) { [weak self] in self?.act { _ in action } }
    }

    private func attend() {
        guard state == .idle else { return }
        talk(.hearing, { [form, daemon] in await daemon.attend(form) }, then: {})
    }

    private func talk(_ kind: State, _ body: @escaping () async -> DaemonSession.Reply, then: @escaping () -> Void) {
        stopListening()
        state = kind
        edits = [:]
        Task {
            let reply = await body()
            guard state != .over else { return }
            state = .idle
            take(reply)
            if reply.ending == .held {
                state = .held
                return onEnd(.held)
            }
            if let ending = reply.ending { return end(ending) }
            then()
            onChange()
            rest()
            goOn(after: kind)
        }
    }

    private func take(_ reply: DaemonSession.Reply) {
        form = reply.form
        mayBeChanged = reply.mayBeChanged
        for (place, input) in edits { form.fields[place].input = input }
        descriptor = reply.descriptor
        patience = edits.isEmpty ? reply.patience : min(reply.patience ?? Self.pause, Self.pause)
        edits = [:]
    }

    /// Waits for a notification of the daemon, or for a timer.
    private func rest() {
        stopListening()
        guard state == .idle else { return }
        if descriptor >= 0 {
            watch = MainLoop.whenReadable(descriptor) { [weak self] _ in
                self?.watch = nil
                self?.attend()
                return false
            }
        }
        if let patience { schedule(patience) }
    }

    private func schedule(_ seconds: Double) {
        if let timer { MainLoop.forget(timer) }
        timer = MainLoop.after(seconds) { [weak self] in
            self?.timer = nil
            self?.attend()
        }
    }

    private func stopListening() {
        if let watch { MainLoop.forget(watch) }
        if let timer { MainLoop.forget(timer) }
        watch = nil
        timer = nil
    }

    private func end(_ ending: AskEnding) {
        stop()
        onEnd(ending)
    }

    /// Ends here, also while the daemon is away.
    func stop() {
        state = .over
        stopListening()
    }

    /// Saves unsaved input before the program ends.
    func keep() async {
        stop()
        await daemon.keep(form)
    }
}
