package import HarkClient
package import HarkWire

/// There is nothing to ask, with the reason and the known facts about the next survey.
package struct NothingToAsk: Error, Sendable {
    package let why: String
    package var isShownElsewhere = false
    /// When the next survey is due.
    package var dueAt: Timestamp?
    /// Whether a certain survey was requested, rather than any that waits.
    package let isOne: Bool
}

extension SurveyLink {
    /// Starts to show the requested survey.
    ///
    /// - Parameter named: A presentation; or a survey, for its ready presentation; nil for any that is ready.
    /// - Throws: `NothingToAsk` if there is none, or a `ClientError`.
    package func choose(_ named: String?) throws -> ShownSurvey {
        if let named, Identifier(named) != nil { return try shown(named) }
        return try ready(named)
    }

    /// Returns a ready presentation without showing it; nil if there is none, for which `choose` gives the reason.
    ///
    /// - Parameter named: As for `choose`.
    package func tried(_ named: String?) throws(ClientError) -> ShownSurvey? {
        let isPresentation = named.flatMap { Identifier($0) } != nil
        for ready in try pending(of: isPresentation ? nil : named)
        where ready.state == "ready" && (!isPresentation || ready.id == named) {
            do throws(ClientError) {
                var request = SurveyAnswer(ready.id)
                (request.locale, request.isTried) = (Words.locale, true)
                if let shown = ShownSurvey(try call(request).value.survey.json) { return shown }
            } catch {
                // For example, another user's session is open; a survey of another app may work.
                guard error.reason == .conflict else { throw error }
            }
        }
        return nil
    }

    /// Presents this one. Throws `NothingToAsk` if it has ended or is not due.
    private func shown(_ presentationId: String) throws -> ShownSurvey {
        do throws(ClientError) {
            return try present(presentationId)
        } catch {
            guard [.alreadyClosed, .conflict].contains(error.reason) else { throw error }
            throw NothingToAsk(why: error.message, isOne: true)
        }
    }

    /// Presents the earliest ready survey that can be shown now.
    private func ready(_ survey: String?) throws -> ShownSurvey {
        let pending = try pending(of: survey)
        var conflict: ClientError?
        for ready in pending where ready.state == "ready" {
            do throws(ClientError) {
                return try present(ready.id)
            } catch {
                // For example, another user's session is open; a survey of another app may work.
                guard error.reason == .conflict else { throw error }
                conflict = conflict ?? error
            }
        }
        if let conflict { throw NothingToAsk(why: conflict.message, isOne: true) }
        let name = survey.map { "nothing of the survey '\($0)'" } ?? "no survey"
        throw NothingToAsk(
            why: "\(name) waits for an answer", isShownElsewhere: pending.contains { $0.state == "presented" },
            dueAt: pending.filter { $0.state == "scheduled" }.compactMap(\.triggerAt).min(), isOne: false)
    }

    /// Waits for the next survey that the daemon offers.
    package func waitForNext() throws(ClientError) -> ShownSurvey {
        while true {
            if let offer = try nextOffer() { return offer }
            guard let (method, params) = try hear() else { continue }
            if let told = ShownSurvey(SurveyNotice(params).survey.json) { note(method, told) }
        }
    }
}
