internal import HarkWire

/// The place of a text in a survey.
struct ReadPlace {
    /// The member of the document that has the text, such as `.message`.
    let member: String
    /// The number of questions before it.
    var questionsBefore = 0
}

extension SurveyContent {
    /// The content with each text that a person reads changed. Values of options stay as they are.
    func changingTexts(_ change: (String, ReadPlace) -> String) -> SurveyContent {
        var content = self
        // The first question has a prompt, unless it was made of the short form.
        let hasQuestions = responseType == .questions && questionnaire.questions.first?.prompt.isEmpty == false
        content.title = change(title, ReadPlace(member: ".title"))
        content.message = change(message, ReadPlace(member: ".message"))
        content.submitLabel = submitLabel.map {
            change($0, ReadPlace(member: hasQuestions ? ".submitLabel" : ".response.submitLabel"))
        }
        content.thanks = thanks.map { thanks in
            SurveyThanks(
                title: change(thanks.title, ReadPlace(member: ".thanks.title")),
                message: thanks.message.map { change($0, ReadPlace(member: ".thanks.message")) })
        }
        content.questionnaire.questions = questionnaire.questions.enumerated().map { number, question in
            question.changingTexts { text in
                let place = questionnaire.writtenPlace(of: number)
                let member = hasQuestions ? ".questions[\(place)]" : ".response"
                return change(text, ReadPlace(member: member, questionsBefore: number))
            }
        }
        return content
    }
}

extension Question {
    fileprivate func changingTexts(_ change: (String) -> String) -> Question {
        var question = self
        question.prompt = change(prompt)
        question.matrix?.prompt = matrix.map { change($0.prompt) } ?? ""
        question.ends = ScaleEnds(low: ends.low.map(change), high: ends.high.map(change))
        question.kind = kind.changingChoices { choices in
            var choices = choices
            for place in choices.indices { choices[place].label = change(choices[place].label) }
            return choices
        }
        switch kind {
        case .text(var field):
            field.placeholder = field.placeholder.map(change)
            field.patternMessage = field.patternMessage.map(change)
            question.kind = .text(field)
        case .rating(var rating):
            rating.labels = rating.labels.map(change)
            question.kind = .rating(rating)
        case .scale(var scale):
            for place in scale.labels.indices { scale.labels[place].text = change(scale.labels[place].text) }
            question.kind = .scale(scale)
        default: break
        }
        return question
    }
}

extension SurveyContent {
    /// The content with the values of a showing in its texts.
    func filled(with values: TextValues) -> SurveyContent {
        guard isPiped else { return self }
        var content = changingTexts { text, _ in values.fill(text) }
        content.isPiped = false
        return content
    }
}

extension Presentation {
    /// The values for the texts of some content, as this showing has them.
    func values(for content: SurveyContent) -> TextValues {
        var values = TextValues()
        values.given = given
        values.answers = content.questionnaire.answersOnWay(answers)
        values.questionnaire = content.questionnaire
        values.user = user.userId
        values.form = LocaleForm(locale)
        values.offsetMinutes = times.offsetMinutes ?? 0
        return values
    }

    /// The presentation as a notification shows it.
    package var notified: Presentation {
        var notified = self
        notified.times.surface = .notification
        return notified
    }
}

extension Survey {
    /// The content of a showing, in its language and with its values: in texts, and for the conditions of questions.
    ///
    /// - Parameter isolates: whether values of another direction are separated from the text around them, for screens that
    ///   lay out text in both.
    package func content(for presentation: Presentation, isolates: Bool = false) -> SurveyContent {
        var content = content.varied(presentation.times.variant).localized(presentation.locale)
        if content.questionnaire.hasConditions {
            content.questionnaire.given = presentation.given
            if let user = presentation.user.userId { content.questionnaire.given.append("user", .string(user)) }
        }
        guard content.isPiped else { return content }
        var values = presentation.values(for: content)
        values.isolates = isolates
        values.isHidden = isPrivate && presentation.times.surface == .notification
        return content.filled(with: values)
    }

    /// The notification of a showing, in its language and with its values.
    package func notification(for presentation: Presentation, isolates: Bool = false) -> SurveyNotification? {
        let survey = varied(presentation.times.variant)
        guard var notification = survey.notification(in: presentation.locale) else { return nil }
        guard content.isPiped else { return notification }
        var values = presentation.values(for: survey.content.localized(presentation.locale))
        values.isolates = isolates
        values.isHidden = isPrivate
        notification.title = values.fill(notification.title)
        notification.body = values.fill(notification.body)
        return notification
    }
}
