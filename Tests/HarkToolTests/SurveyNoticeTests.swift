import HarkWire
import Testing

@testable import HarkTool

@Suite struct SurveyNoticeTests {
    @Test("options that fit are buttons, and the one that was pressed is the answer")
    func buttons() {
        let notice = SurveyNotice(Surveys.options)
        #expect(
            notice.arguments(seconds: 60) == [
                "notify-send", "--wait", "--app-name=Hark", "--expire-time=60000",
                "--hint=string:sound-name:message-new-instant", "--action=default=Answer…", "--action=0=😞 Poor",
                "--action=1=🙂 Good", "--action=2=😊 Great", "--", "A title", "A message",
            ])
        #expect(notice.choice("2\n") == .option(.string("Great")))
        #expect(notice.choice("default\n") == .open)
        #expect(notice.choice("3\n") == nil)
        #expect(notice.choice("") == nil)
    }

    @Test(
        "other surveys have a button that opens them", arguments: [Surveys.text, Surveys.combined, Surveys.questions])
    func open(presentation: Presentation) {
        let notice = SurveyNotice(presentation)
        #expect(notice.arguments(seconds: 60).filter { $0.hasPrefix("--action=") }.count == 2)
        #expect(notice.choice("open\n") == .open)
        #expect(notice.choice("0\n") == nil)
    }

    @Test("the survey's own notification is shown, its markup as text and without its sound if it wants none")
    func notification() {
        let survey = Surveys.make(
            "options", #"{"id":"option","type":"single","question":"","options":[{"value":"a","label":"a"}]}"#,
            #","notification":{"title":"-t","body":"a <b>&\nc\u001b","sound":false}"#)
        let arguments = SurveyNotice(survey).arguments(seconds: 60)
        #expect(arguments.suffix(3) == ["--", "-t", "a &lt;b&gt;&amp;\nc\\e"])
        #expect(arguments.contains("--hint=boolean:suppress-sound:true"))
    }
}
