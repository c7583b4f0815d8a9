package import HarkWire

extension Presentation {
    /// Writes the presentation as replies and streams have it.
    ///
    /// - Parameters:
    ///   - survey: the survey as it is to be shown (in `locale`); left out when nil.
    ///   - version: what names what was shown (`ShownContents.version`); where there is one, also when what happened to it.
    ///   - withShown: also what its user saw.
    ///   - machine: where it was shown, on a hub.
    ///   - machineUID: whose it was there.
    package func write(
        to json: inout JSONWriter, survey: Survey? = nil, version: (([UInt8]) -> String)? = nil,
        withShown: Bool = false, machine: MachineIdentity? = nil, machineUID: UInt32? = nil
    ) {
        json.beginObject()
        json.key("presentationId")
        json.identifier(id)
        json.key("surveyId")
        json.string(self.survey)
        json.key("state")
        json.string(state.word)
        json.key("userId")
        if let userId = user.userId { json.string(userId) } else { json.null() }
        json.key("uid")
        json.int(Int(machineUID ?? user.uid))
        json.key("app")
        json.string(app)
        json.key("sessionId")
        json.identifier(session ?? origin)
        json.key("triggerAt")
        json.timestamp(dueAt)
        write("expiresAt", expiresAt, to: &json)
        write("presentedAt", presentedAt, to: &json)
        write("closedAt", closedAt, to: &json)
        if let prompt {
            json.key("promptId")
            json.identifier(prompt.id)
            json.key("askedBy")
            json.int(Int(prompt.asker))
        }
        if let reason {
            json.key("reason")
            json.string(reason)
        }
        if !answers.isEmpty {
            json.key("answers")
            answers.write(to: &json)
        }
        for (key, id) in [("revises" as StaticString, revises), ("revisedBy", revisedBy)] {
            guard let id else { continue }
            json.key(key)
            json.identifier(id)
        }
        if state == .answered, revisedBy == nil { write("changeableUntil", changeableUntil, to: &json) }
        if let version {
            writeTimes(to: &json)
            if let locale {
                json.key("language")
                json.string(locale)
            }
            if !shown.isEmpty {
                json.key("version")
                json.string(version(shown))
            }
            if !trigger.isEmpty {
                json.key("properties")
                trigger.write(to: &json)
            }
        }
        if withShown {
            if !shown.isEmpty {
                json.key("shown")
                json.raw(shown)
            } else if let prompt {
                json.key("title")
                json.string(prompt.question.title)
            }
        }
        if let survey {
            survey.writeMembers(to: &json, locale: locale)
            if survey.content.responseType == .questions { writeRoute(of: survey.content, to: &json) }
        }
        machine?.writeMembers(to: &json)
        json.endObject()
    }

    /// The ids of the questions on the way that the answers so far lead; the first without an answer that is needed is
    /// the last of them. It is how a presenter that knows no branches asks one question after the other.
    private func writeRoute(of content: SurveyContent, to json: inout JSONWriter) {
        json.key("route")
        json.beginArray()
        for question in content.questionnaire.route(answers).questions { json.string(question.id) }
        json.endArray()
    }

    func write(_ name: StaticString, _ time: Timestamp?, to json: inout JSONWriter) {
        guard let time else { return }
        json.key(name)
        json.timestamp(time)
    }
}

extension Survey {
    /// Writes what is shown, and the notification, as members of an object that the caller has opened.
    package func writeMembers(to json: inout JSONWriter, locale: String?) {
        content.localized(locale).writeMembers(to: &json)
        if let translation = content.translation(for: locale) {
            json.key("locale")
            json.string(translation.locale)
        }
        guard let notification = notification(in: locale) else { return }
        json.key("notification")
        json.beginObject()
        json.key("title")
        json.string(notification.title)
        json.key("body")
        json.string(notification.body)
        json.key("sound")
        json.bool(notification.sound)
        json.endObject()
    }

    /// What a person sees in a locale, as one JSON object: kept with a presentation to tell later what was shown.
    func shown(in locale: String?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        content.localized(locale).writeMembers(to: &json)
        if let translation = content.translation(for: locale) {
            json.key("locale")
            json.string(translation.locale)
        }
        json.endObject()
        return json.bytes
    }
}
