internal import HarkWire

extension Form {
    private static let idBytes = 256

    static func read(_ value: JSONValue, path: String, issues: IssueCollector) -> Form? {
        guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
        defer { reader.finish() }
        let id = reader.name("id", isRequired: true)
        if let id, id.utf8.count > idBytes {
            issues.error(reader.path("id"), "an id has at most \(idBytes) bytes of UTF-8")
        }
        let title = reader.name("title", isRequired: true)
        let message = reader.text("message") ?? ""
        let completionMessage = reader.name("completionMessage")
        let labels = (start: reader.name("startLabel"), completion: reader.name("completionLabel"))
        let headers = ServerHeader.read(&reader)
        let timeout = reader.number("timeoutSeconds", in: 1...600)
        func server(_ key: String) -> FormServer? {
            guard let url = reader.url(key) else { return nil }
            var server = FormServer(url)
            server.headers = headers
            server.timeoutSeconds = timeout ?? server.timeoutSeconds
            return server
        }
        let submission = server("submitURL")
        let questions = server("questionsURL")
        let refreshSeconds = reader.number("refreshSeconds", in: 1...31_536_000)
        let questionnaire = readQuestions(&reader)
        guard let id, let title, let questionnaire else { return nil }
        var form = Form(id: id, title: title, questionnaire: questionnaire)
        form.message = message
        form.questions = questions
        form.refreshSeconds = refreshSeconds ?? usualRefreshSeconds
        form.submission = submission
        form.completionMessage = completionMessage
        form.startLabel = labels.start
        form.completionLabel = labels.completion
        return form
    }

    private static func readQuestions(_ reader: inout ObjectReader) -> Questionnaire? {
        switch (reader.has("questions"), reader.has("questionsURL")) {
        case (true, false): return Questionnaire.read("questions", in: &reader)
        case (false, true): return Questionnaire([])
        case (true, true): reader.issues.error(reader.path, "give either 'questions' or a 'questionsURL'")
        case (false, false):
            reader.issues.error(reader.path, "one of the members 'questions' and 'questionsURL' is missing")
        }
        return nil
    }
}

extension ObjectReader {
    fileprivate mutating func url(_ key: String) -> String? {
        guard let text = name(key) else { return nil }
        let lowercased = text.lowercased()
        let schemes = ["http://", "https://"]
        guard schemes.contains(where: { lowercased.hasPrefix($0) && lowercased.count > $0.count }) else {
            issues.error(path(key), "must be a URL that begins with http:// or https://")
            return nil
        }
        return text
    }
}
