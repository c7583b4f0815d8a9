internal import HarkClient
internal import HarkWire

/// Forms, and the profiles that are made of them.
extension EventRecorder {
    /// A form in the list of all.
    public struct FormSummary: Sendable, Hashable, Identifiable {
        /// The form's id in the configuration.
        public let id: String
        /// Its heading.
        public let title: String
        /// How far the user is.
        public let progress: Form.Progress
        /// Whether everything that is needed is answered.
        public let isCompleted: Bool
        /// Whether answers can be changed later.
        public let isEditable: Bool
    }

    /// The forms there are, and how far a user is with each.
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

    /// Begins with a form, or goes on with it where the user left off. Questions that come from a server and are not there
    /// yet are waited for.
    public func form(_ id: String, of user: FormUser = .current) async throws(HarkError) -> Form {
        let place = user.add(to: params).with(.form, id)
        guard let form = Form(try await link.call(.formStart, place).member("form"), link, place) else {
            throw HarkError(.malformedReply, "harkd's answer holds no form")
        }
        return form
    }

    /// What is recommended to a user, from the answers to the profile's form.
    public func profile(of user: FormUser = .current) async throws(HarkError) -> Profile {
        guard let profile = Profile(try await link.call(.profileGet, user.add(to: params)).member("profile")) else {
            throw HarkError(.malformedReply, "harkd's answer holds no profile")
        }
        return profile
    }

    /// The profile in a few lines, by the template of the forms' document; nil before the form is completed.
    public func profileSummary(of user: FormUser = .current) async throws(HarkError) -> String? {
        try await link.call(.profileSummary, user.add(to: params)).member("summary")?.string
    }

    /// Forgets the answers that a user's profile is made of.
    /// - Returns: how many there were.
    @discardableResult
    public func resetProfile(of user: FormUser = .current) async throws(HarkError) -> Int {
        try await link.call(.profileReset, user.add(to: params)).member("removed")?.int.map { Int($0) } ?? 0
    }

    /// What a profile is made of, as one line of JSON to be kept or taken in elsewhere; the same text as long as nothing
    /// changes.
    public func exportProfile(of user: FormUser = .current) async throws(HarkError) -> String {
        guard let copy = try await link.call(.profileExport, user.add(to: params)).member("profile") else {
            throw HarkError(.malformedReply, "harkd's answer holds no profile")
        }
        return copy.text
    }

    /// Takes in a profile that `exportProfile` gave, in place of the user's own. Its answers are checked as if they were
    /// given now; with a fault in them nothing changes.
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
