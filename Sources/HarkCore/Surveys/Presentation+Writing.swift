package import HarkWire

extension Presentation {
    /// Writes the presentation as in replies and streams. The members that all showings have are written by hand, as from a row
    /// (`ToldShowing`): there may be many.
    ///
    /// - Parameters:
    ///   - survey: the survey to show (in `locale`); nil leaves it out.
    ///   - version: the function that names the shown version (`ShownContents.version`); if given, the times of the
    ///     showing are written too.
    ///   - withShown: whether to include the content that the user saw.
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
            survey.info(of: content, survey.notification(for: self, isolates: isolates), in: locale)
                .writeMembers(to: &json)
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
    /// The content and the notification in a locale.
    package func info(in locale: String?) -> SurveyContentInfo {
        info(of: content.localized(locale), notification(in: locale), in: locale)
    }

    fileprivate func info(
        of content: SurveyContent, _ notification: SurveyNotification?, in locale: String?
    ) -> SurveyContentInfo {
        var info = content.info
        info.locale = content.translation(for: locale)?.locale
        info.notification = notification?.info
        return info
    }

    /// The content in a locale as a JSON object, kept with a presentation to show the same content later. Its last member says
    /// that options had a drawn order (`SurveyContent.writeOrders`).
    func shown(in locale: String?) -> [UInt8] {
        var info = info(of: content.localized(locale), nil, in: locale)
        info.shuffle = content.questionnaire.hasOrders ? true : nil
        return info.json
    }
}

extension SurveyNotification {
    fileprivate var info: NotificationInfo {
        var info = NotificationInfo()
        (info.title, info.body, info.sound) = (title, body, sound)
        return info
    }
}
