internal import HarkWire

/// The forms in force, and what the users heard of lately have answered.
package struct FormBook: Sendable {
    package internal(set) var configuration = FormConfiguration.none
    private var cache = Cache<UserKey, UserForms>(capacity: 4096)
    /// What is on its way to a server just now; no other answer can be `sending`.
    private(set) var underWay: Set<SubmissionPlace> = []
    /// When what waits for the network was made due, as far as the store does not know of it yet.
    private var unsettledHurries: [Timestamp] = []
    /// How many of them were handed to the store.
    private var hurriesHandedOver = 0

    package init() {}

    /// Whether a user is loaded; if so, what follows finds it.
    mutating func use(_ user: UserKey) -> Bool { cache.use(user) }

    package func state(of user: UserKey, _ form: String) -> FormState? { cache[user]?[form] }

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

    /// Makes due what waits for the network. For users that are not loaded the store is told by a row, and until it has
    /// taken that, what it tells of them is older.
    mutating func hurry(now: Timestamp) {
        for user in cache.keys { cache.change(user) { $0.changeSubmissions { $0.hurry(now: now) } } }
        unsettledHurries.append(now)
    }

    mutating func begin(_ place: SubmissionPlace) { underWay.insert(place) }

    mutating func end(_ place: SubmissionPlace) { underWay.remove(place) }

    /// Drops what a removal means.
    mutating func remove(_ removal: Selection) {
        for user in cache.keys where removal.containsEverything(of: user) { cache.change(user) { $0 = [:] } }
    }

    /// The forms of which a server may have answers that a removal means, as far as their users are at hand.
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
