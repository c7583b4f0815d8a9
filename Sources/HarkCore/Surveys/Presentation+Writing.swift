package import HarkWire

extension Presentation {
    /// Writes the presentation as in replies and streams.
    ///
    /// - Parameters:
    ///   - survey: the survey to show (in `locale`); nil leaves it out.
    ///   - version: the function that names the shown version (`ShownContents.version`); if given, the times of the
    ///     showing are written too.
    ///   - withShown: whether to include what the user saw.
    ///   - machine: the machine of the showing, on a hub.
    ///   - machineUID: the user's uid on that machine.
    package func write(
        to json: inout JSONWriter, survey: Survey? = nil, version: ((UnsafeBufferPointer<UInt8>) -> String)? = nil,
        withShown: Bool = false, machine: MachineIdentity? = nil, machineUID: UInt32? = nil
    ) {
        json.beginObject()
        withTold { $0.writeMembers(to: &json, version: version, uid: machineUID) }
        if withShown {
            if !shown.isEmpty {
                json.key("shown")
                json.raw(shownWithValues)
                if !given.isEmpty {
                    json.key("values")
                    given.write(to: &json)
                }
            } else if let prompt {
                json.key("title")
                json.string(prompt.question.title)
            }
        }
        if let survey {
            let isolates = times.surface?.laysOutBothDirections ?? false
            var content = survey.content(for: self, isolates: isolates)
            content.questionnaire = content.questionnaire.drawn(for: prompt?.id ?? id)
            survey.writeMembers(
                of: content, survey.notification(for: self, isolates: isolates), to: &json, locale: locale)
            if content.responseType == .questions { writeRoute(of: content, to: &json) }
        }
        machine?.writeMembers(to: &json)
        json.endObject()
    }

    /// Writes the ids of the questions that the answers so far lead through, up to the first required one without an
    /// answer. A presenter that knows no branches asks them one after the other.
    private func writeRoute(of content: SurveyContent, to json: inout JSONWriter) {
        json.key("route")
        json.beginArray()
        for question in content.questionnaire.route(answers).questions { json.string(question.id) }
        json.endArray()
    }
}

extension Survey {
    /// Writes content and notification as members of an object that the caller has opened.
    package func writeMembers(to json: inout JSONWriter, locale: String?) {
        writeMembers(of: content.localized(locale), notification(in: locale), to: &json, locale: locale)
    }

    fileprivate func writeMembers(
        of content: SurveyContent, _ notification: SurveyNotification?, to json: inout JSONWriter, locale: String?
    ) {
        content.writeMembers(to: &json)
        if let translation = content.translation(for: locale) {
            json.key("locale")
            json.string(translation.locale)
        }
        guard let notification else { return }
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

    /// The content in a locale as a JSON object, kept with a presentation to show later what a person saw.
    func shown(in locale: String?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        content.localized(locale).writeMembers(to: &json)
        if let translation = content.translation(for: locale) {
            json.key("locale")
            json.string(translation.locale)
        }
        content.writeOrderMark(to: &json)
        json.endObject()
        return json.bytes
    }
}
