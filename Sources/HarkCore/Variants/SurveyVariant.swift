internal import HarkWire

/// A wording of a survey that is shown to a share of its users.
package struct SurveyVariant: Sendable, Equatable {
    package let id: String
    /// Its share, compared with the weights of the others.
    let weight: Double
    /// The different texts; their locale is empty.
    let texts: SurveyTranslation
    let translations: [SurveyTranslation]
}

extension SurveyContent {
    /// The content in the wording of a variant; unchanged for none, and for one that is gone.
    func varied(_ id: String?) -> SurveyContent {
        guard let id, let variant = variants.first(where: { $0.id.hasSameBytes(as: id) }) else { return self }
        var content = applying(variant.texts)
        content.translations = translations.map { usual in
            variant.translations.first { $0.locale == usual.locale }.map(usual.replaced) ?? usual
        }
        content.translations += variant.translations.filter { own in !translations.contains { $0.locale == own.locale }
        }
        return content
    }
}

extension Survey {
    /// The survey in the wording of a variant.
    func varied(_ id: String?) -> Survey {
        guard let id, let variant = content.variants.first(where: { $0.id.hasSameBytes(as: id) }) else { return self }
        var survey = self
        survey.content = content.varied(id)
        survey.notification?.title = variant.texts.notificationTitle ?? notification?.title ?? ""
        survey.notification?.body = variant.texts.notificationBody ?? notification?.body ?? ""
        return survey
    }

    /// The content to keep with a showing, as a JSON object.
    func shown(for presentation: Presentation) -> [UInt8] {
        varied(presentation.times.variant).shown(in: presentation.locale)
    }
}

extension SurveyTranslation {
    /// These texts, replaced by those of another as far as it has some.
    fileprivate func replaced(by other: SurveyTranslation) -> SurveyTranslation {
        var texts = self
        texts.title = other.title ?? title
        texts.message = other.message ?? message
        texts.submitLabel = other.submitLabel ?? submitLabel
        texts.thanks = other.thanks ?? thanks
        texts.notificationTitle = other.notificationTitle ?? notificationTitle
        texts.notificationBody = other.notificationBody ?? notificationBody
        texts.questions.merge(other.questions) { $0.replaced(by: $1) }
        return texts
    }
}

extension QuestionTranslation {
    fileprivate func replaced(by other: QuestionTranslation) -> QuestionTranslation {
        var texts = self
        texts.prompt = other.prompt ?? prompt
        texts.labels = other.labels ?? labels
        texts.placeholder = other.placeholder ?? placeholder
        texts.patternMessage = other.patternMessage ?? patternMessage
        texts.other = other.other ?? self.other
        texts.matrix = other.matrix ?? matrix
        texts.ends = ends.translated(other.ends)
        texts.points = other.points + points.filter { point in !other.points.contains { $0.number == point.number } }
        texts.unit = other.unit ?? unit
        return texts
    }
}

/// Drawing the wording for a user.
extension Engine {
    /// Draws a variant, and keeps it for the user: changed weights do not change a user's wording. At a kiosk each visitor is
    /// another person, so it is drawn for each showing.
    mutating func draw(
        _ survey: Survey, for presentation: inout Presentation, now: Timestamp, into changes: inout Changes
    ) {
        let variants = survey.content.variants
        guard !variants.isEmpty else { return }
        var hash = StableHash(0x7661_7269_616e_7473)
        hash.mix(survey.id)
        guard !isVisitor(presentation.user, in: presentation.scope) else {
            for byte in presentation.id.rawBytes { hash.mix(byte) }
            presentation.times.variant = SurveyVariant.choose(among: variants, hash)
            return
        }
        var gating = surveys.state(of: presentation.user)?.gating[ExactName(survey.id)] ?? Gating()
        if !variants.contains(where: { $0.id.hasSameBytes(as: gating.variant ?? "") }) {
            hash.mix(presentation.user)
            gating.variant = SurveyVariant.choose(among: variants, hash)
            put(gating, of: survey.id, presentation.user, into: &changes)
        }
        presentation.times.variant = gating.variant
    }
}

extension SurveyVariant {
    fileprivate static func choose(among variants: [SurveyVariant], _ hash: StableHash) -> String? {
        var place = Double(hash.value >> 11) / Double(1 << 53) * variants.reduce(0) { $0 + $1.weight }
        for variant in variants {
            place -= variant.weight
            if place < 0 { return variant.id }
        }
        return variants.last?.id
    }
}
