import HarkClient
import HarkWire
import Testing

@testable import HarkAsking

/// What is asked, without anything that shows it.
@Suite struct QuestionnaireTests {
    private static let questions: [SurveyQuestion] = [
        #"{"id":"came","type":"single","question":"How did you come?","required":true,"options":["#
            + #"{"value":"bus","label":"By bus"},{"value":"other","label":"Other","other":true}]}"#,
        #"{"id":"came.other","type":"text","question":"Other","of":"came","required":true,"maxLength":9}"#,
        #"{"id":"read","type":"note","question":"Now two of the food.","required":false}"#,
        #"{"id":"food.a","type":"single","question":"Taste","required":true,"matrix":{"id":"food","question":"Food"},"#
            + #""options":[{"value":"1","label":"Bad"},{"value":"2","label":"Good"}]}"#,
        #"{"id":"food.b","type":"single","question":"Price","required":false,"matrix":{"id":"food","question":"Food"},"#
            + #""options":[{"value":"1","label":"Bad"},{"value":"2","label":"Good"}]}"#,
    ].compactMap { SurveyQuestion(JSONText($0)) }
    private static let all = questions.map(\.id)

    private func choose(_ place: Int, in index: Int, of pages: inout Questionnaire) {
        guard case .choice(var choices) = pages.fields[index].input else {
            Issue.record("no choices")
            return
        }
        choices.choose(only: [place])
        pages.fields[index].input = .choice(choices)
    }

    @Test("what belongs together shares a page, and only where pages are grouped")
    func pages() {
        var grouped = Questionnaire(Self.questions, .grouped)
        grouped.show(page: 0)
        #expect(grouped.page == [0] && !grouped.hasBack && grouped.questionNumber == 1 && grouped.countOfAll == 2)
        // The text of "Other" comes with the option, and goes with it.
        choose(1, in: 0, of: &grouped)
        #expect(grouped.page == [0, 1])
        grouped.focus = .field(1)
        choose(0, in: 0, of: &grouped)
        #expect(grouped.page == [0] && grouped.focus == .field(0))
        grouped.show("food.b")
        #expect(grouped.page == [3, 4] && grouped.matrixPrompt == "Food" && grouped.isLastPage)
        var each = Questionnaire(Self.questions, .each)
        each.show("food.b")
        #expect(each.page == [4] && each.pageNumber == 4)
        #expect(Questionnaire(Self.questions, .one).page == [0, 1, 2, 3, 4])
    }

    @Test("the page that follows is the one on the route, and a note takes no focus and no number")
    func route() {
        var pages = Questionnaire(Self.questions, .grouped)
        pages.show(page: 0)
        choose(1, in: 0, of: &pages)
        let moved = pages.advance(along: ["came", "came.other", "read", "food.a", "food.b"])
        #expect(moved && pages.page == [2] && pages.focus == .forward && pages.questionNumber == nil)
        // A route without the note passes it over.
        pages.show(page: 0)
        choose(0, in: 0, of: &pages)
        let passed = pages.advance(along: ["came", "food.a", "food.b"])
        #expect(passed && pages.page == [3, 4] && pages.questionNumber == 2 && pages.questionCount == 2)
        pages.goBack()
        #expect(pages.page == [0])
        // A route that ends here has no page more, and the page stays.
        let ended = pages.advance(along: ["came"])
        #expect(!ended && pages.page == [0])
    }

    @Test("a page is not left while an answer does not keep its rule, and the first of them has the focus")
    func rules() {
        var pages = Questionnaire(Self.questions, .grouped)
        pages.show("food.a")
        pages.focus = .forward
        let isEmptyLeft = pages.checkPage()
        #expect(!isEmptyLeft && pages.problem == "Choose an answer first." && pages.focus == .field(0))
        choose(1, in: 3, of: &pages)
        pages.problem = nil
        let isLeft = pages.checkPage()
        #expect(isLeft && pages.problem == nil)
        pages.show(page: 0)
        choose(1, in: 0, of: &pages)
        pages.fields[1].restore(.string("ten letters"))
        let isLongLeft = pages.checkPage()
        #expect(!isLongLeft && pages.problem == "Write at most 9 characters, 2 fewer." && pages.focus == .field(1))
    }

    @Test("the way back, once the answer is kept, is given up where it is refused")
    func back() {
        var pages = Questionnaire(Self.questions, .each)
        pages.show("food.a")
        pages.isGoingBack = true
        let returned = pages.advance(along: nil)
        #expect(returned && pages.page == [2])
        pages.isGoingBack = true
        pages.problem = "The daemon does not take it."
        let moved = pages.advance(along: nil)
        #expect(moved && pages.page == [3])
    }

    @Test("the first page without an answer is opened, and what was answered is on the route")
    func opened() {
        let answers = JSONText(#"{"came":"other","came.other":"Boat","food.b":"1"}"#).membersByName
        var pages = Questionnaire(Self.questions, .grouped, answers: answers)
        pages.showOpen { ["came", "came.other"].contains($0) }
        #expect(pages.page == [2] && pages.fields[1].value == "Boat")
        // A note before an answer was read.
        pages.showOpen { ["came", "came.other", "food.a"].contains($0) }
        #expect(pages.page == [3, 4] && pages.fields[4].value == "1")
        pages.showOpen { _ in true }
        #expect(pages.page == [3, 4])
        #expect(pages.named.map(\.id) == Self.all)
    }
}
