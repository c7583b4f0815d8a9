package import HarkWire

/// The answers behind a profile, for export and import.
///
/// The export does not depend on its time and place, so the same profile is always the same text.
package struct ProfileCopy: Sendable, Equatable {
    package let form: String
    package let startedAt: Timestamp
    package let completedAt: Timestamp?
    package let answers: Answers

    private static let version: Int64 = 1

    init(form: String, startedAt: Timestamp, completedAt: Timestamp?, answers: Answers) {
        self.form = form
        self.startedAt = startedAt
        self.completedAt = completedAt
        self.answers = answers
    }

    package var info: ProfileCopyInfo {
        var info = ProfileCopyInfo()
        info.version = ProfileCopy.version
        info.formId = form
        info.startedAt = startedAt
        info.completedAt = completedAt
        info.answers = AnyJSON(answers)
        return info
    }

    /// Reads an export and checks its answers as if they were given now.
    init(_ document: JSONObject, of form: Form, path: String) throws(WireError) {
        guard document["version"]?.exactInteger == ProfileCopy.version else {
            throw WireError(
                .invalidParams, "this is no exported profile: its version must be \(ProfileCopy.version)",
                path: "\(path).version")
        }
        guard document["formId"]?.stringValue.hasSameBytes(as: form.id) == true else {
            throw WireError(
                .invalidParams, "this profile is made of another form than '\(form.id)'", path: "\(path).formId")
        }
        guard let startedAt = try ProfileCopy.time("startedAt", in: document, path: path) else {
            throw WireError(.invalidParams, "the member 'startedAt' is missing", path: path)
        }
        guard let answers = document["answers"]?.objectValue else {
            throw WireError(.invalidParams, "the member 'answers' must be an object", path: "\(path).answers")
        }
        self.form = form.id
        self.startedAt = startedAt
        completedAt = try ProfileCopy.time("completedAt", in: document, path: path)
        self.answers = try form.questionnaire.accept(answers.map { ($0.key, $0.value) }) { "\(path).answers.\($0)" }
    }

    private static func time(
        _ name: String, in document: JSONObject, path: String
    ) throws(WireError) -> Timestamp? {
        guard let value = document[name], !value.isNull else { return nil }
        guard let time = value.stringValue.flatMap({ Timestamp($0) }) else {
            throw WireError(
                .invalidParams, "'\(name)' must be a time such as 2026-11-21T11:08:00.123Z", path: "\(path).\(name)")
        }
        return time
    }
}
