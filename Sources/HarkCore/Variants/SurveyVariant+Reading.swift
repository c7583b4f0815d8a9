internal import HarkWire

extension SurveyVariant {
    private static let most = 20
    private static let mostIdBytes = 64

    /// Reads `variants`: wordings of the survey, each with the texts that differ.
    static func read(
        _ survey: inout ObjectReader, of questionnaire: Questionnaire, type: SurveyContent.ResponseType,
        translated languages: [String]
    ) -> [SurveyVariant] {
        guard let elements = survey.elements("variants") else { return [] }
        let issues = survey.issues
        guard (2...most).contains(elements.count) else {
            issues.error(survey.path("variants"), "must hold from 2 to \(most) variants")
            return []
        }
        var ids: Set<ExactName> = []
        return elements.compactMap { value, path in
            guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
            defer { reader.finish() }
            let id = reader.name("id", isRequired: true)
            let weight = reader.number("weight", in: 0.001...1_000) ?? 1
            let texts = SurveyTranslation.read(texts: &reader, locale: "", of: questionnaire, type: type)
            let translations = SurveyTranslation.read(&reader, of: questionnaire, type: type)
            guard let id else { return nil }
            guard id.utf8.count <= mostIdBytes else {
                issues.error("\(path).id", "must be at most \(mostIdBytes) bytes")
                return nil
            }
            guard ids.insert(ExactName(id)).inserted else {
                issues.error("\(path).id", "there is another variant '\(id)'")
                return nil
            }
            if !texts.isEmpty {
                for language in languages where !translations.contains(where: { $0.locale == language }) {
                    issues.warning(
                        path, "has no translation '\(language)', so people who read that language see the usual words")
                }
            }
            return SurveyVariant(id: id, weight: weight, texts: texts, translations: translations)
        }
    }
}

extension SurveyTranslation {
    fileprivate var isEmpty: Bool {
        title == nil && message == nil && submitLabel == nil && thanks == nil && notificationTitle == nil
            && notificationBody == nil && questions.values.allSatisfy { $0 == QuestionTranslation() }
    }
}
