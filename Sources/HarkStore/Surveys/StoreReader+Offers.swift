package import HarkCore

/// A survey that is open for a user.
package struct OpenSurvey: Sendable, Equatable {
    package let user: UserKey
    package let survey: String
}

extension StoreReader {
    /// A page of the surveys that are open for users, in a fixed order: at most `limit` after the last one of the page
    /// before.
    package func openSurveys(after last: OpenSurvey?, limit: Int) throws(StoreError) -> [OpenSurvey] {
        try surveys.open(after: last, limit: limit)
    }

    /// The scopes with surveys that are ready to be shown.
    package func scopesWithReady() throws(StoreError) -> [Scope] {
        let statement = try database.prepare("SELECT DISTINCT uid, app FROM presentation WHERE state = 1")
        return try statement.all { row throws(StoreError) in Scope(uid: try row.uid(0), app: row.text(1) ?? "") }
    }
}
