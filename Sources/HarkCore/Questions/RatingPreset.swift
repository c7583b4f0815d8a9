package import HarkWire

/// A rating that is asked the same way everywhere, so that its results compare.
package enum RatingPreset: Sendable, Equatable, CaseIterable {
    /// Customer satisfaction, 1 to 5.
    case satisfaction
    /// Customer effort: how much the person agrees that something was easy, 1 to 7.
    case effort

    package var type: QuestionType {
        switch self {
        case .satisfaction: .csat
        case .effort: .ces
        }
    }

    package var shape: ScaleShape {
        switch self {
        case .satisfaction: .faces
        case .effort: .numbers
        }
    }

    /// The usual words, the worst first. Hark's own presenters translate them into the person's language.
    package var labels: [String] {
        switch self {
        case .satisfaction: UsualLabels.satisfaction
        case .effort: UsualLabels.agreement
        }
    }

    init?(_ type: QuestionType) {
        guard let preset = Self.allCases.first(where: { $0.type == type }) else { return nil }
        self = preset
    }
}
