internal import HarkClient
internal import HarkWire

/// Forms, and the profiles derived from them.
extension EventRecorder {
    /// A form in a list.
    public struct FormSummary: Sendable, Hashable, Identifiable {
        /// The form's id in the configuration.
        public let id: String
        /// The title.
        public let title: String
        /// The user's progress.
        public let progress: Form.Progress
        /// Whether all required answers are there.
        public let isCompleted: Bool
        /// Whether answers can be changed later.
        public let isEditable: Bool
    }

    /// Returns all forms, with a user's progress in each.
    public func forms(of user: FormUser = .current) async throws(HarkError) -> [FormSummary] {
        var forms: [FormSummary] = []
        var after: String?
        repeat {
            let page = try await link.call(.formList, user.add(to: params).with(.after, after))
            forms += (page.member("forms")?.elements ?? []).compactMap { form in
                guard let id = form.member("formId")?.string else { return nil }
                return FormSummary(
                    id: id, title: form.member("title")?.string ?? id,
                    progress: Form.Progress(form.member("progress").map { Value($0) }),
                    isCompleted: form.member("completed")?.bool ?? false,
                    isEditable: form.member("editable")?.bool ?? true)
            }
            after = page.member("next")?.string
        } while after != nil
        return forms
    }

    /// Starts a form, or continues where the user left off. Waits for questions that come from a server.
    public func form(_ id: String, of user: FormUser = .current) async throws(HarkError) -> Form {
        let place = user.add(to: params).with(.form, id)
        guard let form = Form(try await link.call(.formStart, place).member("form"), link, place) else {
            throw HarkError(.malformedReply, "harkd's answer holds no form")
        }
        return form
    }

    /// Returns a user's recommendations, derived from the answers to the profile's form.
    public func profile(of user: FormUser = .current) async throws(HarkError) -> Profile {
        guard let profile = Profile(try await link.call(.profileGet, user.add(to: params)).member("profile")) else {
            throw HarkError(.malformedReply, "harkd's answer holds no profile")
        }
        return profile
    }

    /// Returns a short summary of the profile, by the template of the forms' document; nil until the form is completed.
    public func profileSummary(of user: FormUser = .current) async throws(HarkError) -> String? {
        try await link.call(.profileSummary, user.add(to: params)).member("summary")?.string
    }

    /// Removes the answers from which a user's profile is derived.
    /// - Returns: The number of answers.
    @discardableResult
    public func resetProfile(of user: FormUser = .current) async throws(HarkError) -> Int {
        try await link.call(.profileReset, user.add(to: params)).member("removed")?.int.map { Int($0) } ?? 0
    }

    /// Exports the answers of a profile as one line of JSON, to be stored or imported elsewhere. The text stays the
    /// same until an answer changes.
    public func exportProfile(of user: FormUser = .current) async throws(HarkError) -> String {
        guard let copy = try await link.call(.profileExport, user.add(to: params)).member("profile") else {
            throw HarkError(.malformedReply, "harkd's answer holds no profile")
        }
        return copy.text
    }

    /// Imports a profile from `exportProfile`, replacing the user's own. Its answers are validated like new ones; if
    /// any is invalid, nothing changes.
    @discardableResult
    public func importProfile(_ copy: String, for user: FormUser = .current) async throws(HarkError) -> Profile {
        let text = JSONText(copy)
        guard text.isOneObject else {
            throw HarkError(.encodingFailed, "this is no profile that was exported: it is not one JSON object")
        }
        let params = user.add(to: params).with(.exportedProfile, Value(text))
        guard let profile = Profile(try await link.call(.profileImport, params).member("profile")) else {
            throw HarkError(.malformedReply, "harkd's answer holds no profile")
        }
        return profile
    }
}
