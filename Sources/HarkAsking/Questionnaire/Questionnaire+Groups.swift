/// Questions that share a page: the rows of a matrix, and the text of an option "Other", which is on the page of its question
/// once that option is chosen. In a form each has a page of its own, because a form keeps each answer by itself.
extension Questionnaire {
    /// The indices of the fields on the page of a field, including the text of "Other" before it is needed.
    package func places(with place: Int) -> ClosedRange<Int> {
        guard paging == .grouped, fields.indices.contains(place) else { return place...place }
        if let matrix = fields[place].matrix {
            let first = fields[..<place].lastIndex { $0.matrix?.id != matrix.id }.map { $0 + 1 } ?? 0
            let end = fields[place...].firstIndex { $0.matrix?.id != matrix.id } ?? fields.endIndex
            return first...(end - 1)
        }
        if place > 0, otherPlace(of: place - 1) == place { return place - 1...place }
        return place...(otherPlace(of: place) ?? place)
    }

    /// The prompt for all rows on this page; nil if it is no matrix.
    package var matrixPrompt: String? { current.matrix?.prompt }

    /// The number of questions before this page on the route.
    package var questionsBefore: Int { countOfQuestions(in: route.prefix(pageNumber)) }

    /// The number of questions on the route, as far as known.
    package var questionCount: Int { countOfQuestions(in: route[...]) }

    /// The number of questions on all routes.
    package var countOfAll: Int { countOfQuestions(in: fields.map(\.id)[...]) }

    /// Counts questions with pages of their own: neither notes nor fields on the page of another question.
    private func countOfQuestions(in route: ArraySlice<String>) -> Int {
        let others = fields.indices.filter { fields[$0].isNote || places(with: $0).lowerBound < $0 }
        let ids = Set(others.map { fields[$0].id })
        return ids.isEmpty ? route.count : route.count { !ids.contains($0) }
    }

    /// The index of the field for the text of a question's "Other"; nil if there is none on its page.
    private func otherPlace(of place: Int) -> Int? {
        let next = place + 1
        let isOther = paging == .grouped && fields.indices.contains(next) && fields[next].of == fields[place].id
        return isOther ? next : nil
    }

    /// The fields on the route and on this page: the page may have a text of "Other" that the daemon does not know yet.
    var named: [FormField] {
        guard hasPages else { return fields }
        return fields.indices.filter { route.contains(fields[$0].id) || page.contains($0) }.map { fields[$0] }
    }

    /// Updates the page: adds the text of "Other" while that is chosen, and all rows of a matrix.
    mutating func settlePage() {
        guard hasPages, let place = page.first else { return }
        let other = otherPlace(of: place)
        let wanted = places(with: place).filter { $0 != other || fields[place].takesOther }
        guard page != wanted else { return }
        page = wanted
        if case .field(let shown) = focus, !page.indices.contains(shown) { focus = .field(0) }
    }
}
