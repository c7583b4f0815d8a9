internal import HarkClient
internal import HarkWire

/// Answering. Each method returns the form's new state; it applies all of its input, or none.
extension Form {
    /// Sets answers by question: a text, an option, a list of options or a number; `.null` withdraws an optional one.
    /// - Parameter confirm: Whether to wait for the outcome at the form's server.
    @discardableResult
    public func answer(_ answers: [String: Value], confirm: Bool = false) async throws(HarkError) -> Form {
        var request = FormAnswerRequest()
        (request.answers, request.confirm) = (AnyJSON(answers), confirm)
        return try await call(request)
    }

    /// Sets answers from variables of Swift's own types.
    /// - Parameter confirm: Whether to wait for the outcome at the form's server.
    @_disfavoredOverload
    @discardableResult
    public func answer(
        _ answers: [String: any ValueConvertible], confirm: Bool = false
    ) async throws(HarkError) -> Form {
        try await answer(answers.harkValues, confirm: confirm)
    }

    /// Keeps unfinished input without making it an answer: it appears when the form is shown next, here or elsewhere,
    /// and is not sent anywhere else. It need not be valid yet.
    /// - Parameters:
    ///   - answers: The input by question; `.null` removes that of a question.
    ///   - page: The current question; nil leaves it unchanged.
    @discardableResult
    public func keepDraft(_ answers: [String: Value] = [:], page: String? = nil) async throws(HarkError) -> Form {
        var request = FormDraftRequest()
        (request.answers, request.page) = (AnyJSON(answers), page)
        return try await call(request)
    }

    /// Sends answers again that the form's server has not accepted.
    /// - Parameters:
    ///   - question: The question; nil for all answers that failed or wait. An `unconfirmed` one must be named.
    ///   - confirm: Whether to wait for the outcome.
    @discardableResult
    public func retry(_ question: String? = nil, confirm: Bool = false) async throws(HarkError) -> Form {
        var request = FormRetry()
        (request.questionId, request.confirm) = (question, confirm)
        return try await call(request)
    }

    /// Returns the form's current state.
    public func refreshed() async throws(HarkError) -> Form {
        try await call(FormProgressRequest())
    }

    /// Removes the answers. A server keeps those it has accepted.
    /// - Returns: The number of answers.
    @discardableResult
    public func reset() async throws(HarkError) -> Int {
        var request = FormReset()
        (request.formId, request.owner) = (id, owner)
        return Int(try await link.call(request).removed)
    }

    private func call(_ request: some FormMethod) async throws(HarkError) -> Form {
        var request = request
        (request.formId, request.owner) = (id, owner)
        return Form(try await link.call(request).form.json, link, owner, before: self)
    }
}
