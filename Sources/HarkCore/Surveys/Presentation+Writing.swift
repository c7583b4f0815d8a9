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
        to json: inout JSONWriter, survey: Survey? = nil, version: ((UnsafeBufferPointer<UInt8>) -> String)? = nil,
        withShown: Bool = false, machine: MachineIdentity? = nil, machineUID: UInt32? = nil
    ) {
        json.beginObject()
        withTold { $0.writeMembers(to: &json, version: version, uid: machineUID) }
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
