/// The texts of a survey in another language; nil keeps the original.
package struct SurveyTranslation: Sendable, Equatable {
    /// A language tag in the form of `SurveyTranslation.tag`.
    package let locale: String
    package var title: String?
    package var message: String?
    package var submitLabel: String?
    package var thanks: SurveyThanks?
    package var notificationTitle: String?
    package var notificationBody: String?
    package var questions: [ExactName: QuestionTranslation] = [:]

    package init(locale: String) {
        self.locale = locale
    }

    /// A normalised language tag: from `de-AT`, `de_AT` or `de_AT.UTF-8@euro`.
    package static func tag(_ locale: String) -> String {
        let bare = locale.prefix { $0 != "." && $0 != "@" }
        return String(bare.map { $0 == "_" ? "-" : $0 }).lowercased()
    }
}

extension SurveyContent {
    /// The translation for a locale, or for the next wider one (`de` for `de-AT`).
    package func translation(for locale: String?) -> SurveyTranslation? {
        guard let locale else { return nil }
        var tag = SurveyTranslation.tag(locale)[...]
        while !tag.isEmpty {
            if let translation = translations.first(where: { $0.locale == tag }) { return translation }
            tag = tag[..<(tag.lastIndex(of: "-") ?? tag.startIndex)]
        }
        return nil
    }

    /// The content in a locale; unchanged when there is no translation.
    package func localized(_ locale: String?) -> SurveyContent {
        translation(for: locale).map(applying) ?? self
    }

    /// The content with other texts, as far as there are some.
    func applying(_ translation: SurveyTranslation) -> SurveyContent {
        var content = self
        content.title = translation.title ?? title
        content.message = translation.message ?? message
        content.submitLabel = translation.submitLabel ?? submitLabel
        content.thanks = translation.thanks ?? thanks
        content.questionnaire.questions = questionnaire.questions.map { question in
            translation.questions[question.id].map(question.translated) ?? question
        }
        return content
    }
}

extension Survey {
    /// The notification in a locale.
    package func notification(in locale: String?) -> SurveyNotification? {
        guard var notification else { return nil }
        if let translation = content.translation(for: locale) {
            notification.title = translation.notificationTitle ?? notification.title
            notification.body = translation.notificationBody ?? notification.body
        }
        return notification
    }
}
