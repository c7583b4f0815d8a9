/// The text of an option "Other", which stands on the page of its question once it is chosen. In a form it has a page of its
/// own, as each answer of a form is kept by itself.
extension SurveyForm {
    /// The index of the field for the text of a question's "Other"; nil if there is none on its page.
    package func otherPlace(of place: Int) -> Int? {
        let next = place + 1
        guard filling == nil, hasPages, fields.indices.contains(next), fields[next].of == fields[place].id else {
            return nil
        }
        return next
    }

    /// The index of the field whose page a field is on.
    func ownPlace(_ place: Int) -> Int { place > 0 && otherPlace(of: place - 1) == place ? place - 1 : place }

    /// The fields on the route and on this page: a text may be there which the daemon does not know of yet.
    var named: [FormField] {
        guard hasPages else { return fields }
        return fields.indices.filter { route.contains(fields[$0].id) || page.contains($0) }.map { fields[$0] }
    }

    /// Puts the text on the page of its question, or takes it away, by what is chosen.
    mutating func settleOther() {
        guard hasPages, let place = page.first, let other = otherPlace(of: place) else { return }
        let wanted = fields[place].takesOther ? [place, other] : [place]
        guard page != wanted else { return }
        page = wanted
        if case .field(let shown) = focus, !page.indices.contains(shown) { focus = .field(0) }
    }
}
