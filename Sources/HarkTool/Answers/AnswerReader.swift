import HarkClient

/// Reads the showings in replies of `survey.history`, in one pass over each page.
struct AnswerReader {
    private var own = MemberNames(AnswerRow.Member.own.map { "\($0)" })
    private var times = MemberNames(AnswerRow.Member.ofTimes.map { "\($0)" })
    private var parts = MemberNames(AnswerRow.Part.allCases.map { "\($0)" })
    /// The ids of the questions. Answers and the outcomes of questions may come in different orders.
    private var (answers, items, orders): (MemberNames, MemberNames, MemberNames)
    private let questionCount: Int

    init(_ survey: SurveyVersions) {
        answers = MemberNames(survey.questions.map(\.id))
        (items, orders) = (answers, answers)
        questionCount = survey.questions.count
    }

    /// Calls `body` with each showing of a page and its JSON.
    mutating func forEach(in page: JSONText, _ body: (AnswerRow, JSONText) throws -> Void) rethrows {
        var row = AnswerRow(questions: questionCount)
        try page.forEachElement(of: "presentations") { scanner in
            let start = scanner.position
            read(&scanner, into: &row)
            try body(row, JSONText(value: start..<scanner.position, of: page.bytes))
        }
    }

    private mutating func read(_ scanner: inout JSONScanner, into row: inout AnswerRow) {
        row.begin(in: scanner.bytes)
        scanner.members { scanner, key in
            let place = own.place(of: scanner.bytes[key])
            switch place {
            case AnswerRow.Member.answers.rawValue: readAnswers(&scanner, into: &row)
            case AnswerRow.Member.times.rawValue: readTimes(&scanner, into: &row)
            case AnswerRow.Member.order.rawValue: readOrders(&scanner, into: &row)
            default: row.take(scanner.value(), at: place)
            }
        }
    }

    private mutating func readAnswers(_ scanner: inout JSONScanner, into row: inout AnswerRow) {
        scanner.members { scanner, key in
            let question = answers.place(of: scanner.bytes[key])
            if question == nil { row.hasUnknown = true }
            row.take(scanner.value(), at: question.map { AnswerRow.place($0, .answer) })
        }
    }

    private mutating func readOrders(_ scanner: inout JSONScanner, into row: inout AnswerRow) {
        scanner.members { scanner, key in
            let question = orders.place(of: scanner.bytes[key])
            row.take(scanner.value(), at: question.map { AnswerRow.place($0, .order) })
        }
    }

    private mutating func readTimes(_ scanner: inout JSONScanner, into row: inout AnswerRow) {
        scanner.members { scanner, key in
            let place = times.place(of: scanner.bytes[key]).map { $0 + AnswerRow.Member.own.count }
            if place == AnswerRow.Member.items.rawValue {
                readItems(&scanner, into: &row)
            } else {
                row.take(scanner.value(), at: place)
            }
        }
    }

    private mutating func readItems(_ scanner: inout JSONScanner, into row: inout AnswerRow) {
        scanner.members { scanner, key in
            guard let question = items.place(of: scanner.bytes[key]) else {
                scanner.value()
                return
            }
            scanner.members { scanner, key in
                let part = parts.place(of: scanner.bytes[key]).flatMap(AnswerRow.Part.init)
                row.take(scanner.value(), at: part.map { AnswerRow.place(question, $0) })
            }
        }
    }
}
