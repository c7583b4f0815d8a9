import Glibc
package import HarkCore
import HarkSystem
import HarkWire

/// `harkd --check`: what is wrong with files of settings, without a daemon and without using them.
package struct FileCheck {
    package private(set) var errors: [Finding] = []
    package private(set) var warnings: [Finding] = []
    /// Why there was nothing to check.
    package private(set) var obstacle: String?
    private var checked: [String] = []
    private var verdictOnMissing: String?
    /// The files of keys that the settings name.
    private var keyFiles: [String] = []
    private let settings: DocumentKind<Configuration>

    package struct Finding {
        package let file: String
        package let issue: DocumentIssue
    }

    /// Checks one file: settings, or what has a list of `surveys` or `forms`.
    ///
    /// - Parameter sections: Those of the families.
    package init(file: String, _ sections: [any SettingsSection.Type]) {
        settings = .settings(with: sections)
        do throws(SystemError) {
            let bytes =
                try file == "-"
                ? FileDescriptor(owning: dup(STDIN_FILENO)).readAll(limit: ConfigurationFile.maxBytes)
                : FileDescriptor.contents(of: file, limit: ConfigurationFile.maxBytes)
            check(bytes, file == "-" ? "standard input" : file)
        } catch {
            obstacle = "\(file) cannot be read: \(error)"
        }
    }

    /// Checks `harkd.json` and the files of surveys and forms that it leads to, as far as they are there.
    package init(configuration paths: Paths, _ sections: [any SettingsSection.Type]) {
        settings = .settings(with: sections)
        let file = paths.configurationFile
        var found = Configuration()
        do throws(SystemError) {
            let (configuration, issues) = settings.read(
                try FileDescriptor.contents(of: file, limit: ConfigurationFile.maxBytes))
            found = configuration ?? found
            note(issues, file)
        } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else {
                obstacle = "\(file) cannot be read: \(error)"
                return
            }
            verdictOnMissing = "\(file): not there, so the defaults hold"
        }
        keyFiles = found.keyFiles(in: paths.configuration)
        for origin in [found.surveys, found.forms] {
            guard case .file(let path) = origin.absolute(in: paths.configuration) else { continue }
            do throws(SystemError) {
                check(try FileDescriptor.contents(of: path, limit: ConfigurationFile.maxBytes), path, found.counters)
            } catch {
                let isAbsent = error.code == ENOENT || error.code == ENOTDIR
                // Nobody has to have surveys, but what is named should be there.
                if isAbsent, [Configuration().surveys, Configuration().forms].contains(origin) { continue }
                note(DocumentIssues("cannot be read: \(error)"), path)
            }
        }
    }

    /// - Parameter counters: those that the settings declare.
    private mutating func check(_ bytes: [UInt8], _ file: String, _ counters: CounterConfiguration = .none) {
        switch Self.kind(of: bytes) {
        case "surveys":
            let kind = DocumentKind(name: "surveys", none: SurveyConfiguration.none, emptyText: "") { document in
                let (surveys, issues) = SurveyConfiguration.read(
                    document, counters, hasZone: { ZoneFolder.zone($0) != nil })
                return (surveys, issues)
            }
            note(kind.read(bytes).1, file)
        case "forms": note(DocumentKind.forms.read(bytes).1, file)
        default: note(settings.read(bytes).1, file)
        }
    }

    /// Settings name a file of surveys or forms where a document of those has a list.
    private static func kind(of bytes: [UInt8]) -> String? {
        // What is wrong with the text is told by whoever reads it next.
        guard let value = try? JSONDocument(bytes, .json5).value else { return nil }
        return ["surveys", "forms"].first { value[$0]?.arrayValue != nil }
    }

    private mutating func note(_ issues: DocumentIssues, _ file: String) {
        errors += issues.errors.map { Finding(file: file, issue: $0) }
        warnings += issues.warnings.map { Finding(file: file, issue: $0) }
        checked.append(file)
    }

    /// What there is to say, as compilers say it: `FILE:LINE:COLUMN: error: …`.
    package var lines: [String] {
        errors.map { Self.line($0, "error") } + warnings.map { Self.line($0, "warning") }
    }

    private static func line(_ finding: Finding, _ word: String) -> String {
        let issue = finding.issue
        let place = issue.place.map { ":\($0.line):\($0.column)" } ?? ""
        // What is wrong with the whole has no path to be named.
        let path = issue.path == "$" ? "" : "\(issue.path): "
        return "\(finding.file)\(place): \(word): \(path)\(issue.message)"
    }

    /// What is said when all is well.
    package var verdict: String {
        ((verdictOnMissing.map { [$0] } ?? []) + checked.map { "\($0): fine" }).joined(separator: "\n")
    }

    /// The same as `config.validate` answers, and the files of keys that the settings name.
    package var json: String {
        var report = FileReport()
        report.valid = errors.isEmpty && obstacle == nil
        report.errors = errors.map { FileIssue($0) }
        report.problems = warnings.map { FileIssue($0) }
        report.keyFiles = keyFiles
        return String(decoding: report.json, as: UTF8.self)
    }
}

extension FileIssue {
    fileprivate init(_ finding: FileCheck.Finding) {
        self.init()
        file = finding.file
        issue = IssueInfo(finding.issue)
    }
}
