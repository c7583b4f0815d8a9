/// A matrix: rows that share the columns, with one choice in each row.
///
/// Each row is a question of its own, called `matrix.row`, with the columns as its options. So its answer is a choice like
/// any other, and only code that shows questions must know the matrix.
extension Question {
    /// The matrix to which a row belongs.
    package struct Matrix: Sendable, Equatable {
        package let id: String
        /// The prompt for all rows.
        package var prompt: String

        package init(id: String, prompt: String) {
            self.id = id
            self.prompt = prompt
        }
    }

    /// The prompt, after the prompt of its matrix if it has one.
    package var wholePrompt: String { matrix.map { "\($0.prompt): \(prompt)" } ?? prompt }
}

extension Questionnaire {
    /// Whether a question is the first, or the only one, that was read from a question of the document.
    func isWritten(_ place: Int) -> Bool {
        let question = questions[place]
        guard question.of == nil else { return false }
        guard let matrix = question.matrix, place > 0, let before = questions[place - 1].matrix else { return true }
        return !matrix.id.hasSameBytes(as: before.id)
    }

    /// The questions of the document, each as the first question that was read from it: without the texts of "Other", and without
    /// the other rows of a matrix.
    package var written: [Question] { questions.indices.filter(isWritten).map { questions[$0] } }

    /// The index of a question among those of the document.
    func writtenPlace(of place: Int) -> Int { (0...place).count(where: isWritten) - 1 }

    /// The rows of a matrix.
    func rows(of matrix: Question.Matrix) -> [Question] {
        questions.filter { $0.matrix?.id.hasSameBytes(as: matrix.id) == true }
    }
}
