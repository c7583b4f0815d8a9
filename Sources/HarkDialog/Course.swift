import HarkAsking
import HarkScreen

/// The course of what is asked, between a window and the daemon: one thing at a time, without ever waiting.
final class Course {
    private(set) var form: SurveyForm
    /// It was answered, and that can be changed.
    private(set) var mayBeChanged = false
    /// Something of it is to be drawn anew.
    var onChange: () -> Void = {}
    /// What was done was not taken: why, and how to do it again.
    var onRefusal: (_ why: String, _ retry: @escaping () -> Void) -> Void = { _, _ in }
    var onEnd: (AskEnding) -> Void = { _ in }
    /// Somebody has done something, be it with a finger or by an assistive program.
    var onTouch: () -> Void = {}

    private let clerk: Clerk
    private var descriptor: CInt
    private var patience: Double?
    private var state = State.idle
    /// What somebody did while the daemon was heard.
    private var waiting: Step?
    /// What was written or chosen during a talk, by field.
    private var edits: [Int: FormField.Input] = [:]
    private var watch: UInt32?
    private var timer: UInt32?

    typealias Step = (inout SurveyForm) -> SurveyForm.Action?

    private enum State {
        case idle, hearing, acting, over
    }

    /// How long after a key the daemon is told what is begun; the keeper of drafts has its own pause.
    private static let pause = 0.1

    init(_ word: Clerk.Word, _ clerk: Clerk) {
        form = word.form
        descriptor = word.descriptor
        patience = word.patience
        self.clerk = clerk
    }

    /// Whether something is being done that the daemon must say yes to.
    var isActing: Bool { state == .acting }

    /// Begins to listen.
    func start() {
        rest()
        attend()
    }

    /// Takes what was written or chosen.
    func edit(_ place: Int, _ input: FormField.Input) {
        guard form.fields.indices.contains(place), form.fields[place].input != input else { return }
        form.fields[place].input = input
        onTouch()
        form.forgetProblem()
        if state != .idle { edits[place] = input }
        if form.filling != nil, state == .idle { schedule(Self.pause) }
        onChange()
    }

    /// Does what a button or a key says, and what comes of it; a second press while that is under way is nothing.
    func act(_ step: @escaping Step) {
        onTouch()
        switch state {
        case .over, .acting: return
        case .hearing:
            waiting = step
            return
        case .idle: break
        }
        form.forgetProblem()
        let action = step(&form)
        if let action { carryOut(action) }
        onChange()
    }

    private func carryOut(_ action: SurveyForm.Action) {
        let tellRefusal = { [weak self] in
            guard let self, let why = form.problem else { return }
            onRefusal(why) { [weak self] in self?.act { _ in action } }
        }
        talk(.acting, { [form, clerk] in await clerk.carryOut(action, form) }, then: tellRefusal)
    }

    private func attend() {
        guard state == .idle else { return }
        talk(.hearing, { [form, clerk] in await clerk.attend(form) }, then: {})
    }

    private func talk(_ kind: State, _ body: @escaping () async -> Clerk.Word, then: @escaping () -> Void) {
        stopListening()
        state = kind
        edits = [:]
        Task {
            let word = await body()
            guard state != .over else { return }
            state = .idle
            take(word)
            if let ending = word.ending { return end(ending) }
            then()
            onChange()
            rest()
            guard let step = waiting else { return }
            waiting = nil
            act(step)
        }
    }

    private func take(_ word: Clerk.Word) {
        form = word.form
        mayBeChanged = word.mayBeChanged
        for (place, input) in edits { form.fields[place].input = input }
        descriptor = word.descriptor
        patience = edits.isEmpty ? word.patience : min(word.patience ?? Self.pause, Self.pause)
        edits = [:]
    }

    /// Waits for the daemon to say something, or for the time when there is something to do.
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

    /// Ends it here, whatever the daemon makes of that.
    func stop() {
        state = .over
        stopListening()
    }

    /// Keeps what would be lost before the program ends.
    func keep() async {
        stop()
        await clerk.keep(form)
    }
}
