internal import HarkWire

/// The values that a survey refers to.
extension Survey {
    /// The most values of event, session, counters and flags that a survey may refer to.
    static let mostValues = 32

    /// Whether the counters of its app must be loaded to schedule it.
    var needsCounters: Bool {
        trigger.counters != nil || asked.contains { if case .counter = $0 { true } else { false } }
    }

    /// Finds the values that texts and conditions refer to, and reports faults in these.
    ///
    /// - Returns: the values to keep when the survey is scheduled.
    func checkValues(_ path: String, _ issues: IssueCollector) -> [ValueName] {
        var names: [ValueName] = []
        for (place, question) in content.questionnaire.written.enumerated() {
            for name in question.when?.names ?? [] where name.isGiven {
                // Names of answers were checked with the questions.
                if let doubt = ValueScope(trigger: trigger).doubt(of: name) {
                    issues.error("\(path).questions[\(place)].when", doubt)
                }
                if !names.contains(name) { names.append(name) }
            }
        }
        if content.isPiped {
            checkTexts(path, issues, &names)
            for (place, variant) in content.variants.enumerated() {
                varied(variant.id).checkTexts("\(path).variants[\(place)]", issues, &names)
            }
        } else if isPrivate {
            issues.warning("\(path).private", "has no effect without 'piping', as no text has values")
        }
        if names.count > Survey.mostValues {
            issues.error(
                path,
                "asks for \(names.count) values of event, session, counters and flags; at most \(Survey.mostValues) are kept"
            )
        }
        return names
    }

    private func checkTexts(_ path: String, _ issues: IssueCollector, _ names: inout [ValueName]) {
        /// The same text may be that of several languages.
        var known: Set<ExactName> = []
        func check(_ text: String, at path: String, _ scope: ValueScope) {
            guard known.insert(ExactName("\(scope.questions.count) \(text)")).inserted else { return }
            do throws(ValueFault) {
                for name in try PipedText(text).places.map(\.name) {
                    if let doubt = scope.doubt(of: name) { issues.error(path, doubt) }
                    if name.isGiven, !names.contains(name) { names.append(name) }
                }
            } catch {
                issues.error(path, error.message)
            }
        }
        func check(_ content: SurveyContent, at path: String) {
            let ids = content.questionnaire.questions.filter { $0.kind != .note }.map(\.id)
            let questions = content.questionnaire.questions
            _ = content.changingTexts { text, place in
                guard PipedText.isPiped(text) else { return text }
                let before = questions.prefix(place.questionsBefore).map(\.id)
                let scope = ValueScope(trigger: trigger, questions: ids.filter(before.contains))
                check(text, at: path + place.member, scope)
                return text
            }
        }
        check(content, at: path)
        let languages = content.translations.map(\.locale)
        for locale in languages { check(content.localized(locale), at: "\(path).translations.\(locale)") }
        for locale in [nil] + languages.map(Optional.some) {
            guard let notification = notification(in: locale) else { continue }
            let path = path + (locale.map { ".translations.\($0)" } ?? "") + ".notification"
            check(notification.title, at: path + ".title", ValueScope(trigger: trigger))
            check(notification.body, at: path + ".body", ValueScope(trigger: trigger))
        }
    }
}
