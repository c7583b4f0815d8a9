import Glibc
package import HarkCore
package import HarkDelivery
import HarkServer
package import HarkSystem
package import HarkWire

/// The source of a document of settings: a file that is read again on every change, or a URL that is polled.
///
/// A document with errors never replaces a good one, and neither does a missing file: most ways of replacing a file
/// remove it for a moment. The last good document is kept in the state folder, so that a daemon that starts with a
/// broken or missing file continues with the last good one.
@DaemonActor
package final class DocumentSource<Content: Sendable> {
    package struct Status {
        package var origin: String?
        package var loadedAt: Timestamp?
        package var issues = DocumentIssues()
        /// Whether the document in force is the last good copy, not the one at the origin.
        package var isCopy = false
    }

    package var onChange: (Content) throws(WireError) -> Void = { _ in }
    package private(set) var status = Status()
    private let kind: DocumentKind<Content>
    private let loop: EventLoop
    private let copyPath: String
    private let clock: @Sendable () -> Timestamp
    private var origin: DocumentOrigin
    private var watch: FileWatch?
    private var remote: Remote?
    private var isEnded = false
    /// The current reading of the file, and the one that will follow it.
    private var reading: Task<Void, Never>?
    private var nextReading: Task<Void, Never>?
    private let maxBytes = 16 << 20
    private let usual: DocumentOrigin?

    /// - Parameters:
    ///   - usual: The default place, where the document may be missing. A place named by a setting must have one.
    ///   - copyPath: The file that keeps the last good document.
    package init(
        _ kind: DocumentKind<Content>, from origin: DocumentOrigin, usual: DocumentOrigin? = nil, copyPath: String,
        loop: EventLoop, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.kind = kind
        self.usual = usual
        self.loop = loop
        self.origin = origin
        self.copyPath = copyPath
        self.clock = clock
    }

    /// Starts, and applies the content of the file before it returns.
    package func begin() {
        switch origin {
        case .file(let path):
            watchFile(path)
            if let bytes = take(DocumentSource.read(path, kind, maxBytes), from: path), !isKept { report(keep(bytes)) }
        case .url(let url, let seconds, let access): follow(url, refreshSeconds: seconds, access)
        }
    }

    /// Starts while clients are being served: the file is read on another thread.
    package func beginAside() async {
        switch origin {
        case .file(let path):
            watchFile(path)
            await reload()
        case .url(let url, let seconds, let access): follow(url, refreshSeconds: seconds, access)
        }
    }

    /// Stops watching.
    package func end() {
        isEnded = true
        watch?.cancel()
        watch = nil
        remote?.end()
        remote = nil
    }

    /// Reads the document again, or from another origin from now on.
    package func reload(from origin: DocumentOrigin) async {
        if origin != self.origin {
            end()
            // The hub's document does not count as an earlier version of the machine's own.
            if isKept { status.loadedAt = nil }
            self.origin = origin
            isEnded = false
            await beginAside()
        } else if case .file = origin {
            await reload()
        } else {
            remote?.refresh()
        }
    }

    /// Reads the document again; returns the reason if that failed.
    package func refreshNow() async -> String? {
        if case .file = origin {
            await reload()
        } else if case .failed(let reason)? = await remote?.refreshNow() {
            return reason
        }
        return status.issues.errors.first?.message
    }

    /// Waits until the copy of an earlier run, if there is one, is in force.
    package func started() async { await remote?.started() }

    /// The state of polling a URL; nil for a file.
    package var fetching: RemoteDocument.Status? { remote?.status }

    /// The issues of the document, and of fetching it.
    package var problems: [DocumentIssue] {
        let fetching = fetching?.lastError.map { [DocumentIssue(path: "$", message: $0)] } ?? []
        return fetching + status.issues.errors + status.issues.warnings
    }

    /// Why the document at the origin is not in force; empty if it is.
    package var errors: [String] {
        status.issues.errors.prefix(1).map { "\(origin.place): \($0.path): \($0.message)" }
    }

    private func follow(_ url: String, refreshSeconds: Double, _ access: ServerAccess) {
        do {
            let copy = copyPath + ".url"
            let remote = try Remote(
                kind, url: url, refreshSeconds: refreshSeconds, access: access, copyPath: copy, loop: loop
            ) { [weak self] content, issues in
                guard let self else { return }
                status.issues = issues
                if let content { take(content, from: self.remote?.status.url ?? "a URL") }
            }
            self.remote = remote
            remote.begin()
        } catch {
            status.issues = DocumentIssues("the URL cannot be used: \(error)")
            Log.error("\(kind.name).url cannot be used: \(error)")
        }
    }

    /// Reads the file again on another thread. Returns once the content at the time of the call is handled.
    private func reload() async {
        if let nextReading { return await nextReading.value }
        let before = reading
        let task = DaemonActor.task { [self] in
            await before?.value
            // A change from here on needs another reading.
            reading = nextReading
            nextReading = nil
            // The origin may have changed while this waited or read.
            guard !isEnded, case .file(let path) = origin else { return }
            let found = await DocumentThread.run { [kind, maxBytes] in DocumentSource.read(path, kind, maxBytes) }
            guard !isEnded, case .file(path) = origin, let bytes = take(found, from: path), !isKept else { return }
            report(await DocumentThread.run { [copyPath] in DocumentSource.keep(bytes, copyPath) })
        }
        nextReading = task
        await task.value
    }

    /// Applies the content of the file, unless it has errors. A missing file means an empty document only if there never was
    /// a file.
    ///
    /// - Returns: The text of a good document, to be kept.
    private func take(_ reading: Reading, from path: String) -> [UInt8]? {
        switch reading {
        case .missing where status.loadedAt != nil || hasCopy: refuse(path, DocumentIssues(goneAdvice))
        case .missing where usual != .file(path):
            refuse(path, DocumentIssues("there is no such file; put it there, or name another in harkd.json"))
        case .missing:
            // Of a file with errors that was removed, or one of the hub that was withdrawn.
            status.issues = DocumentIssues()
            take(kind.none, from: nil)
        case .failed(let issues): refuse(path, issues)
        case .good(let content, let issues, let bytes):
            if !status.issues.errors.isEmpty { Log.notice("\(path) is usable again, and in force") }
            for issue in issues.warnings { Log.warning("\(path): \(issue)") }
            status.issues = issues
            status.isCopy = false
            take(content, from: path)
            return bytes
        }
        return nil
    }

    /// Whether the document comes from a hub or a URL, and not from this machine.
    package var isFromAfar: Bool {
        if case .url = origin { return true }
        return isKept
    }

    /// Whether the daemon keeps the file itself, which is from its hub. Such a file is always good and needs no copy.
    package var isKept: Bool {
        origin.place.hasPrefix(Paths.hubDocuments(in: DurableFile.parent(of: copyPath)) + "/")
    }

    private var hasCopy: Bool {
        if case .good = DocumentSource.read(copyPath, kind, maxBytes) { true } else { false }
    }

    private var goneAdvice: String {
        "the file is gone; the \(kind.name) that were last in force stay until it is back "
            + "(to be rid of them, let it say \(kind.emptyText))"
    }

    private func refuse(_ path: String, _ issues: DocumentIssues) {
        // Repeated faults are reported once.
        if status.issues.errors == issues.errors, status.loadedAt != nil { return }
        status.issues = issues
        for issue in issues.errors { Log.error("\(path): \(issue)") }
        if status.loadedAt == nil { fallBack(path) }
    }

    private func fallBack(_ path: String) {
        guard case .good(let content, _, _) = DocumentSource.read(copyPath, kind, maxBytes) else { return }
        Log.warning("\(path) is not usable; the \(kind.name) that were last in force are")
        status.isCopy = true
        take(content, from: path)
    }

    private func take(_ content: Content, from origin: String?) {
        do throws(WireError) {
            try onChange(content)
            status.origin = origin
            status.loadedAt = origin == nil ? nil : clock()
        } catch {
            Log.error("\(kind.name) could not be put into force: \(error.message)")
        }
    }

    private enum Reading: Sendable {
        case missing
        case failed(DocumentIssues)
        case good(Content, DocumentIssues, [UInt8])
    }

    private nonisolated static func read(
        _ path: String, _ kind: DocumentKind<Content>, _ maxBytes: Int
    ) -> Reading {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileDescriptor.contents(of: path, limit: maxBytes)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return .missing }
            return .failed(DocumentIssues("the file cannot be read: \(error)"))
        }
        let (content, issues) = kind.read(bytes)
        guard let content else { return .failed(issues) }
        return .good(content, issues, bytes)
    }

    private func keep(_ bytes: [UInt8]) -> SystemError? { DocumentSource.keep(bytes, copyPath) }

    /// - Returns: Why it could not be kept.
    private nonisolated static func keep(_ bytes: [UInt8], _ copyPath: String) -> SystemError? {
        do throws(SystemError) {
            try DurableFile.replace(copyPath, with: bytes, place: copyPath)
            return nil
        } catch {
            return error
        }
    }

    private func report(_ failure: SystemError?) {
        if let failure { Log.warning("the last good \(kind.name) could not be kept: \(failure)") }
    }

    private func watchFile(_ path: String) {
        watch?.cancel()
        watch = FileWatch(path, loop: loop) { [weak self] in
            DaemonActor.task { await self?.reload() }
        }
    }
}
