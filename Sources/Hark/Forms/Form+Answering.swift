internal import HarkClient
internal import HarkWire

/// Answering. Each returns the form as it stands then; all that is given is taken, or none.
extension Form {
    /// Gives answers, by question: a text, an option, a list of options or a number; `.null` takes one back that is not
    /// required.
    /// - Parameter confirm: Returns when something has become of what is sent to the form's server.
    @discardableResult
    public func answer(_ answers: [String: Value], confirm: Bool = false) async throws(HarkError) -> Form {
        try await call(.formAnswer, place.with(.formAnswers, answers).with(.confirmsAnswers, confirm))
    }

    /// Gives answers from variables of Swift's own types.
    /// - Parameter confirm: Returns when something has become of what is sent to the form's server.
    @_disfavoredOverload
    @discardableResult
    public func answer(
        _ answers: [String: any ValueConvertible], confirm: Bool = false
    ) async throws(HarkError) -> Form {
        try await answer(answers.harkValues, confirm: confirm)
    }

    /// Keeps what is being written or chosen, without giving it as an answer: it is there again when the form is shown
    /// next, here or elsewhere, and goes nowhere else. It need not keep the rules yet.
    /// - Parameters:
    ///   - answers: by question; `.null` forgets that of one.
    ///   - page: the question that is before somebody's eyes; nil leaves it as it was.
    @discardableResult
    public func keepDraft(_ answers: [String: Value] = [:], page: String? = nil) async throws(HarkError) -> Form {
        try await call(.formDraft, place.with(.draftAnswers, answers).with(.formPage, page))
    }

    /// Has answers sent again that the form's server has not taken.
    /// - Parameters:
    ///   - question: nil for all that failed or wait; one that is `unconfirmed` has to be named.
    ///   - confirm: Returns when something has become of it.
    @discardableResult
    public func retry(_ question: String? = nil, confirm: Bool = false) async throws(HarkError) -> Form {
        try await call(.formRetry, place.with(.retriedQuestion, question).with(.confirmsRetry, confirm))
    }

    /// The form as it stands now.
    public func refreshed() async throws(HarkError) -> Form {
        try await call(.formProgress, place)
    }

    /// Forgets what was answered; what a server has taken, it keeps.
    /// - Returns: how many answers there were.
    @discardableResult
    public func reset() async throws(HarkError) -> Int {
        try await link.call(.formReset, place).member("removed")?.int.map { Int($0) } ?? 0
    }

    private func call(_ method: MethodShape, _ params: RequestParams) async throws(HarkError) -> Form {
        guard let form = Form(try await link.call(method, params).member("form"), link, place, before: self) else {
            throw HarkError(.malformedReply, "harkd's answer holds no form")
        }
        return form
    }
}
