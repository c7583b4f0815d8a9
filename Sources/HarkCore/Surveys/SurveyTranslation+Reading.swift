import HarkWire

extension SurveyTranslation {
    /// Reads `translations`: for each locale, the texts under the names they have in the survey itself.
    static func read(
        _ survey: inout ObjectReader, of questionnaire: Questionnaire, type: SurveyContent.ResponseType
    ) -> [SurveyTranslation] {
        guard var locales = survey.object("translations") else { return [] }
        let issues = survey.issues
        return locales.members().compactMap { locale, value, path in
            guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
            defer { reader.finish() }
            return read(texts: &reader, locale: tag(locale), of: questionnaire, type: type)
        }
    }

    /// Reads texts from the object that has them.
    static func read(
        texts reader: inout ObjectReader, locale: String, of questionnaire: Questionnaire,
        type: SurveyContent.ResponseType
    ) -> SurveyTranslation {
        var translation = SurveyTranslation(locale: locale)
        translation.title = reader.name("title")
        translation.message = reader.name("message")
        translation.submitLabel = reader.name("submitLabel")
        translation.thanks = SurveyThanks.read(&reader)
        if var notification = reader.object("notification") {
            translation.notificationTitle = notification.name("title")
            translation.notificationBody = notification.name("body")
            notification.finish()
        }
        if type == .questions {
            translation.readQuestions(&reader, of: questionnaire)
        } else {
            translation.readResponse(&reader, of: questionnaire)
        }
        return translation
    }

    private mutating func readQuestions(_ reader: inout ObjectReader, of questionnaire: Questionnaire) {
        guard var texts = reader.object("questions") else { return }
        for question in questionnaire.questions {
            guard var reader = texts.object(question.id) else { continue }
            var texts = QuestionTranslation(
                prompt: reader.name("question"), labels: reader.labels(of: question),
                placeholder: reader.text("placeholder"))
            if question.kind.isScale { texts.ends = ScaleEnds.read(&reader) }
            if case .scale(let scale) = question.kind { texts.points = Scale.readLabels(&reader, scale.rule) }
            if question.kind.numbers?.unit != nil { texts.unit = reader.name("unit") }
            questions[question.id] = texts
            reader.finish()
        }
        texts.finish()
    }

    /// The texts of the response types with one or two questions.
    private mutating func readResponse(_ reader: inout ObjectReader, of questionnaire: Questionnaire) {
        for question in questionnaire.questions {
            var texts = QuestionTranslation()
            if question.id == SurveyContent.optionId {
                texts.prompt = reader.text("optionsLabel")
                texts.labels = reader.labels(of: question)
            } else if var field = reader.object("textField") {
                texts.prompt = field.text("label")
                texts.placeholder = field.text("placeholder")
                field.finish()
            } else {
                texts.placeholder = reader.text("placeholder")
            }
            questions[question.id] = texts
        }
    }
}

extension ObjectReader {
    /// Reads a label for each of a question's choices or ratings.
    fileprivate mutating func labels(of question: Question) -> [String]? {
        guard let count = question.labelCount else { return nil }
        let key =
            switch question.kind {
            case .rating, .yesNo, .consent: "labels"
            default: "options"
            }
        guard let labels = choices(key) else { return nil }
        if labels.count != count {
            issues.error(path(key), "must hold as many texts as there are to translate: \(count)")
        }
        return labels
    }
}
