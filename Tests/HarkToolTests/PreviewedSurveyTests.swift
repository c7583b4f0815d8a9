import HarkWire
import Testing

@testable import HarkTool

@Suite struct PreviewedSurveyTests {
    @Test("relative paths of images start at the folder of the file; nothing else is changed")
    func images() {
        let survey: JSONValue = [
            "title": "image", "options": ["image", ["value": "A", "image": "a.png", "alt": "An A"]],
            "questions": [["image": "/b.png", "alt": "B"], ["image": " ", "alt": "B"], ["image": 5, "min": 0.5]],
        ]
        #expect(
            PreviewedSurvey.placed(survey, in: "/f") == [
                "title": "image", "options": ["image", ["value": "A", "image": "/f/a.png", "alt": "An A"]],
                "questions": [
                    ["image": "/b.png", "alt": "B"], ["image": " ", "alt": "B"], ["image": 5, "min": 0.5],
                ],
            ])
    }
}
