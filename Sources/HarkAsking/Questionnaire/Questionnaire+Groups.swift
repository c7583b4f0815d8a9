/// Questions that share a page: the rows of a matrix, and the text of an option "Other", which stands on the page of its
/// question once it is chosen. In a form each has a page of its own, as each answer of a form is kept by itself.
extension Questionnaire {
    /// The indices of the fields that are on the page of one; a text of "Other" is among them before it is asked for.
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

    /// What is asked of all rows on this page; nil if it is no matrix.
    package var matrixPrompt: String? { current.matrix?.prompt }

    /// How many questions come before this page on the route.
    package var questionsBefore: Int { countOfQuestions(in: route.prefix(pageNumber)) }

    /// How many questions there are on the route, as far as known.
    package var questionCount: Int { countOfQuestions(in: route[...]) }

    /// How many questions there are, on every route.
    package var countOfAll: Int { countOfQuestions(in: fields.map(\.id)[...]) }

    /// Counts pages that ask something: neither notes nor what stands on the page of another question.
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

    /// The fields on the route and on this page: a text may be there which the daemon does not know of yet.
    var named: [FormField] {
        guard hasPages else { return fields }
        return fields.indices.filter { route.contains(fields[$0].id) || page.contains($0) }.map { fields[$0] }
    }

    /// Puts the text on the page of its question, or takes it away, by what is chosen, and all rows of a matrix on theirs.
    mutating func settlePage() {
        guard hasPages, let place = page.first else { return }
        let other = otherPlace(of: place)
        let wanted = places(with: place).filter { $0 != other || fields[place].takesOther }
        guard page != wanted else { return }
        page = wanted
        if case .field(let shown) = focus, !page.indices.contains(shown) { focus = .field(0) }
    }
}
