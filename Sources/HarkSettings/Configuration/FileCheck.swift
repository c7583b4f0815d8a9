import Glibc
package import HarkCore
import HarkSystem
import HarkWire

/// `harkd --check`: finds faults in files of settings, without a daemon and without applying them.
package struct FileCheck {
    package private(set) var errors: [Finding] = []
    package private(set) var warnings: [Finding] = []
    /// Why there is nothing to check.
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

    /// Checks one file: settings, or a document with a list of `surveys` or `forms`.
    ///
    /// - Parameter sections: The settings of the families.
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

    /// Checks `harkd.json`, and the files of surveys and forms that it names.
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
                // The default files may be missing; a named file should exist.
                if isAbsent, [Configuration().surveys, Configuration().forms].contains(origin) { continue }
                note(DocumentIssues("cannot be read: \(error)"), path)
            }
        }
    }

    /// - Parameter counters: The counters that the settings declare.
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

    /// In settings, `surveys` and `forms` name a file. In a document, they are a list.
    private static func kind(of bytes: [UInt8]) -> String? {
        // A syntax error is reported by the reader that comes next.
        guard let value = try? JSONDocument(bytes, .json5).value else { return nil }
        return ["surveys", "forms"].first { value[$0]?.arrayValue != nil }
    }

    private mutating func note(_ issues: DocumentIssues, _ file: String) {
        errors += issues.errors.map { Finding(file: file, issue: $0) }
        warnings += issues.warnings.map { Finding(file: file, issue: $0) }
        checked.append(file)
    }

    /// The findings in the form of a compiler's messages: `FILE:LINE:COLUMN: error: …`.
    package var lines: [String] {
        errors.map { Self.line($0, "error") } + warnings.map { Self.line($0, "warning") }
    }

    private static func line(_ finding: Finding, _ word: String) -> String {
        let issue = finding.issue
        let place = issue.place.map { ":\($0.line):\($0.column)" } ?? ""
        // A fault of the whole file has no path to show.
        let path = issue.path == "$" ? "" : "\(issue.path): "
        return "\(finding.file)\(place): \(word): \(path)\(issue.message)"
    }

    /// The message if there is no fault.
    package var verdict: String {
        ((verdictOnMissing.map { [$0] } ?? []) + checked.map { "\($0): fine" }).joined(separator: "\n")
    }

    /// The result as `config.validate` returns it, with the files of keys that the settings name.
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
