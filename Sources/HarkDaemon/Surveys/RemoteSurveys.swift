import HarkCore
import HarkDelivery
import HarkSystem
import HarkWire

/// Surveys from a URL: `RemoteDocument` with what makes a document of surveys usable.
@DaemonActor
final class RemoteSurveys {
    /// The document has faults; they have been told.
    private struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    private let document: RemoteDocument

    /// - Parameter take: Puts a document in force; the issues are told in any case.
    init(
        url: String, refreshSeconds: Double, copyPath: String, loop: EventLoop,
        take: @escaping @DaemonActor (SurveyConfiguration?, DocumentIssues) throws -> Void
    ) throws {
        var source = RemoteDocument.Source(url, copyPath: copyPath)
        source.refreshSeconds = refreshSeconds
        document = try RemoteDocument(source, client: HTTPClient(loop: loop), loop: loop) { bytes in
            let (configuration, issues) = SurveyDocument.read(bytes)
            try take(configuration, issues)
            guard configuration == nil else { return }
            let faults = issues.errors.prefix(3).map { "\($0.path): \($0.message)" }.joined(separator: "; ")
            throw Unusable(description: "the document is not usable: \(faults)")
        }
    }

    func begin() {
        DaemonActor.task { [document] in await document.start() }
    }

    func refresh() {
        DaemonActor.task { [document] in _ = await document.refreshNow() }
    }

    func end() {
        DaemonActor.task { [document] in await document.stop() }
    }

    /// The URL without credentials, and what went wrong last.
    var url: String { document.status.url }
    var lastError: String? { document.status.lastError }
}
