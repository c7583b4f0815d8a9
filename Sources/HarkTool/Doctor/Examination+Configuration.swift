import HarkClient
import HarkWire

extension Examination {
    /// The result of `harkd --check` for the settings and the documents they name.
    private var check: BoundedProgram.Outcome? {
        guard let harkd = machine.program("harkd") else { return nil }
        return machine.run(
            [harkd] + (isSystem ? ["--system"] : []) + ["--config", configurationFolder, "--check", "--json"])
    }

    /// The settings, and the key files they name.
    var settings: [Finding] {
        let id = "configuration"
        let file = configurationFolder + "/harkd.json"
        // The check of programs reports a missing harkd.
        guard let check else { return [] }
        guard case .ended(let code, let output) = check else {
            return [.fault(id, "harkd --check, which checks \(file), does not end", .look("harkd --check"))]
        }
        let told = JSONText(output)
        guard told.hasMembers else {
            return [.fault(id, "harkd --check ends with \(code)\(Examination.said(output))", .look("harkd --check"))]
        }
        let report = FileReport(told)
        return [finding(report.errors, report.problems, file)] + modes(file)
            + (canSeeKeys ? report.keyFiles.map(key) : [])
    }

    /// Whether this user may look at key files. Those of the machine's daemon are visible to root only.
    private var canSeeKeys: Bool { !isSystem || machine.uid == 0 }

    private func finding(_ errors: [FileIssue], _ warnings: [FileIssue], _ file: String) -> Finding {
        let id = "configuration"
        guard let first = errors.first ?? warnings.first else {
            if let entry = machine.entry(file), !entry.isUsable {
                return .fault(id, "\(file) cannot be read by this user", .mend(mendMode(of: file, entry)))
            }
            if machine.entry(file) != nil { return .ok(id, "\(file) is fine") }
            guard configuration?.file != nil else {
                return .ok(id, "\(file) does not exist: the defaults are in force")
            }
            return .warning(
                id,
                "\(file) is gone: its last settings are in force until the daemon restarts, then the defaults",
                .look(asOwner("hark config show")))
        }
        let place = first.file.isEmpty ? file : first.file
        let line = first.issue.line
        var message = place + (line.map { ":\($0)" } ?? "") + (first.issue.column.map { ":\($0)" } ?? "")
        if first.issue.path != "$" { message += ": \(first.issue.path)" }
        message += ": \(first.issue.message)"
        let more = (errors.isEmpty ? warnings.count : errors.count) - 1
        if more > 0 { message += " (and \(more) more: 'hark config validate')" }
        let at = line.map { "+\($0) " } ?? ""
        var edit =
            isSystem && machine.uid != 0
            ? "sudoedit \(Examination.quoted(place))" : "${EDITOR:-vi} \(at)\(Examination.quoted(place))"
        // A stopped daemon reads the settings when it starts.
        if status != nil { edit += " && " + asOwner("hark config reload") }
        return errors.isEmpty ? .warning(id, message, .mend(edit)) : .fault(id, message, .mend(edit))
    }

    private func mendMode(of file: String, _ entry: Machine.Entry) -> String {
        entry.owner == machine.uid
            ? "chmod u+r \(Examination.quoted(file))" : asRoot("chown \(machine.uid) \(Examination.quoted(file))")
    }

    /// Checks who may write the settings, since they can make the daemon run programs.
    private func modes(_ file: String) -> [Finding] {
        [configurationFolder, file].compactMap { path in
            guard let entry = machine.entry(path) else { return nil }
            let id = path == file ? "configuration-file" : "configuration-folder"
            let quoted = Examination.quoted(path)
            if entry.owner != 0, !isSystem, entry.owner != machine.uid {
                return .fault(
                    id, "\(path) belongs to user \(entry.owner), who can make this user's daemon run any program",
                    .mend(asRoot("chown \(machine.uid) \(quoted)")))
            }
            guard entry.mode & 0o022 != 0 else { return nil }
            return .fault(
                id, "other users may change \(path), and so make the daemon run any program",
                .mend(asOwner("chmod go-w \(quoted)")))
        }
    }
}
