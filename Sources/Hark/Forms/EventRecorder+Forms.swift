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
        var request = FormList()
        request.owner = user.owner(in: app)
        repeat {
            let page = try await link.call(request)
            forms += page.forms.map { form in
                FormSummary(
                    id: form.formId, title: form.title, progress: Form.Progress(form.progress),
                    isCompleted: form.completed, isEditable: form.editable)
            }
            request.after = page.next
        } while request.after != nil
        return forms
    }

    /// Starts a form, or continues where the user left off. Waits for questions that come from a server.
    public func form(_ id: String, of user: FormUser = .current) async throws(HarkError) -> Form {
        var request = FormStart()
        (request.formId, request.owner) = (id, user.owner(in: app))
        return Form(try await link.call(request).form.json, link, request.owner)
    }

    /// Returns a user's recommendations, derived from the answers to the profile's form.
    public func profile(of user: FormUser = .current) async throws(HarkError) -> Profile {
        guard let profile = try await call(ProfileGet(), for: user).profile else {
            throw HarkError(.malformedReply, "harkd's answer holds no profile")
        }
        return Profile(ProfileInfo(profile.json))
    }

    /// Returns a short summary of the profile, by the template of the forms' document; nil until the form is completed.
    public func profileSummary(of user: FormUser = .current) async throws(HarkError) -> String? {
        try await call(ProfileSummaryRequest(), for: user).summary
    }

    /// Removes the answers from which a user's profile is derived.
    /// - Returns: The number of answers.
    @discardableResult
    public func resetProfile(of user: FormUser = .current) async throws(HarkError) -> Int {
        Int(try await call(ProfileReset(), for: user).removed)
    }

    /// Exports the answers of a profile as one line of JSON, to be stored or imported elsewhere. The text stays the
    /// same until an answer changes.
    public func exportProfile(of user: FormUser = .current) async throws(HarkError) -> String {
        try await call(ProfileExport(), for: user).profile.json.text
    }

    /// Imports a profile from `exportProfile`, replacing the user's own. Its answers are validated like new ones; if
    /// any is invalid, nothing changes.
    @discardableResult
    public func importProfile(_ copy: String, for user: FormUser = .current) async throws(HarkError) -> Profile {
        let text = JSONText(copy)
        guard text.isOneObject else {
            throw HarkError(.encodingFailed, "this is no exported profile: it is not one JSON object")
        }
        var request = ProfileImport()
        request.profile = AnyJSON(text: text.line)
        return Profile(try await call(request, for: user).profile)
    }

    private func call<Request: OwnerMethod>(
        _ request: Request, for user: FormUser
    ) async throws(HarkError) -> Request.Result {
        var request = request
        request.owner = user.owner(in: app)
        return try await link.call(request)
    }
}
