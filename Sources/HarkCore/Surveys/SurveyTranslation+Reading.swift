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
        for question in questionnaire.written {
            guard var reader = texts.object(question.matrix?.id ?? question.id) else { continue }
            defer { reader.finish() }
            if let matrix = question.matrix {
                readMatrix(&reader, questionnaire.rows(of: matrix))
                continue
            }
            var texts = QuestionTranslation(
                prompt: reader.name("question"), placeholder: reader.text("placeholder"))
            texts.readPatternMessage(&reader, of: question)
            texts.readLabels(&reader, of: question)
            if question.kind.isScale { texts.ends = ScaleEnds.read(&reader) }
            if case .scale(let scale) = question.kind { texts.points = Scale.readLabels(&reader, scale.rule) }
            if question.kind.numbers?.unit != nil { texts.unit = reader.name("unit") }
            readOther(&reader, of: question, &texts)
            questions[question.id] = texts
        }
        texts.finish()
    }

    /// Reads the label of an option "Other", which is also the prompt for its text.
    private mutating func readOther(
        _ reader: inout ObjectReader, of question: Question, _ texts: inout QuestionTranslation
    ) {
        guard question.otherText != nil, let label = reader.name("other") else { return }
        texts.other = label
        questions[Question.otherId(of: question.id)] = QuestionTranslation(prompt: label)
    }

    /// Reads the prompt, and a label for each row and each column, in their order.
    private mutating func readMatrix(_ reader: inout ObjectReader, _ rows: [Question]) {
        let prompt = reader.name("question")
        func labels(_ key: String, _ count: Int) -> [String]? {
            guard let labels = reader.choices(key) else { return nil }
            guard labels.count == count else {
                reader.issues.error(
                    reader.path(key), "must hold as many texts as there are to translate: \(count)")
                return nil
            }
            return labels
        }
        let (rowLabels, columnLabels) = (
            labels("rows", rows.count), labels("columns", rows.first?.kind.choices?.count ?? 0)
        )
        for (place, row) in rows.enumerated() {
            var texts = QuestionTranslation(prompt: rowLabels?[place])
            texts.matrix = prompt
            texts.labels = columnLabels
            questions[row.id] = texts
        }
    }

    /// The texts of the response types with one or two questions.
    private mutating func readResponse(_ reader: inout ObjectReader, of questionnaire: Questionnaire) {
        for question in questionnaire.written {
            var texts = QuestionTranslation()
            if question.id == SurveyContent.optionId {
                texts.prompt = reader.text("optionsLabel")
                texts.readLabels(&reader, of: question)
                readOther(&reader, of: question, &texts)
            } else if var field = reader.object("textField") {
                texts.prompt = field.text("label")
                texts.placeholder = field.text("placeholder")
                texts.readPatternMessage(&field, of: question)
                field.finish()
            } else {
                texts.placeholder = reader.text("placeholder")
                texts.readPatternMessage(&reader, of: question)
                texts.readLabels(&reader, of: question)
            }
            questions[question.id] = texts
        }
    }
}

extension QuestionTranslation {
    fileprivate mutating func readPatternMessage(_ reader: inout ObjectReader, of question: Question) {
        guard case .text(let field) = question.kind, field.pattern != nil else { return }
        patternMessage = reader.name("patternMessage")
    }

    /// Reads the text for the question's image, and a label for each of its choices or ratings.
    fileprivate mutating func readLabels(_ reader: inout ObjectReader, of question: Question) {
        if question.image != nil { alternative = reader.name("alt") }
        guard let count = question.labelCount else { return }
        let key: String
        switch question.kind {
        case .rating, .yesNo, .consent:
            key = "labels"
            labels = reader.choices(key)
        default:
            key = "options"
            readOptions(&reader, of: question)
        }
        guard let labels, labels.count != count else { return }
        reader.issues.error(reader.path(key), "must hold as many texts as there are to translate: \(count)")
    }

    /// Reads texts, or objects with `label`, and `alt` if an option has an image.
    private mutating func readOptions(_ reader: inout ObjectReader, of question: Question) {
        guard let elements = reader.elements("options") else { return }
        let issues = reader.issues
        var texts: [String] = []
        var known: Set<ExactName> = []
        for (place, (element, path)) in elements.enumerated() {
            var text = element.stringValue
            var alternative: String?
            if case .object = element, var option = ObjectReader(element, path: path, issues: issues) {
                text = option.name("label", isRequired: true)
                let choices = question.kind.choices ?? []
                let hasImage = choices.indices.contains(place) && choices[place].image != nil
                if hasImage { alternative = option.name("alt") }
                option.finish()
                if text == nil { continue }
            }
            guard let text, !text.trimmed.isEmpty else {
                issues.error(path, "must be a string that is not empty, or an object with 'label'")
                continue
            }
            if !known.insert(ExactName(text)).inserted { issues.error(path, "'\(text)' is there twice") }
            texts.append(text)
            alternatives.append(alternative)
        }
        labels = texts
    }
}
