package import HarkClient
package import HarkWire

/// There is nothing to ask: why, and what is known of what will be.
package struct NothingToAsk: Error, Sendable {
    package let why: String
    package var isShownElsewhere = false
    /// When the next one is due.
    package var dueAt: Timestamp?
    /// Whether it was this one that was asked for, or whatever waits.
    package let isOne: Bool
}

extension SurveyLink {
    /// Begins to show what was asked for.
    ///
    /// - Parameter named: a presentation; or a survey, of which the one that is ready; nil: whichever is ready.
    /// - Throws: `NothingToAsk` where there is none, or a `ClientError`.
    package func choose(_ named: String?) throws -> ShownSurvey {
        if let named, Identifier(named) != nil { return try shown(named) }
        return try ready(named)
    }

    /// One that is ready as it would be shown, without showing it; nil if there is none, and `choose` says why.
    ///
    /// - Parameter named: as of `choose`.
    package func tried(_ named: String?) throws(ClientError) -> ShownSurvey? {
        let isPresentation = named.flatMap { Identifier($0) } != nil
        for ready in try pending(of: isPresentation ? nil : named)
        where ready.state == "ready" && (!isPresentation || ready.id == named) {
            do throws(ClientError) {
                let result = try call(.surveyAnswer) { params in
                    params.member(.presentation, ready.id)
                    params.member(.locale, Words.locale)
                    params.member(.isTried, true)
                }
                if let shown = result.member("survey").flatMap({ ShownSurvey($0) }) { return shown }
            } catch {
                // Another user's session is open, say; one of another app may do.
                guard error.reason == "conflict" else { throw error }
            }
        }
        return nil
    }

    /// That one; that it has ended, or is not due, is nothing to ask.
    private func shown(_ presentationId: String) throws -> ShownSurvey {
        do throws(ClientError) {
            return try present(presentationId)
        } catch {
            guard ["alreadyClosed", "conflict"].contains(error.reason) else { throw error }
            throw NothingToAsk(why: error.message, isOne: true)
        }
    }

    /// The one that is ready and was so first, of all that can be shown now.
    private func ready(_ survey: String?) throws -> ShownSurvey {
        let pending = try pending(of: survey)
        var conflict: ClientError?
        for ready in pending where ready.state == "ready" {
            do throws(ClientError) {
                return try present(ready.id)
            } catch {
                // Another user's session is open, say; one of another app may do.
                guard error.reason == "conflict" else { throw error }
                conflict = conflict ?? error
            }
        }
        if let conflict { throw NothingToAsk(why: conflict.message, isOne: true) }
        let name = survey.map { "nothing of the survey '\($0)'" } ?? "no survey"
        throw NothingToAsk(
            why: "\(name) waits for an answer", isShownElsewhere: pending.contains { $0.state == "presented" },
            dueAt: pending.filter { $0.state == "scheduled" }.compactMap(\.triggerAt).min(), isOne: false)
    }

    /// Waits for the next one that the daemon brings.
    package func waitForNext() throws(ClientError) -> ShownSurvey {
        while true {
            if let offer = try nextOffer() { return offer }
            guard let (method, params) = try hear() else { continue }
            if let told = params.member("survey").flatMap({ ShownSurvey($0) }) { note(method, told) }
        }
    }
}
