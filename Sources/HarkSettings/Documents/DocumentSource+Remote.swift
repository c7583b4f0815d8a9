package import HarkCore
import HarkDelivery
import HarkServer
import HarkSystem
import HarkWire

extension DocumentSource {
    /// A document from a URL: a `RemoteDocument` that checks and applies one kind of document.
    @DaemonActor
    final class Remote {
        private let document: RemoteDocument
        private var starting: Task<Void, Never>?
        private let life: Life

        @DaemonActor
        private final class Life {
            var isOver = false
        }

        /// - Parameter take: Applies a document; also called with the issues of a refused one.
        init(
            _ kind: DocumentKind<Content>, url: String, refreshSeconds: Double, access: ServerAccess, copyPath: String,
            loop: EventLoop, take: @escaping @DaemonActor (Content?, DocumentIssues) throws -> Void
        ) throws {
            var source = RemoteDocument.Source(url, copyPath: copyPath)
            source.refreshSeconds = refreshSeconds
            source.unixSocket = access.unixSocket
            source.timeoutSeconds = access.timeoutSeconds
            var options = HTTPClient.Options()
            options.authoritiesFile = access.authoritiesFile.map { $0.hasPrefix("/") ? $0 : "\(access.folder)/\($0)" }
            let client = HTTPClient(loop: loop, options: options)
            let secrets: RemoteDocument.Secrets = {
                guard let key = access.key else { return [:] }
                return [(ServerAccess.keyHeader): try key.read(in: access.folder)]
            }
            let life = Life()
            self.life = life
            document = try RemoteDocument(source, client: client, loop: loop, secrets: secrets) { bytes in
                let (content, issues) = await DocumentThread.run { kind.read(bytes) }
                guard !life.isOver else { return }
                try take(content, issues)
                guard content == nil else { return }
                throw UnusableDocument(issues)
            }
        }

        func begin() {
            starting = DaemonActor.task { [document] in await document.start() }
        }

        /// Waits until the copy of an earlier run, if there is one, is in force.
        func started() async { await starting?.value }

        func refreshNow() async -> RemoteDocument.Outcome { await document.refreshNow() }

        func refresh() {
            DaemonActor.task { [document] in _ = await document.refreshNow() }
        }

        /// Gives up the requests in progress, so that their results do not replace a document from a new origin.
        func end() {
            life.isOver = true
            document.giveUp()
        }

        /// The state of the fetching; its URL has no credentials.
        var status: RemoteDocument.Status { document.status }
    }
}

/// A document with faults, which have been reported.
package struct UnusableDocument: Error, CustomStringConvertible {
    package let description: String

    package init(_ issues: DocumentIssues) {
        let faults = issues.errors.prefix(3).map(\.description).joined(separator: "; ")
        description = "the document is not usable: \(faults)"
    }
}
