import HarkCore
import HarkDelivery
import HarkSystem
import HarkWire

extension DocumentSource {
    /// A document from a URL: `RemoteDocument` with what makes a document of a kind usable.
    @DaemonActor
    final class Remote {
        private let document: RemoteDocument

        /// - Parameter take: Puts a document in force; the issues are told in any case.
        init(
            _ kind: DocumentKind<Content>, url: String, refreshSeconds: Double, copyPath: String, loop: EventLoop,
            take: @escaping @DaemonActor (Content?, DocumentIssues) throws -> Void
        ) throws {
            var source = RemoteDocument.Source(url, copyPath: copyPath)
            source.refreshSeconds = refreshSeconds
            document = try RemoteDocument(source, client: HTTPClient(loop: loop), loop: loop) { bytes in
                let (content, issues) = kind.read(bytes)
                try take(content, issues)
                guard content == nil else { return }
                throw UnusableDocument(issues)
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
}

/// A document has faults; they have been told.
struct UnusableDocument: Error, CustomStringConvertible {
    let description: String

    init(_ issues: DocumentIssues) {
        let faults = issues.errors.prefix(3).map { "\($0.path): \($0.message)" }.joined(separator: "; ")
        description = "the document is not usable: \(faults)"
    }
}
