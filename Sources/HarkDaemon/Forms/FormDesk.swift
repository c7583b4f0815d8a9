import HarkCore
import HarkDelivery
import HarkFleet
import HarkHub
import HarkLedger
import HarkServer
import HarkSettings
import HarkSystem
import HarkWire

/// Applies the forms of their document, fetches questions from servers, and sends answers to servers.
@DaemonActor
final class FormDesk: ConfiguredDesk {
    let ledger: Ledger
    let source: DocumentSource<FormConfiguration>
    let submissions: SubmissionDesk
    private let loop: EventLoop
    private let client: HTTPClient
    private let paths: Paths
    private var origin: DocumentOrigin
    /// The forms as in the document.
    private var configuration = FormConfiguration.none
    private var questions: [FormQuestions] = []
    private var hasBegun = false

    init(ledger: Ledger, loop: EventLoop, paths: Paths, _ settings: Configuration) {
        self.ledger = ledger
        self.loop = loop
        self.paths = paths
        let own = settings.forms.absolute(in: paths.configuration)
        origin = settings.origin(of: .forms, in: paths) ?? own
        source = DocumentSource(
            .forms, from: origin, usual: Configuration().forms.absolute(in: paths.configuration),
            copyPath: paths.state + "/forms.good.json", loop: loop, clock: ledger.clock)
        client = HTTPClient(loop: loop)
        submissions = SubmissionDesk(ledger: ledger, loop: loop, client: client) { server throws(Secret.Missing) in
            try HTTPHeaders(server.headers, in: paths.configuration)
        }
    }

    func configure(_ settings: Configuration) { origin = settings.origin(of: .forms, in: paths) ?? origin }

    func reloadDocuments() async { await source.reload(from: origin) }

    var troubles: [Trouble] { source.errors.map { ("forms", $0) } }

    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        source.onChange = { [weak self] configuration throws(WireError) in try self?.take(configuration) }
        source.begin()
    }

    /// Stops fetching.
    func stop() {
        source.end()
        for questions in questions { questions.end() }
    }

    func end() {
        client.close()
    }

    private func take(_ configuration: FormConfiguration) throws(WireError) {
        let before = (self.configuration, questions)
        self.configuration = configuration
        questions = configuration.forms.compactMap(questions(of:))
        do {
            try put()
        } catch {
            (self.configuration, questions) = before
            throw error
        }
        for gone in before.1 where !questions.contains(where: { $0 === gone }) { gone.end() }
        for new in questions where !before.1.contains(where: { $0 === new }) { new.begin() }
    }

    /// Reuses the existing questions if they come from the same place.
    private func questions(of form: Form) -> FormQuestions? {
        guard let server = form.questions else { return nil }
        let known = questions.first { $0.form.hasSameBytes(as: form.id) && $0.server == server }
        if let known, known.refreshSeconds == form.refreshSeconds { return known }
        let headers = Result { () throws(Secret.Missing) in
            try HTTPHeaders(server.headers, in: paths.configuration)
        }
        return FormQuestions(
            of: form, server, folder: makeFolder(), client: client, loop: loop, headers: headers
        ) { [weak self] () throws(WireError) in try self?.put() }
    }

    private func makeFolder() -> String {
        let folder = paths.state + "/forms"
        do throws(SystemError) {
            try StateFolder.make(folder)
        } catch {
            Log.warning("questions from servers cannot be kept: \(error)")
        }
        return folder
    }

    private func put() throws(WireError) {
        var complete = configuration
        for questions in questions {
            if let questionnaire = questions.questionnaire { complete.take(questionnaire, for: questions.form) }
        }
        try ledger.decide { engine, _, _ in engine.configure(complete) }
        submissions.pump()
    }

    /// Waits for the questions of a form, if they are missing.
    func needQuestions(of form: String) async {
        await questions.first { $0.form.hasSameBytes(as: form) }?.need()
    }

    /// The issues of the document, and of fetching questions.
    var problems: [DocumentIssue] {
        let fetching = questions.compactMap { questions -> DocumentIssue? in
            let place = configuration.forms.firstIndex { $0.id.hasSameBytes(as: questions.form) } ?? 0
            return questions.problem.map { DocumentIssue(path: "$.forms[\(place)].questionsURL", message: $0) }
        }
        return source.problems + fetching
    }

    /// Adds to an error about a missing form or missing questions why they are missing.
    ///
    /// - Parameter form: The requested form.
    func explain(_ error: WireError, form: String?) -> WireError {
        guard error.path == Params.path("formId") else { return error }
        switch error.reason {
        case .networkError:
            guard let problem = questions.first(where: { $0.form.hasSameBytes(as: form ?? "") })?.problem else {
                return error
            }
            return WireError(error.reason, "\(error.message): \(problem)", path: error.path)
        case .notFound:
            guard let problem = source.problems.first else { return error }
            return WireError(
                error.reason,
                "\(error.message); the forms' document has faults and is not in force (\(problem.path): "
                    + "\(problem.message))", path: error.path)
        default: return error
        }
    }
}
