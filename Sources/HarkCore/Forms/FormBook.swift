/// The forms in force, and what the users heard of lately have answered.
package struct FormBook: Sendable {
    package internal(set) var configuration = FormConfiguration.none
    private var cache = UserCache<UserForms>()
    /// What is on its way to a server just now; no other answer can be `sending`.
    private(set) var underWay: Set<SubmissionPlace> = []

    package init() {}

    package func isLoaded(_ user: SurveyUser) -> Bool { cache[user] != nil }

    package func state(of user: SurveyUser, _ form: String) -> FormState? { cache[user]?[form] }

    package func submission(_ place: SubmissionPlace) -> Submission? {
        state(of: place.user, place.form)?.answers[place.question]?.submission
    }

    /// A book with the same settings that has forgotten what the store can tell it again.
    var restarted: FormBook {
        var book = FormBook()
        book.configuration = configuration
        book.underWay = underWay
        return book
    }

    /// Brings in what the store knows of a user.
    mutating func admit(_ user: SurveyUser, _ forms: UserForms) {
        var forms = forms
        for (form, var state) in forms {
            for (question, var answer) in state.answers where answer.submission?.state == .sending {
                guard !underWay.contains(SubmissionPlace(user: user, form: form, question: question)) else { continue }
                answer.submission?.interrupt()
                state.answers[question] = answer
            }
            forms[form] = state
        }
        cache.admit(user, forms)
    }

    mutating func put(_ state: FormState?, of user: SurveyUser, _ form: String) {
        cache.change(user) { $0[form] = state }
    }

    /// Changes the submissions of all users that are loaded; what the store holds is changed by a row.
    mutating func changeLoaded(_ body: (inout Submission) -> Void) {
        for user in cache.users {
            cache.change(user) { forms in
                for form in forms.keys {
                    for question in forms[form]?.answers.keys.sorted() ?? [] {
                        guard var submission = forms[form]?.answers[question]?.submission else { continue }
                        body(&submission)
                        forms[form]?.answers[question]?.submission = submission
                    }
                }
            }
        }
    }

    mutating func begin(_ place: SubmissionPlace) { underWay.insert(place) }

    mutating func end(_ place: SubmissionPlace) { underWay.remove(place) }

    /// Drops what a removal means.
    mutating func remove(_ removal: Selection) {
        for user in cache.users where removal.containsEverything(of: user) { cache.change(user) { $0 = [:] } }
    }

    mutating func takeTouched() -> [SurveyUser] { cache.takeTouched() }

    mutating func settle(_ users: [SurveyUser]) { cache.settle(users) }
}
