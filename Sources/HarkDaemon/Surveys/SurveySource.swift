import FoundationEssentials
import Glibc
import HarkCore
import HarkSystem
import HarkWire

/// Where the surveys come from: a file that is read again whenever it changes, or a URL that is asked every so often.
///
/// A document with errors never replaces a good one. The last good one is kept in the state folder, so that a daemon that
/// starts beside a broken file goes on with what was in force.
@DaemonActor
final class SurveySource {
    struct Status {
        var origin: String?
        var loadedAt: Timestamp?
        var issues = DocumentIssues()
        /// The document in force is the last good copy, not the one at the origin.
        var isCopy = false
    }

    var onChange: (SurveyConfiguration) throws(WireError) -> Void = { _ in }
    private(set) var status = Status()
    private let loop: EventLoop
    private let copyPath: String
    private let clock: @Sendable () -> Timestamp
    private var origin: SurveyOrigin
    private var watch: Registration?
    private var remote: RemoteSurveys?
    private static let maxBytes = 16 << 20

    init(loop: EventLoop, origin: SurveyOrigin, copyPath: String, clock: @escaping @Sendable () -> Timestamp) {
        self.loop = loop
        self.origin = origin
        self.copyPath = copyPath
        self.clock = clock
    }

    func begin() {
        switch origin {
        case .file(let path):
            watchFile(path)
            reload(path)
        case .url(let url, let seconds): follow(url, refreshSeconds: seconds)
        }
    }

    /// Looks no more.
    func end() {
        watch?.cancel()
        watch = nil
        remote?.end()
        remote = nil
    }

    /// Looks again, or elsewhere from now on.
    func reload(from origin: SurveyOrigin) {
        if origin != self.origin {
            end()
            self.origin = origin
            begin()
        } else if case .file(let path) = origin {
            reload(path)
        } else {
            remote?.refresh()
        }
    }

    /// What is wrong with the document, and with getting it.
    var problems: [DocumentIssue] {
        let fetching = remote?.lastError.map { [DocumentIssue(path: "$", message: $0)] } ?? []
        return fetching + status.issues.errors + status.issues.warnings
    }

    private func follow(_ url: String, refreshSeconds: Double) {
        do {
            let copy = copyPath + ".url"
            let remote = try RemoteSurveys(url: url, refreshSeconds: refreshSeconds, copyPath: copy, loop: loop) {
                [weak self] configuration, issues in
                guard let self else { return }
                status.issues = issues
                if let configuration { take(configuration, from: self.remote?.url ?? "a URL") }
            }
            self.remote = remote
            remote.begin()
        } catch {
            status.issues = SurveyDocument.issues("the URL cannot be used: \(error)")
            Log.error("surveys.url cannot be used: \(error)")
        }
    }

    /// Reads the file again. Without a file there are no surveys.
    private func reload(_ path: String) {
        switch read(path) {
        case .missing:
            status = Status()
            take(.none, from: nil)
        case .failed(let issues):
            status.issues = issues
            for issue in issues.errors { Log.error("\(path): \(issue.path): \(issue.message)") }
            if status.loadedAt == nil { fallBack(path) }
        case .good(let configuration, let issues, let bytes):
            for issue in issues.warnings { Log.warning("\(path): \(issue.path): \(issue.message)") }
            status.issues = issues
            status.isCopy = false
            take(configuration, from: path)
            keep(bytes)
        }
    }

    private func fallBack(_ path: String) {
        guard case .good(let configuration, _, _) = read(copyPath) else { return }
        Log.warning("\(path) is not usable; the surveys that were last in force are")
        status.isCopy = true
        take(configuration, from: path)
    }

    private func take(_ configuration: SurveyConfiguration, from origin: String?) {
        do throws(WireError) {
            try onChange(configuration)
            status.origin = origin
            status.loadedAt = origin == nil ? nil : clock()
        } catch {
            Log.error("surveys could not be put into force: \(error.message)")
        }
    }

    private enum Reading {
        case missing
        case failed(DocumentIssues)
        case good(SurveyConfiguration, DocumentIssues, [UInt8])
    }

    private func read(_ path: String) -> Reading {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileDescriptor.open(path, flags: O_RDONLY).readAll(limit: SurveySource.maxBytes)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return .missing }
            return .failed(SurveyDocument.issues("the file cannot be read: \(error)"))
        }
        let (configuration, issues) = SurveyDocument.read(bytes)
        guard let configuration else { return .failed(issues) }
        return .good(configuration, issues, bytes)
    }

    private func keep(_ bytes: [UInt8]) {
        let draft = copyPath + ".new"
        do throws(SystemError) {
            let file = try FileDescriptor.open(draft, flags: O_WRONLY | O_CREAT | O_TRUNC)
            var done = 0
            while done < bytes.count { done += try file.write(contentsOf: bytes, from: done) ?? 0 }
            let (raw, copyPath) = (file.raw, copyPath)
            try syscall("fsync", detail: draft) { fsync(raw) }
            try syscall("rename", detail: draft) { rename(draft, copyPath) }
        } catch {
            Log.warning("the last good surveys could not be kept: \(error)")
        }
    }

    /// Editors replace files: the folder is watched, not the file.
    private func watchFile(_ path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        let name = parts.last.map(String.init)
        do throws(SystemError) {
            watch = try loop.watchPath(folder.isEmpty ? "/" : folder, mask: .content) { [weak self] change in
                if change.name == name { self?.reload(path) }
            }
        } catch {
            // Without the folder there is no file either; SIGHUP reads it once there is.
            Log.debug("\(folder) is not watched: \(error)")
        }
    }
}

/// Reads the text of a document of surveys.
enum SurveyDocument {
    static func read(_ bytes: [UInt8]) -> (SurveyConfiguration?, DocumentIssues) {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            return SurveyConfiguration.read(try decoder.decode(JSONValue.self, from: Data(bytes)))
        } catch {
            return (nil, issues(ConfigurationReader.syntax(error)))
        }
    }

    static func issues(_ message: String) -> DocumentIssues {
        DocumentIssues(error: DocumentIssue(path: "$", message: message))
    }
}
