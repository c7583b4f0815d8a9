import HarkCore
import HarkDelivery
import HarkServer
import HarkSettings
import HarkSystem
import HarkWire

/// The questions of one form from its server: polled at an interval, and the last good ones are kept.
@DaemonActor
final class FormQuestions {
    let form: String
    let server: FormServer
    let refreshSeconds: Double
    private(set) var questionnaire: Questionnaire?
    private var document: RemoteDocument?
    /// Why they cannot be requested at all.
    private var obstacle: String?
    private var isEnded = false

    /// - Parameter onChange: Called when the questions have changed.
    init(
        of form: Form, _ server: FormServer, folder: String, client: HTTPClient, loop: EventLoop,
        headers: Result<HTTPHeaders, Secret.Missing>, onChange: @escaping @DaemonActor () throws(WireError) -> Void
    ) {
        self.form = form.id
        self.server = server
        refreshSeconds = form.refreshSeconds
        do {
            var source = RemoteDocument.Source(
                server.url, copyPath: "\(folder)/\(UserFolder.name(for: form.id)).questions")
            source.headers = try headers.get()
            source.refreshSeconds = form.refreshSeconds
            source.timeoutSeconds = server.timeoutSeconds
            document = try RemoteDocument(source, client: client, loop: loop) { [weak self] bytes in
                let read = await DocumentThread.run { Result { try FormQuestions.read(bytes) } }
                let questionnaire = try read.get()
                guard let self, !isEnded, self.questionnaire != questionnaire else { return }
                let before = self.questionnaire
                self.questionnaire = questionnaire
                do {
                    try onChange()
                } catch {
                    self.questionnaire = before
                    throw error
                }
            }
            // A client right after the start finds the kept questions.
            if let copy = RemoteDocument.lastGood(source) {
                do {
                    questionnaire = try FormQuestions.read(copy)
                } catch {
                    Log.warning("the kept questions of a form are of no use: \(error)", ["form": form.id])
                }
            }
        } catch {
            obstacle = "\(error)"
            Log.error("the questions of a form cannot be asked for: \(error)", ["form": form.id])
        }
    }

    private nonisolated static func read(_ bytes: [UInt8]) throws -> Questionnaire {
        let (questionnaire, issues) = DocumentKind.questions.read(bytes)
        guard let questionnaire else { throw UnusableDocument(issues) }
        return questionnaire
    }

    func begin() {
        guard let document else { return }
        DaemonActor.task { await document.start() }
    }

    /// Requests the questions if there are none yet, and returns when the answer has come.
    func need() async {
        if questionnaire == nil { _ = await document?.refreshNow() }
    }

    func end() {
        isEnded = true
        guard let document else { return }
        DaemonActor.task { await document.stop() }
    }

    /// Why there are no questions, or no newer ones.
    var problem: String? { obstacle ?? document?.status.lastError }
}
