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
            let page = FormPageInfo(try await link.call(.formList, user.add(to: params).with(.after, after)))
            forms += page.forms.map { form in
                FormSummary(
                    id: form.formId, title: form.title, progress: Form.Progress(form.progress),
                    isCompleted: form.completed, isEditable: form.editable)
            }
            after = page.next
        } while after != nil
        return forms
    }

    /// Starts a form, or continues where the user left off. Waits for questions that come from a server.
    public func form(_ id: String, of user: FormUser = .current) async throws(HarkError) -> Form {
        let place = user.add(to: params).with(.form, id)
        return Form(FormStarted(try await link.call(.formStart, place)).form.json, link, place)
    }

    /// Returns a user's recommendations, derived from the answers to the profile's form.
    public func profile(of user: FormUser = .current) async throws(HarkError) -> Profile {
        let reply = ProfileResult(try await link.call(.profileGet, user.add(to: params)))
        guard let profile = reply.profile else {
            throw HarkError(.malformedReply, "harkd's answer holds no profile")
        }
        return Profile(ProfileInfo(profile.json))
    }

    /// Returns a short summary of the profile, by the template of the forms' document; nil until the form is completed.
    public func profileSummary(of user: FormUser = .current) async throws(HarkError) -> String? {
        ProfileSummaryText(try await link.call(.profileSummary, user.add(to: params))).summary
    }

    /// Removes the answers from which a user's profile is derived.
    /// - Returns: The number of answers.
    @discardableResult
    public func resetProfile(of user: FormUser = .current) async throws(HarkError) -> Int {
        Int(RemovedAnswers(try await link.call(.profileReset, user.add(to: params))).removed)
    }

    /// Exports the answers of a profile as one line of JSON, to be stored or imported elsewhere. The text stays the
    /// same until an answer changes.
    public func exportProfile(of user: FormUser = .current) async throws(HarkError) -> String {
        ProfileExport(try await link.call(.profileExport, user.add(to: params))).profile.json.text
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
        return Profile(ProfileImport(try await link.call(.profileImport, params)).profile)
    }
}
