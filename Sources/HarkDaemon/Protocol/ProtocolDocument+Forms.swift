extension ProtocolDocument {
    /// The forms of the examples of `form.*` and `profile.*`.
    static let sampleForms = """
        {"forms": [{"id": "start", "title": "Before you begin", "completionMessage": "All set!", "questions": [
            {"id": "goal", "type": "single", "question": "What is your goal?", "options": ["Sleep", "Focus"]},
            {"id": "tried", "type": "multiple", "question": "What have you tried?",
             "options": ["Music", "Walks", "Tea"]}]}],
         "profile": {"values": {
            "welcome": {"question": "goal", "cases": {"Sleep": "Good night!", "Focus": "Good morning!"}},
            "minutes": {"question": "goal", "cases": {"Sleep": 20, "Focus": 5}},
            "interests": {"question": "tried"}},
          "summary": ["{minutes} minutes for:", "  - {interests}"]}}
        """
}
