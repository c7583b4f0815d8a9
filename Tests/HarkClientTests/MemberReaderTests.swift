import HarkClient
import HarkWire
import Testing

@Suite struct MemberReaderTests {
    private static let id = "0199e0f4-8c7a-7000-8000-000000000001"
    private static let session = "0199e0f4-8c7a-7000-8000-000000000002"

    @Test("members are found in any order, absent ones keep their values, and unknown ones are passed over")
    func order() {
        let event = EventInfo(
            JSONText(
                #"{"later":[1],"seq":7,"source":{"pid":5,"uid":1000},"name":"tap","new":null,"properties":{"a":1},"#
                    + #""id":"\#(Self.id)","timestamp":"2026-11-21T11:08:00.123Z","sessionId":"\#(Self.session)"}"#))
        #expect(event.seq == 7 && event.name == "tap" && event.source.uid == 1_000 && event.source.pid == 5)
        #expect(event.id.description == Self.id && event.sessionId.description == Self.session)
        #expect(event.timestamp.description == "2026-11-21T11:08:00.123Z" && event.properties.json.text == #"{"a":1}"#)
        #expect(event.userId == nil && event.origin == nil)
        let other = EventInfo(JSONText(#"{"seq":"seven","name":3,"source":[]}"#))
        #expect(other.seq == 0 && other.name.isEmpty && other.source.uid == 0)
    }

    @Test("members that are there together are one part, which is nil without any of them")
    func part() {
        let gone = PresentationInfo(
            JSONText(#"{"presentationId":"\#(Self.id)","state":"ready","uid":1,"route":["a"]}"#))
        #expect(gone.content == nil && gone.route == ["a"] && gone.times == nil)
        let shown = PresentationInfo(
            JSONText(#"{"title":"T","state":"ready","questions":[{"id":"q","type":"nps"}],"times":{"snoozes":2}}"#))
        #expect(shown.content?.title == "T" && shown.content?.questions.map(\.id) == ["q"])
        #expect(shown.state == "ready" && shown.times?.snoozes == 2 && shown.content?.submitLabel == nil)
    }

    @Test("null is no value, but where it stands for one")
    func null() {
        let nowhere = FlagValues(JSONText(#"{"flags":{},"source":null}"#))
        #expect(nowhere.source?.json.isNull == true && nowhere.value == nil)
        #expect(FlagValues(JSONText(#"{"value":null}"#)).source == nil)
        #expect(NetworkResult(JSONText(#"{"network":null}"#)).network == nil)
        #expect(CurrentSession(JSONText(#"{"session":null}"#)).session == nil)
        #expect(StatisticsResult(JSONText(#"{"groups":[],"rest":null,"seq":9}"#)).rest == nil)
    }

    @Test("what was written is read as it was")
    func whole() throws {
        var run = ExecutionRunInfo()
        run.runId = try #require(Identifier(Self.id))
        (run.executionId, run.app, run.uid, run.state) = ("ask", "shop", 1_000, "done")
        (run.cause.counter, run.cause.value) = ("opens", AnyJSON([1, "two"]))
        (run.firedAt, run.endedAt) = (Timestamp(milliseconds: 1_800_000_000_000), Timestamp(milliseconds: 1))
        let text = run.json
        #expect(ExecutionRunInfo(JSONText(text[...])).json == text)
        #expect(
            String(decoding: text, as: UTF8.self)
                == #"{"runId":"\#(Self.id)","executionId":"ask","app":"shop","uid":1000,"counter":"opens","#
                + #""value":[1,"two"],"firedAt":"2027-01-15T08:00:00.000Z","state":"done","#
                + #""endedAt":"1970-01-01T00:00:00.001Z"}"#)
    }
}
