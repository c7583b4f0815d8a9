import HarkCore
import HarkFleet
import HarkServer
import HarkSettings
import HarkSystem
import HarkWire

/// The quotas of the surveys that this hub has pushed.
@DaemonActor
final class FleetQuotas {
    private let documents: FleetPushes
    /// By the group of the document.
    private var known: [String?: (version: String, quotas: [ExactName: SurveyQuota])] = [:]

    init(_ documents: FleetPushes) { self.documents = documents }

    /// The quotas of the surveys that machines of a group are to have.
    func quotas(for group: String?) async -> [ExactName: SurveyQuota] {
        let own = group.flatMap { documents.document(.surveys, group: $0) }.flatMap { $0.text == nil ? nil : $0 }
        let place = own == nil ? nil : group
        guard let document = own ?? documents.document(.surveys, group: nil), let text = document.text else {
            return [:]
        }
        if let known = known[place], known.version == document.version { return known.quotas }
        let read = await DocumentThread.run { () -> [ExactName: SurveyQuota] in
            let surveys = DocumentKind.surveys.read(Array(text.utf8)).0?.surveys ?? []
            let pairs = surveys.compactMap { survey in survey.quota.map { (ExactName(survey.id), $0) } }
            return Dictionary(pairs) { first, _ in first }
        }
        known[place] = (document.version, read)
        return read
    }
}
