import HarkWire
import Testing

@Suite("JSON value")
struct JSONValueTests {
    private let sample: JSONValue = [
        "none": nil, "yes": true, "count": -3, "ratio": 0.5, "text": "a\"b", "list": [1, [], [:]],
        "nested": ["z": 1, "a": 2],
    ]

    @Test("literals, accessors and subscripts reach every kind")
    func accessors() {
        #expect(sample["none"]?.isNull == true)
        #expect(sample["yes"]?.boolValue == true)
        #expect(sample["count"]?.intValue == -3)
        #expect(sample["count"]?.doubleValue == -3)
        #expect(sample["ratio"]?.doubleValue == 0.5)
        #expect(sample["ratio"]?.intValue == nil)
        #expect(sample["text"]?.stringValue == "a\"b")
        #expect(sample["list"]?[1] == [])
        #expect(sample["list"]?[3] == nil)
        #expect(sample["list"]?[-1] == nil)
        #expect(sample["nested"]?["a"] == 2)
        #expect(sample["missing"] == nil)
        #expect(JSONValue.int(1)["a"] == nil)
        #expect(JSONValue.int(1) != 1.0)
    }

    @Test("members are written in the order they were put in")
    func order() {
        #expect(
            sample.description == """
                {"none":null,"yes":true,"count":-3,"ratio":0.5,"text":"a\\"b","list":[1,[],{}],"nested":{"z":1,"a":2}}
                """)
    }

    @Test("an object keeps places, takes new keys at the end and forgets on nil")
    func editing() {
        var object: JSONObject = ["a": 1, "b": 2, "c": 3]
        object["b"] = 20
        object["d"] = 4
        object["a"] = nil
        object["x"] = nil
        #expect(object.keys == ["b", "c", "d"])
        #expect(object["b"] == 20)
        #expect(object.count == 3 && !object.isEmpty)
    }

    @Test("objects are equal whatever the order of their members, and hash alike")
    func equality() {
        let one: JSONObject = ["a": 1, "b": [2]]
        let other: JSONObject = ["b": [2], "a": 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1])
        #expect(one != ["a": 1, "b": [3]])
    }
}
