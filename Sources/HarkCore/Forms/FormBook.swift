internal import HarkWire

/// The forms in force, and a cache of users' answers.
package struct FormBook: Sendable {
    package internal(set) var configuration = FormConfiguration.none
    private var cache = Cache<UserKey, UserForms>(capacity: 4096)
    /// Answers being sent right now; no other answer can be `sending`.
    private(set) var underWay: Set<SubmissionPlace> = []
    /// The times at which submissions that wait for the network were made due, as long as the store does not know.
    private var unsettledHurries: [Timestamp] = []
    /// The number of them handed to the store.
    private var hurriesHandedOver = 0

    package init() {}

    /// Marks a user as used; returns whether the user is loaded.
    mutating func use(_ user: UserKey) -> Bool { cache.use(user) }

    package func state(of user: UserKey, _ form: String) -> FormState? { cache[user]?[form] }

    package func submission(_ place: SubmissionPlace) -> Submission? {
        state(of: place.user, place.form)?.answers[place.question]?.submission
    }

    /// A book with the same settings, but without any state that the store can load again.
    var restarted: FormBook {
        var book = FormBook()
        book.configuration = configuration
        book.underWay = underWay
        return book
    }

    /// Adds a user's answers as the store has them.
    mutating func admit(_ user: UserKey, _ forms: UserForms) {
        var forms = forms
        for (form, var state) in forms {
            for (question, var answer) in state.answers where answer.submission?.state == .sending {
                guard !underWay.contains(SubmissionPlace(user: user, form: form.text, question: question.text)) else {
                    continue
                }
                answer.submission?.interrupt()
                state.answers[question] = answer
            }
            forms[form] = state
        }
        for hurry in unsettledHurries { forms.changeSubmissions { $0.hurry(now: hurry) } }
        cache.admit(user, forms)
    }

    mutating func put(_ state: FormState?, of user: UserKey, _ form: String) {
        cache.change(user) { $0[form] = state }
    }

    /// Makes submissions due that wait for the network. A row does the same in the store for users that are not loaded;
    /// until that is committed, the store returns outdated submissions.
    mutating func hurry(now: Timestamp) {
        for user in cache.keys { cache.change(user) { $0.changeSubmissions { $0.hurry(now: now) } } }
        unsettledHurries.append(now)
    }

    mutating func begin(_ place: SubmissionPlace) { underWay.insert(place) }

    mutating func end(_ place: SubmissionPlace) { underWay.remove(place) }

    /// Drops the answers that a removal covers.
    mutating func remove(_ removal: Selection) {
        for user in cache.keys where removal.containsEverything(of: user) { cache.change(user) { $0 = [:] } }
    }

    /// The forms whose servers may have answers that a removal covers, as far as their users are loaded.
    package func submitted(of removal: Selection) -> Set<String> {
        var found: Set<String> = []
        for user in cache.keys where removal.containsEverything(of: user) {
            for (form, state) in cache[user] ?? [:]
            where state.answers.values.contains(where: { $0.submission?.mayHaveArrived ?? false }) {
                found.insert(form.text)
            }
        }
        return found
    }

    mutating func handOver() {
        cache.handOver()
        hurriesHandedOver = unsettledHurries.count
    }

    mutating func settle() {
        cache.settle()
        unsettledHurries.removeFirst(hurriesHandedOver)
        hurriesHandedOver = 0
    }
}

extension UserForms {
    fileprivate mutating func changeSubmissions(_ body: (inout Submission) -> Void) {
        for form in keys {
            for question in self[form]?.answers.keys.sorted() ?? [] {
                guard var submission = self[form]?.answers[question]?.submission else { continue }
                body(&submission)
                self[form]?.answers[question]?.submission = submission
            }
        }
    }
}
